package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/worker/config"
	"confab/schemas"
)

const (
	lampContext = `"messages":[{"role":"user","content":"Answer from the context.\n\nContext:\n[1] The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan.\n\nQuestion: What does the lamp cost and who designed it?"}]`
	lampBad     = "The lamp costs 30 euros and was designed by Peter Novak in 1987 in Berlin [9]."
	lampGood    = "The lamp costs 20 euros [1]."
)

// choiceOf is a choice with a message that has the members.
func choiceOf(members string) string {
	return `{"index":0,"message":{"role":"assistant",` + members + `}}`
}

func contentOf(text string) string { return choiceOf(`"content":"` + text + `"`) }

func completionOf(choices ...string) string {
	return `{"id":"c-1","object":"chat.completion","created":1795255201,"model":"m","choices":[` + strings.Join(choices, ",") + `]}`
}

// eventsOf is a stream of choices, as the text of its events in JSON.
func eventsOf(choices ...string) string {
	var b strings.Builder
	for _, c := range append([]string{`{"index":0,"delta":{"role":"assistant","content":""}}`}, choices...) {
		b.WriteString(`data: {"id":"c-1","object":"chat.completion.chunk","choices":[` + c + "]}\n\n")
	}
	return string(encodeJSON(b.String() + "data: [DONE]\n\n"))
}

func deltaOf(members string) string { return `{"index":0,"delta":{` + members + `}}` }

// rawEvents is the text of events in JSON.
func rawEvents(events ...string) string {
	return string(encodeJSON("data: " + strings.Join(events, "\n\ndata: ") + "\n\n"))
}

func chunkOf(members string) string {
	return `{"id":"c-1","object":"chat.completion.chunk","choices":[` + deltaOf(members) + `]}`
}

// variant is a response and what becomes of it under the action BLOCK.
type variant struct {
	response string // JSON
	status   int
	code     string // of the error
	checked  string // "full" unless it is said
	unread   string
}

func blocked(response string) variant {
	return variant{response: response, status: 403, code: "blocked_by_policy"}
}

func unreadResponse(response string) variant {
	return variant{response: response, status: 503, code: "response", checked: "none"}
}

