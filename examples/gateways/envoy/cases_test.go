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

	passed, marked, refused, blocked = "passed", "marked", "refused", "blocked" // marked: X-Confab-Checked: false
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

// outcomes are held against the processor alone and against a real Envoy. Cases without flags block and fail open.
var outcomes = []struct {
	name  string
	flags []string
	call  call
	want  string // passed, marked, refused, blocked, flagged, or a status
	code  string // of the error
}{
	{name: "log", flags: []string{"-tenant", "log"}, call: call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: passed},
	{name: "flag", flags: []string{"-tenant", "flag"}, call: call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: "flagged"},
	{name: "block", call: call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "block, supported", call: call{body: question, modelHeader: jsonType, modelBody: completion(right)}, want: "allowed"},
	{name: "charset", call: call{body: question, modelHeader: header("Content-Type", "Application/JSON; charset=utf-8"), modelBody: completion(wrong)}, want: blocked},
	{name: "second choice", call: call{body: question, modelHeader: jsonType, modelBody: completion(right, wrong)}, want: blocked},
	{name: "other case", call: call{path: "/v1/Chat/completions/?a=b", body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "escaped path", call: call{path: "/v1/%63hat/completions;v=1", body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "tenant of the client", call: call{header: header("X-Confab-Tenant", "log", "X-Confab-Deadline-Ms", "1"), body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "encodings of the client", call: call{header: header("Accept-Encoding", "br"), body: question, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "status 201", call: call{body: question, modelStatus: 201, modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "packed request", call: call{header: header("Content-Encoding", "gzip"), body: pack(question), modelHeader: jsonType, modelBody: completion(wrong)}, want: blocked},
	{name: "packed response", call: call{body: question, modelHeader: packedType, modelBody: pack(completion(wrong))}, want: blocked},
	{name: "stream", call: call{body: question, modelHeader: streamType, modelBody: events(wrong)}, want: blocked},
	{name: "stream, supported", call: call{body: question, modelHeader: streamType, modelBody: events(right)}, want: "allowed"},
	{name: "stream passes", flags: []string{"-streams", "pass", "-on-failure", "closed"}, call: call{body: question, modelHeader: streamType, modelBody: events(wrong)}, want: marked},
	{name: "tool call", flags: []string{"-on-failure", "closed"}, call: call{body: question, modelHeader: jsonType, modelBody: toolCall}, want: "allowed"},
	{name: "no answer", flags: []string{"-on-failure", "closed"}, call: call{body: question, modelHeader: jsonType, modelBody: completion()}, want: marked},
	{name: "error of the model", flags: []string{"-on-failure", "closed"}, call: call{body: question, modelStatus: 429, modelHeader: jsonType, modelBody: `{"error": {}}`}, want: "429"},
	{name: "other path", flags: []string{"-on-failure", "closed"}, call: call{path: "/v1/models", body: "{}", modelHeader: jsonType, modelBody: completion(wrong)}, want: passed},
	{name: "other method", flags: []string{"-on-failure", "closed"}, call: call{method: http.MethodGet, modelHeader: jsonType, modelBody: completion(wrong)}, want: passed},
}

// failures are answers that cannot be checked: they pass with a mark, or are refused with -on-failure closed.
var failures = []struct {
	name, code string
	confab     string // another server than confab serve
	call       call
}{
	{"down", "unreachable", "http://127.0.0.1:1", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"late", "unreachable", "late", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"not Confab", "unknown_reply", "stranger", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"elsewhere", "unknown_reply", "redirect", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"failed open", "failed_open", "open", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"request too large", "body_too_large", "", call{body: question + strings.Repeat(" ", 20000), modelHeader: jsonType, modelBody: completion(wrong)}},
	{"response too large", "body_too_large", "", call{body: question, modelHeader: jsonType, modelBody: completion(wrong) + strings.Repeat(" ", 20000)}},
	{"bomb", "body_too_large", "", call{body: question, modelHeader: packedType, modelBody: pack(completion(wrong) + strings.Repeat(" ", 1<<20))}},
	{"no gzip", "truncated_body", "", call{body: question, modelHeader: packedType, modelBody: completion(wrong)}},
	{"half a gzip", "truncated_body", "", call{body: question, modelHeader: packedType, modelBody: pack(completion(wrong))[:40]}},
	{"other encoding", "content_encoding", "", call{body: question, modelHeader: header("Content-Type", "application/json", "Content-Encoding", "br"), modelBody: "x"}},
	{"encoding of the request", "content_encoding", "", call{header: header("Content-Encoding", "gzip, gzip"), body: question, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"HTML", "content_type", "", call{body: question, modelHeader: header("Content-Type", "text/html"), modelBody: completion(wrong)}},
	{"not JSON", "syntax", "", call{body: question, modelHeader: jsonType, modelBody: completion(wrong)[1:]}},
	{"request is not JSON", "syntax", "", call{body: `{}, "response": {}`, modelHeader: jsonType, modelBody: completion(wrong)}},
	{"deep nesting", "syntax", "", call{body: question, modelHeader: jsonType, modelBody: strings.Repeat("[", 15000)}},
	{"no events", "stream", "", call{body: question, modelHeader: streamType, modelBody: "data: nothing\n\n"}},
	{"no request body", "empty_body", "", call{modelHeader: jsonType, modelBody: completion(wrong)}},
	{"no response body", "empty_body", "", call{body: question, modelStatus: 204, modelHeader: jsonType}},
}
