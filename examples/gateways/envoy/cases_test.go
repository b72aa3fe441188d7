package main

import (
	"net/http"
	"strings"
)

// call is one HTTP request through Envoy, and what the model's server answers.
type call struct {
	method, path string // default: POST of a chat completion
	header       http.Header
	body         string
	modelStatus  int // default: 200
	modelHeader  http.Header
	modelBody    string
}

// result is what the client gets, and the headers that the model's server got.
type result struct {
	status int
	header http.Header
	body   string
	model  http.Header
}

const (
	question = `{"model": "m", "messages": [{"role": "user", "content": "Answer from the context.\n\nContext:\nThe lamp costs 20 euros and ships in 3 days.\n\nQuestion: What does the lamp cost?"}]}`
	wrong    = "The lamp costs 30 euros and ships in 9 days."
	right    = "The lamp costs 20 euros."

	marked, refused, blocked = "marked", "refused", "blocked" // marked: X-Confab-Checked: none
)

func completion(answers ...string) string {
	var choices []string
	for _, a := range answers {
		choices = append(choices, `{"index": 0, "message": {"role": "assistant", "content": "`+a+`"}, "finish_reason": "stop"}`)
	}
	return `{"id": "c-1", "object": "chat.completion", "created": 1795255201, "model": "m", "choices": [` + strings.Join(choices, ", ") + `]}`
}

func events(answer string) string {
	first, rest, _ := strings.Cut(answer, " ")
	chunk := func(text, end string) string {
		return `data: {"id": "c-1", "object": "chat.completion.chunk", "created": 1795255201, "model": "m", "choices": [{"index": 0, "delta": {"content": "` + text + `"}, "finish_reason": ` + end + `}]}` + "\n\n"
	}
	return chunk(first+" ", "null") + chunk(rest, `"stop"`) + "data: [DONE]\n\n"
}

var toolCall = `{"id": "c-1", "object": "chat.completion", "created": 1795255201, "model": "m", "choices": [{"index": 0, "message": {"role": "assistant", "content": null, ` +
	`"tool_calls": [{"id": "t-1", "type": "function", "function": {"name": "f", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}]}`

var (
	jsonType   = header("Content-Type", "application/json")
	streamType = header("Content-Type", "text/event-stream")
	packedType = header("Content-Type", "application/json", "Content-Encoding", "gzip")
)

var asked = call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}

// with is the call of a chat completion with a wrong answer, changed.
func with(change func(c *call)) call {
	c := asked
	change(&c)
	return c
}

func onPath(path string) call { return with(func(c *call) { c.path = path }) }

func asking(body string) call { return with(func(c *call) { c.body = body }) }

func answered(h http.Header, body string) call {
	return with(func(c *call) { c.modelHeader, c.modelBody = h, body })
}