// responseVariants are the responses of models and of their servers. None with the wrong answer passes without a mark.
func responseVariants() map[string]variant {
	bad, good := contentOf(lampBad), contentOf(lampGood)
	badText := `"content":"` + lampBad + `"`
	withTokens := func(logprobs string) string {
		return eventsOf(strings.Replace(deltaOf(badText), `}}`, `},"logprobs":`+logprobs+`}`, 1))
	}
	tool := choiceOf(`"content":null,"tool_calls":[{"id":"t","type":"function","function":{"name":"final_answer","arguments":"{\"answer\":\"` + lampBad + `\"}"}}]`)
	return map[string]variant{
		"wrong": blocked(completionOf(bad)), "right": {response: completionOf(good), status: 200},
		"second choice": blocked(completionOf(good, bad)), "first choice": blocked(completionOf(bad, good)), "choice behind an empty one": blocked(completionOf(contentOf(""), bad)),
		"choice behind a tool call": blocked(completionOf(tool, bad)), "128 choices": blocked(completionOf(append(slices.Repeat([]string{good}, 127), bad)...)),
		"129 choices": {response: completionOf(slices.Repeat([]string{"{}"}, 129)...), status: 503, code: "response_too_large", checked: "none"},
		"no choices":  {response: completionOf(), status: 200, checked: "none"}, "empty answer": {response: completionOf(contentOf("")), status: 200, checked: "none"},
		"parts": blocked(completionOf(choiceOf(`"content":[{"type":"text","text":"` + lampBad + `"}]`))), "output parts": blocked(completionOf(choiceOf(`"content":[{"type":"output_text","text":"` + lampBad + `"}]`))),
		"image":           {response: completionOf(choiceOf(`"content":[{"type":"text","text":"` + lampGood + `"},{"type":"image_url","image_url":{"url":"data:"}}]`)), status: 503, code: "not_measured", checked: "partial", unread: "content_parts"},
		"reasoning part":  {response: completionOf(choiceOf(`"content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"` + lampGood + `"}]`)), status: 200, unread: "reasoning"},
		"reasoning alone": {response: completionOf(choiceOf(`"content":null,"reasoning_content":"` + lampBad + `"`)), status: 503, code: "reasoning", checked: "none"},
		"reasoning":       {response: completionOf(choiceOf(`"content":"` + lampGood + `","reasoning_content":"hm"`)), status: 200, unread: "reasoning"},
		"refusal":         blocked(completionOf(choiceOf(`"content":null,"refusal":"` + lampBad + `"`))), "refusal next to content": blocked(completionOf(choiceOf(`"content":"Hello.","refusal":"` + lampBad + `"`))),
		"speech":           blocked(completionOf(choiceOf(`"content":null,"audio":{"id":"a","transcript":"` + lampBad + `"}`))),
		"sound":            {response: completionOf(choiceOf(`"content":null,"audio":{"id":"a","data":"UklG"}`)), status: 503, code: "content_parts", checked: "none"},
		"tool arguments":   {response: completionOf(tool), status: 200, checked: "none", unread: "tool_calls"},
		"function call":    {response: completionOf(choiceOf(`"content":null,"function_call":{"name":"f","arguments":"{}"}`)), status: 200, checked: "none", unread: "tool_calls"},
		"text with a tool": {response: completionOf(strings.Replace(tool, `"content":null`, badText, 1)), status: 403, code: "blocked_by_policy", unread: "tool_calls"},
		"text completion":  blocked(completionOf(`{"index":0,"text":"` + lampBad + `"}`)),
		"error member":     unreadResponse(strings.Replace(completionOf(bad), "{", `{"error":{"message":"x"},`, 1)), "error null": blocked(strings.Replace(completionOf(bad), "{", `{"error":null,`, 1)),
		"other case of choices": blocked(strings.Replace(completionOf(bad), "choices", "Choices", 1)), "other case of content": blocked(completionOf(choiceOf(`"Content":"` + lampBad + `"`))),
		"content in two cases": unreadResponse(completionOf(choiceOf(`"content":"ok","Content":"` + lampBad + `"`))),
		"two choices members":  {response: strings.Replace(completionOf(good), "{", `{"choices":[`+bad+`],`, 1), status: 400, code: "duplicate_key"}, "two contents": {response: completionOf(choiceOf(badText + `,"content":"ok"`)), status: 400, code: "duplicate_key"},
		"NaN": {response: strings.Replace(completionOf(bad), "{", `{"x":NaN,`, 1), status: 400, code: "syntax"}, "not UTF-8": {response: completionOf(contentOf("la\xffmp")), status: 400, code: "bad_utf8"},
		"zero width": blocked(completionOf(contentOf(strings.ReplaceAll(lampBad, "am", "a\u200bm")))), "logprobs of a wrong type": blocked(completionOf(strings.Replace(bad, `{"index"`, `{"logprobs":{"content":[7]},"index"`, 1))),
		"side values of a wrong type": blocked(`{"id":7,"created":"now","model":[],"metadata":3,"choices":[` + bad + `]}`), "message as text": blocked(completionOf(`{"message":"` + lampBad + `"}`)), "content as an object": blocked(completionOf(choiceOf(`"content":{"text":"` + lampBad + `"}`))), "content as a number": unreadResponse(completionOf(choiceOf(`"content":7`))),
		"Responses": blocked(`{"object":"response","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"` + lampBad + `"}]}]}`), "Responses, item without a type": blocked(`{"object":"response","output":[{"content":"` + lampBad + `"}]}`),
		"Anthropic": blocked(`{"type":"message","role":"assistant","content":[{"type":"text","text":"` + lampBad + `"}],"stop_reason":"end_turn"}`), "Anthropic, tools": {response: `{"type":"message","role":"assistant","content":[{"type":"tool_use","name":"f","input":{}}],"stop_reason":"tool_use"}`, status: 200, checked: "none", unread: "tool_calls"},
		"Gemini": blocked(`{"candidates":[{"content":{"role":"model","parts":[{"text":"` + lampGood + `"}]}},{"content":{"role":"model","parts":[{"text":"` + lampBad + `"}]}}]}`), "Converse": blocked(`{"output":{"message":{"role":"assistant","content":[{"text":"` + lampBad + `"}]}},"stopReason":"end_turn"}`),
		"Cohere": blocked(`{"id":"r","message":{"role":"assistant","content":[{"type":"text","text":"` + lampBad + `"}]},"finish_reason":"COMPLETE"}`), "Ollama": blocked(`{"model":"m","message":{"role":"assistant","content":"` + lampBad + `"},"done":true}`), "of no API": unreadResponse(`{"x":{"y":["` + lampBad + `"]}}`),
		"a number": unreadResponse(`7`), "a text": unreadResponse(`"` + lampBad + `"`), "a list": unreadResponse(`["` + lampBad + `"]`), "UTF-16": unreadResponse(string(encodeJSON(string(utf16.Decode([]uint16{0xfeff, 'd', 'a'}))))),

		"stream": blocked(eventsOf(deltaOf(`"content":"The lamp costs 30 euros "`), deltaOf(`"content":"and was designed by Peter Novak in 1987 in Berlin [9]."`))), "stream, right": {response: eventsOf(deltaOf(`"content":"` + lampGood + `"`)), status: 200},
		"stream as a list":   blocked(`[` + chunkOf(badText) + `]`),
		"stream, mixed list": unreadResponse(`[` + chunkOf(`"content":"`+lampGood+`"`) + `,"` + lampBad + `"]`), "stream, second choice": blocked(eventsOf(deltaOf(`"content":"`+lampGood+`"`), strings.Replace(deltaOf(badText), `"index":0`, `"index":1`, 1))),
		"stream, parts": blocked(eventsOf(deltaOf(`"content":[{"type":"text","text":"` + lampBad + `"}]`))), "stream, refusal false": blocked(eventsOf(deltaOf(badText + `,"refusal":false`))),
		"stream, index as text": unreadResponse(eventsOf(strings.Replace(deltaOf(badText), `"index":0`, `"index":"0"`, 1))), "stream, half an index": unreadResponse(eventsOf(strings.Replace(deltaOf(badText), `"index":0`, `"index":0.5`, 1))),
		"stream, choice 200": blocked(eventsOf(strings.Replace(deltaOf(badText), `"index":0`, `"index":200`, 1))), "stream, choice 2000": {response: eventsOf(strings.Replace(deltaOf(badText), `"index":0`, `"index":2000`, 1)), status: 503, code: "response_too_large", checked: "none"},
		"stream, logprobs object": blocked(withTokens(`{"content":{}}`)), "stream, logprobs list": blocked(withTokens(`[1]`)), "stream, -Infinity": blocked(withTokens(`{"content":[{"token":"The","logprob":-Infinity}]}`)), "stream, NaN": blocked(withTokens(`{"content":[{"token":"The","logprob":NaN}]}`)),
		"stream, numeric id": blocked(rawEvents(strings.Replace(chunkOf(badText), `"c-1"`, "7", 1))), "stream, mixed ids": unreadResponse(rawEvents(chunkOf(`"content":"`+lampGood+`"`), strings.Replace(chunkOf(badText), "c-1", "c-2", 1))),
		"stream, trailing comma": unreadResponse(rawEvents(chunkOf(`"content":""`), chunkOf(badText)+",")), "stream, not JSON": unreadResponse(rawEvents(chunkOf(`"content":""`), lampBad)),
		"stream, whole message": blocked(rawEvents(completionOf(bad))), "stream, text": blocked(rawEvents(`{"object":"text_completion","choices":[{"index":0,"text":"` + lampBad + `"}]}`)),
		"stream, behind DONE": blocked(rawEvents(chunkOf(`"content":""`), "[DONE]", chunkOf(badText))), "stream, DONE alone": unreadResponse(rawEvents("[DONE]")), "stream, DONE first": blocked(rawEvents("[DONE]", chunkOf(badText))),
		"stream, tab": blocked(rawEvents("\t" + chunkOf(badText))), "stream, tool call": {response: eventsOf(deltaOf(`"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]`)), status: 200, checked: "none", unread: "tool_calls"},
		"stream, reasoning alone": {response: eventsOf(deltaOf(`"reasoning_content":"` + lampBad + `"`)), status: 503, code: "reasoning", checked: "none"}, "stream, other API": unreadResponse(rawEvents(chunkOf(`"content":""`), `{"type":"response.output_text.delta","delta":"`+lampBad+`"}`)),
		"stream, pings": blocked(string(encodeJSON(": ping\n\nevent: ping\ndata: {}\n\ndata: " + chunkOf(badText) + "\n\n: ping\n\n"))), "stream, cut": blocked(rawEvents(chunkOf(badText))),
		"stream of Anthropic": blocked(rawEvents(`{"type":"message_start","message":{"type":"message","role":"assistant","content":[]}}`, `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+lampBad+`"}}`)), "stream of Gemini": blocked(rawEvents(`{"candidates":[{"content":{"parts":[{"text":"` + lampBad + `"}]}}]}`)),
		"stream of Responses": blocked(rawEvents(`{"type":"response.created","response":{"object":"response","output":[]}}`, `{"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"`+lampBad+`"}`)),
	}
}

// Of no response does the text pass unread: it is measured, or the response follows on_failure, closed under BLOCK.
func TestResponseVariants(t *testing.T) {
	_, url, log := newServer(t, func(c *config.Config) { c.Action = schemas.ActionBlock })
	_, open, _ := newServer(t, func(c *config.Config) { c.Action, c.Serve.OnFailure = schemas.ActionBlock, "open" })
	var table []string
	for name, v := range responseVariants() {
		t.Run(name, func(t *testing.T) {
			body := `{"request":{` + lampContext + `},"response":` + v.response + `}`
			got := send(t, "POST", url+"/v1/check/chat", body)
			require.Equal(t, v.status, got.status, got.body)
			if v.code != "" {
				require.Equal(t, v.code, got.code(t))
			}
			if v.checked == "" && v.status != 400 {
				v.checked = "full"
			}
			require.Equal(t, v.checked, got.header.Get("X-Confab-Checked"), got.body)
			require.Equal(t, v.unread, got.header.Get("X-Confab-Unread"))
			require.Equal(t, v.checked == "none" || v.checked == "partial", got.header.Get("X-Confab-Unchecked") != "", got.body)
			if v.status != 403 {
				require.NotContains(t, got.body, "Novak")
			}
			if v.status == 503 { // open: it passes with the mark
				got := send(t, "POST", open+"/v1/check/chat", body)
				require.Equal(t, 200, got.status)
				require.Equal(t, v.checked, got.header.Get("X-Confab-Checked"))
				require.Contains(t, got.body, `"checked":"`+v.checked+`"`)
			}
			table = append(table, fmt.Sprintf("%s | %d %s | %s | %s", name, v.status, v.code, v.checked, v.unread))
		})
	}
	require.NotContains(t, log.String(), "Novak")
	if file := os.Getenv("VARIANTS"); file != "" {
		slices.Sort(table)
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(table, "\n")), 0o600))
	}
}

// What is wrong with the request of a client is refused, whatever on_failure says, and it is in the audit log and the metrics.
func TestRequestVariants(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	response := `,"response":` + completionOf(contentOf(lampBad)) + `}`
	plain := `{"request":{` + lampContext + `}` + response
	with := func(members string) string { return `{"request":{` + members + `,` + lampContext + `}` + response }
	utf16Text := func(text string) string {
		var b bytes.Buffer
		for _, u := range utf16.Encode([]rune("\ufeff" + text)) {
			b.WriteByte(byte(u))
			b.WriteByte(byte(u >> 8))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		status             int
		code               string
	}{
		"plain":                    {"POST", "", plain, nil, 403, "blocked_by_policy"},
		"NaN":                      {"POST", "", with(`"x":NaN`), nil, 400, "syntax"},
		"Infinity":                 {"POST", "", with(`"x":-Infinity`), nil, 400, "syntax"},
		"byte order mark":          {"POST", "", "\ufeff" + plain, nil, 400, "syntax"},
		"UTF-16":                   {"POST", "", utf16Text(plain), nil, 400, "syntax"},
		"duplicate key":            {"POST", "", with(`"messages":[]`), nil, 400, "duplicate_key"},
		"two requests":             {"POST", "", `{"request":{},"request":{` + lampContext + `}` + response, nil, 400, "duplicate_key"},
		"two responses":            {"POST", "", `{"response":` + completionOf(contentOf(lampGood)) + `,"request":{}` + response, nil, 400, "duplicate_key"},
		"another case":             {"POST", "", with(`"Messages":[]`), nil, 400, "case_variant"},
		"trailing text":            {"POST", "", plain + "{}", nil, 400, "trailing_bytes"},
		"comment":                  {"POST", "", "/**/" + plain, nil, 400, "syntax"},
		"500 nested lists":         {"POST", "", with(`"x":` + strings.Repeat("[", 500) + strings.Repeat("]", 500)), nil, 400, "too_deep"},
		"not UTF-8":                {"POST", "", with("\"x\":\"\xff\""), nil, 400, "bad_utf8"},
		"gzip without a header":    {"POST", "", compress(t, plain), nil, 400, "syntax"},
		"gzip":                     {"POST", "", compress(t, plain), []string{"Content-Encoding", "gzip"}, 403, "blocked_by_policy"},
		"image of 1.5 MB":          {"POST", "", with(`"x":"` + strings.Repeat("a", 1500_000) + `"`), nil, 403, "blocked_by_policy"},
		"above the limit":          {"POST", "", with(`"x":"` + strings.Repeat("a", 8<<20) + `"`), nil, 413, "body_too_large"},
		"deadline of 0 ms":         {"POST", "", plain, []string{"X-Confab-Deadline-Ms", "0"}, 400, "deadline"},
		"text/plain":               {"POST", "", plain, []string{"Content-Type", "text/plain"}, 415, "content_type"},
		"no type":                  {"POST", "", plain, []string{"Content-Type", ""}, 415, "content_type"},
		"form":                     {"POST", "", plain, []string{"Content-Type", "application/x-www-form-urlencoded"}, 415, "content_type"},
		"PUT":                      {"PUT", "", plain, nil, 405, "method_not_allowed"},
		"method override":          {"PUT", "", plain, []string{"X-HTTP-Method-Override", "POST"}, 405, "method_not_allowed"},
		"slash at the end":         {"POST", "/", plain, nil, 404, "unknown_path"},
		"escaped slash":            {"POST", "%2f", plain, nil, 404, "unknown_path"},
		"another case of the path": {"POST", "/../Chat", plain, nil, 404, "unknown_path"},
		"parameter":                {"POST", ";x=1", plain, nil, 404, "unknown_path"},
		"space":                    {"POST", "%20", plain, nil, 404, "unknown_path"},
		"the proxy of old":         {"POST", "/../../chat/completions", plain, nil, 404, "unknown_path"},
		"unnamed tenant":           {"POST", "", plain, []string{"X-Confab-Tenant", "someone"}, 403, "blocked_by_policy"},
		"tenant of 257 bytes":      {"POST", "", plain, []string{"X-Confab-Tenant", strings.Repeat("a", 257)}, 400, "tenant_name"},
		"wrong messages":           {"POST", "", `{"request":{"messages":7}` + response, nil, 400, "malformed_field"},
	} {
		t.Run(name, func(t *testing.T) {
			_, url, log := newServer(t, func(c *config.Config) { c.Action, c.Serve.OnFailure = schemas.ActionBlock, "open" })
			target := url + "/v1/check/chat" + c.path
			if strings.HasPrefix(c.path, "/..") {
				target = url + map[string]string{"/../Chat": "/v1/check/Chat", "/../../chat/completions": "/v1/chat/completions"}[c.path]
			}
			got := send(t, c.method, target, c.body, c.headers...)
			require.Equal(t, c.status, got.status, got.body)
			require.Equal(t, c.code, got.code(t))
			if c.status != http.StatusForbidden {
				require.Contains(t, log.String(), `"msg":"request refused"`)
				require.Contains(t, log.String(), `"code":"`+c.code+`"`)
			}
		})
	}
}

// Refusals by the rate limit are logged with their tenant, those of logins with the client and the name.
func TestRefusalsAreAudited(t *testing.T) {
	_, url, log := newServer(t, func(c *config.Config) {
		c.Action, c.Serve.RateLimit, c.Serve.RateBurst = schemas.ActionBlock, 0.001, 1
		c.Serve.Auth.Logins = []config.Login{{Name: "ann", Token: "0123456789abcdef", Tenants: []string{"*"}}}
	})
	require.Equal(t, 401, send(t, "POST", url+"/v1/check", right, "Authorization", "Basic Ym9iOnNlc2FtZQ==").status)
	require.Contains(t, log.String(), `"msg":"login refused","client":"127.0.0.1:`)
	require.Contains(t, log.String(), `"user":"bob"`)
	require.NotContains(t, log.String(), "sesame")

	s, url, log := newServer(t, func(c *config.Config) { c.Action, c.Serve.RateLimit, c.Serve.RateBurst = schemas.ActionBlock, 0.001, 1 })
	lines := send(t, "POST", url+"/v1/check", right+"\n"+wrong+"\n"+right+"\nx\n", "Content-Type", "application/x-ndjson")
	require.Equal(t, 3, strings.Count(lines.body, `"error"`), lines.body)
	require.Contains(t, log.String(), `"last_tenant":"default","codes":{"rate_limit":1,"syntax":1}`)
	require.Equal(t, 1, strings.Count(log.String(), "refused"))
	counted := map[string]float64{}
	families, err := s.Registry.(interface {
		Gather() ([]*dto.MetricFamily, error)
	}).Gather()
	require.NoError(t, err)
	for _, f := range families {
		if f.GetName() == "confab_http_refused_total" {
			for _, m := range f.GetMetric() {
				counted[m.GetLabel()[0].GetValue()] = m.GetCounter().GetValue()
			}
		}
	}
	require.Equal(t, map[string]float64{"rate_limit": 1, "syntax": 1}, counted)
}

// The refusal of a blocked answer has no text of it where the settings say so.
func TestRefusalWithoutExcerpts(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		blockAll(c)
		c.Serve.RefusalExcerpts = false
	})
	got := send(t, "POST", url+"/v1/check?rewrite=remove", wrong)
	require.Equal(t, 403, got.status)
	require.Equal(t, "blocked_by_policy", got.code(t))
	require.NotContains(t, got.body, "lamp")
	require.NotContains(t, got.body, "9 days")
	require.Contains(t, got.body, `"incident_id":"`)
	require.NotEmpty(t, got.header.Get("X-Confab-Fired"))
}

// Tenants that the configuration does not name have the configured action; a named one has its own.
func TestUnnamedTenants(t *testing.T) {
	_, url, _ := newServer(t, func(c *config.Config) {
		c.Action = schemas.ActionBlock
		c.Tenants = map[string]config.Tenant{"log": {TenantOptions: alerting.TenantOptions{Action: schemas.ActionLog}}, "none": {}}
	})
	for tenant, status := range map[string]int{"someone": 403, "none": 403, "log": 200} {
		require.Equal(t, status, send(t, "POST", url+"/v1/check", wrong, "X-Confab-Tenant", tenant).status, tenant)
	}
}