// outcomes are held against the processor alone and against a real Envoy. Cases without flags block and fail closed.
var outcomes = []struct {
	name  string
	flags []string
	call  call
	want  string // measured, marked, refused, blocked, flagged, allowed, or a status
	code  string // of the error
}{
	{name: "log", flags: []string{"-tenant", "log"}, call: asked, want: "measured"},
	{name: "flag", flags: []string{"-tenant", "flag"}, call: asked, want: "flagged"},
	{name: "block", call: asked, want: blocked},
	{name: "block, supported", call: answered(jsonType, completion(right)), want: "allowed"},
	{name: "charset", call: answered(header("Content-Type", "Application/JSON; charset=utf-8"), completion(wrong)), want: blocked},
	{name: "second choice", call: answered(jsonType, completion(right, wrong)), want: blocked},
	{name: "other case", call: onPath("/v1/Chat/completions/?a=b"), want: blocked},
	{name: "slash at the end", call: onPath("/v1/chat/completions/"), want: blocked},
	{name: "escaped letter", call: onPath("/v1/%63hat/completions;v=1"), want: blocked},
	{name: "tenant of the client", call: with(func(c *call) { c.header = header("X-Confab-Tenant", "log", "X-Confab-Deadline-Ms", "1") }), want: blocked},
	{name: "encodings of the client", call: with(func(c *call) { c.header = header("Accept-Encoding", "br") }), want: blocked},
	{name: "status 201", call: with(func(c *call) { c.modelStatus = 201 }), want: blocked},
	{name: "packed request", call: with(func(c *call) { c.header, c.body = header("Content-Encoding", "gzip"), pack(question) }), want: blocked},
	{name: "packed response", call: answered(packedType, pack(completion(wrong))), want: blocked},
	{name: "stream", call: answered(streamType, events(wrong)), want: blocked},
	{name: "stream, supported", call: answered(streamType, events(right)), want: "allowed"},
	{name: "stream passes", flags: []string{"-streams", "pass"}, call: answered(streamType, events(wrong)), want: marked},
	{name: "tool call", call: answered(jsonType, toolCall), want: marked},
	{name: "no answer", call: answered(jsonType, completion()), want: marked},
	{name: "error of the model", call: with(func(c *call) { c.modelStatus, c.modelBody = 429, `{"error": {}}` }), want: "429"},
	{name: "path that passes", call: with(func(c *call) { c.method, c.path, c.body = http.MethodGet, "/v1/models", "" }), want: marked},

	{name: "other method", call: with(func(c *call) { c.method = http.MethodPut }), want: "405", code: "method_not_allowed"},
	{name: "method override", call: with(func(c *call) { c.method, c.header = http.MethodPut, header("X-HTTP-Method-Override", "POST") }), want: "405", code: "method_not_allowed"},
	{name: "text completions", call: onPath("/v1/completions"), want: "404", code: "path_not_checked"},
	{name: "responses", call: onPath("/v1/responses"), want: "404", code: "path_not_checked"},
	{name: "messages", call: onPath("/v1/messages"), want: "404", code: "path_not_checked"},
	{name: "space", call: onPath("/v1/chat/completions%20"), want: "404", code: "path_not_checked"},
	{name: "variant of a path that passes", call: onPath("/v1/models/../responses"), want: "404", code: "path_not_checked"},
	{name: "no request body", call: asking(""), want: "400", code: "empty_body"},
	{name: "NaN", call: asking(`{"x": NaN, ` + question[1:]), want: "400", code: "syntax"},
	{name: "byte order mark", call: asking("\ufeff" + question), want: "400", code: "syntax"},
	{name: "UTF-16", call: asking("\xff\xfe{\x00}\x00"), want: "400", code: "syntax"},
	{name: "comment", call: asking("/**/" + question), want: "400", code: "syntax"},
	{name: "second member", call: asking(`{}, "response": {}`), want: "400", code: "syntax"},
	{name: "duplicate key", call: asking(`{"messages": [], ` + question[1:]), want: "400", code: "duplicate_key"},
	{name: "key in another case", call: asking(`{"Messages": [], ` + question[1:]), want: "400", code: "case_variant"},
	{name: "gzip without a header", call: asking(pack(question)), want: "400", code: "syntax"},
	{name: "header without gzip", call: with(func(c *call) { c.header = header("Content-Encoding", "gzip") }), want: "400", code: "truncated_body"},
	{name: "encoding of the request", call: with(func(c *call) { c.header = header("Content-Encoding", "gzip, gzip") }), want: "415", code: "content_encoding"},
	{name: "request too large", call: asking(question + strings.Repeat(" ", 20000)), want: "413", code: "body_too_large"},
	{name: "bomb in the request", call: with(func(c *call) {
		c.header, c.body = header("Content-Encoding", "gzip"), pack(question+strings.Repeat(" ", 1<<20))
	}), want: "413", code: "body_too_large"},
	{name: "rate limit, the first", flags: []string{"-tenant", "slow"}, call: asked, want: blocked},
	{name: "rate limit", flags: []string{"-tenant", "slow", "-on-failure", "open"}, call: asked, want: "429", code: "rate_limit"},
	{name: "no events", flags: []string{"-on-failure", "open"}, call: answered(streamType, "data: nothing\n\n"), want: refused, code: "response"},
	{name: "no sources", flags: []string{"-on-failure", "open"}, call: asking(`{"messages": [{"role": "user", "content": "What does the lamp cost?"}]}`), want: refused, code: "not_measured"},
}

// failures are answers that cannot be checked: they pass with a mark, or are refused with -on-failure closed.
var failures = []struct {
	name, code string
	confab     string // another server than confab serve
	call       call
}{
	{"down", "unreachable", "http://127.0.0.1:1", asked},
	{"late", "unreachable", "late", asked},
	{"not Confab", "unknown_reply", "stranger", asked},
	{"elsewhere", "unknown_reply", "redirect", asked},
	{"status 200 of another server", "unknown_reply", "empty", asked},
	{"overloaded", "overloaded", "overloaded", asked},
	{"response too large", "body_too_large", "", answered(jsonType, completion(wrong)+strings.Repeat(" ", 20000))},
	{"bomb", "body_too_large", "", answered(packedType, pack(completion(wrong)+strings.Repeat(" ", 1<<20)))},
	{"no gzip", "truncated_body", "", answered(packedType, completion(wrong))},
	{"half a gzip", "truncated_body", "", answered(packedType, pack(completion(wrong))[:40])},
	{"other encoding", "content_encoding", "", answered(header("Content-Type", "application/json", "Content-Encoding", "br"), "x")},
	{"HTML", "content_type", "", answered(header("Content-Type", "text/html"), completion(wrong))},
	{"JSON Lines", "content_type", "", answered(header("Content-Type", "application/x-ndjson"), completion(wrong))},
	{"no type", "content_type", "", answered(http.Header{}, completion(wrong))},
	{"not JSON", "syntax", "", answered(jsonType, completion(wrong)[1:])},
	{"NaN in the response", "syntax", "", answered(jsonType, `{"x": NaN, `+completion(wrong)[1:])},
	{"byte order mark in the response", "syntax", "", answered(jsonType, "\ufeff"+completion(wrong))},
	{"deep nesting", "syntax", "", answered(jsonType, strings.Repeat("[", 15000))},
	{"no response body", "empty_body", "", with(func(c *call) { c.modelStatus, c.modelBody = 204, "" })},
}
