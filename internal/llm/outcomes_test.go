package llm

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/internal/llm/llmtest"
)

// serverOutcome is a behavior of a server. The golden file has the result of each.
type serverOutcome struct {
	name   string
	server llmtest.Options
	req    Request // without a message: two replies to a short one
	op     func(ctx context.Context, c *Client) (got string, err error)
	adjust func(*Options)
}

func serverOutcomes() []serverOutcome {
	two := Request{N: 2}
	zero := 0.
	all := Request{N: 2, Temperature: &zero}
	form := Request{JSON: &Schema{Name: "verdicts", Schema: []byte(`{"type":"object"}`)}}
	status := func(code int, body string, pairs ...string) llmtest.Options {
		return alwaysReply(llmtest.Reply{Status: code, Body: body, Header: headerMap(pairs...)})
	}
	one := func(body string) llmtest.Options { return alwaysReply(llmtest.Reply{Body: body}) }
	complaint := func(param, message string) string {
		return fmt.Sprintf(`{"error":{"message":%q,"param":%q,"type":"invalid_request_error","code":"unsupported_value"}}`, message, param)
	}
	return []serverOutcome{
		{name: "knows n", req: two},
		{name: "ignores n", req: Request{N: 4}, server: llmtest.Options{IgnoreN: true}},
		{name: "gives more than n", server: one(`{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`)},
		{name: "fails after the first of four", req: Request{N: 4}, server: scriptedServer(
			llmtest.Reply{Body: chatBody("a")}, llmtest.Reply{Status: 401, Body: "{}"})},

		{name: "429 with seconds", server: scriptedServer(llmtest.Reply{Status: 429, Header: headerMap("Retry-After", "7")})},
		{name: "429 with a date", server: scriptedServer(llmtest.Reply{Status: 429, Header: headerMap("Retry-After", time.Date(2000, 1, 1, 0, 0, 9, 0, time.UTC).Format(http.TimeFormat))})},
		{name: "429 without a time", server: scriptedServer(llmtest.Reply{Status: 429})},
		{name: "429 with an hour", server: scriptedServer(llmtest.Reply{Status: 429, Header: headerMap("Retry-After", "3600")})},
		{name: "429 for ever", server: status(429, "")},
		{name: "429, no quota left", server: status(429, `{"error":{"code":"insufficient_quota","message":"x"}}`)},
		{name: "500 once", server: scriptedServer(llmtest.Reply{Status: 500})},
		{name: "500 for ever", server: status(500, "")},
		{name: "502, a page of the gateway", server: status(502, "<html>bad gateway</html>", "Content-Type", "text/html")},
		{name: "503 while the model loads", server: scriptedServer(llmtest.Reply{Status: 503, Body: `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, Times: 2})},
		{name: "408", server: scriptedServer(llmtest.Reply{Status: 408})},
		{name: "400", server: status(400, complaint("messages", "bad"))},
		{name: "400 without JSON", server: status(400, "no")},
		{name: "401", server: status(401, "")},
		{name: "403", server: status(403, "")},
		{name: "404", server: status(404, "")},
		{name: "413", server: status(413, "")},
		{name: "422", server: status(422, `{"detail":[{"loc":["body","messages"],"msg":"bad"}]}`)},
		{name: "501", server: status(501, "")},
		{name: "599", server: status(599, "")},
		{name: "too long: OpenAI", server: status(400, `{"error":{"code":"context_length_exceeded","param":"messages","message":"reduce max_tokens"}}`)},
		{name: "too long: llama.cpp", server: status(400, `{"error":{"code":400,"type":"exceed_context_size_error","message":"x"}}`)},
		{name: "too long: vLLM", req: all, server: status(400, `{"object":"error","message":"This model's maximum context length is 8 tokens. Do without logprobs","code":400}`)},
		{name: "too long: llama.cpp's embeddings", server: status(500, `{"error":{"code":500,"message":"input is too large to process. increase the physical batch size"}}`)},
		{name: "307 to another host", server: status(307, "", "Location", "http://elsewhere.test/v1/chat/completions")},
		{name: "302 without an address", server: status(302, "")},

		{name: "refuses temperature", req: all, server: llmtest.Options{Refuse: []string{"temperature"}}},
		{name: "refuses n", req: all, server: llmtest.Options{Refuse: []string{"n"}}},
		{name: "refuses all of them", req: all, server: llmtest.Options{Refuse: []string{"temperature", "n"}}},
		{name: "refuses n in a sentence", req: two, server: scriptedServer(llmtest.Reply{Status: 400, Body: `{"error":"n must be 1 for this model"}`})},
		{name: "refuses schemas", req: form, server: scriptedServer(llmtest.Reply{Status: 400, Body: complaint("response_format.json_schema", "x")})},
		{name: "refuses any JSON", req: form, server: llmtest.Options{Refuse: []string{"response_format"}}},
		{name: "wants max_completion_tokens", server: scriptedServer(llmtest.Reply{Status: 400, Body: complaint("max_tokens", "Use 'max_completion_tokens' instead.")})},
		{name: "refuses both limits", server: scriptedServer(
			llmtest.Reply{Status: 400, Body: complaint("max_tokens", "Use 'max_completion_tokens' instead.")},
			llmtest.Reply{Status: 400, Body: complaint("max_completion_tokens", "max_completion_tokens is unknown")})},
		{name: "refuses what was not sent", server: status(400, complaint("temperature", "x"))},

		{name: "hangs", server: alwaysReply(llmtest.Reply{Hang: true})},
		{name: "hangs once", server: scriptedServer(llmtest.Reply{Hang: true})},
		{name: "resets", server: alwaysReply(llmtest.Reply{Reset: true})},
		{name: "resets once", server: scriptedServer(llmtest.Reply{Reset: true})},
		{name: "ends in the middle", server: alwaysReply(llmtest.Reply{Body: chatBody("long enough"), Cut: 20})},
		{name: "stalls in the middle", server: alwaysReply(llmtest.Reply{Body: chatBody("long enough"), Cut: 20, Stall: true})},
		{name: "ends in the middle once", server: scriptedServer(llmtest.Reply{Body: chatBody("long enough"), Cut: 20})},
		{name: "headers of 1 MB", server: status(200, chatBody("x"), "X-Long", strings.Repeat("x", 1<<20))},
		{name: "body of 10 MB", server: one(`{"choices":[{"message":{"content":"` + tenMegabytes + `"}}]}`)},
		{name: "body of 10 MB, packed", server: status(200, gzipReply(`{"choices":[{"message":{"content":"`+tenMegabytes+`"}}]}`), "Content-Encoding", "gzip")},
		{name: "packed reply", server: status(200, gzipReply(chatBody("a")), "Content-Encoding", "gzip")},
		{name: "500 of 10 MB", server: scriptedServer(llmtest.Reply{Status: 500, Body: tenMegabytes})},
		{name: "204", server: status(204, "")},
		{name: "empty body", server: status(200, "")},
		{name: "no JSON", server: one("<html>welcome</html>")},
		{name: "a stream", server: status(200, "data: {}\n\n", "Content-Type", "text/event-stream")},
		{name: "JSON named otherwise", server: status(200, chatBody("a"), "Content-Type", "text/html")},
		{name: "another JSON", server: one(`[1]`)},
		{name: "more after the end", server: one(chatBody("a") + chatBody("b"))},
		{name: "error under 200", server: one(`{"error":{"message":"x"}}`)},
		{name: "no choices", server: one(`{"choices":[],"usage":{"prompt_tokens":3}}`)},
		{name: "choices are not a list", server: one(`{"choices":{"message":{"content":"a"}}}`)},
		{name: "no message", server: one(`{"choices":[{}]}`)},
		{name: "text is null", server: one(`{"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"content_filter"}]}`)},
		{name: "text in parts", server: one(`{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}`)},
		{name: "no usage", server: llmtest.Options{NoUsage: true}},
		{name: "usage below zero", server: one(`{"choices":[{"message":{"content":"abc"}}],"usage":{"prompt_tokens":-5,"completion_tokens":-1}}`)},
		{name: "usage beyond belief", server: one(`{"choices":[{"message":{"content":"abc"}}],"usage":{"prompt_tokens":1e300,"completion_tokens":1e18}}`)},
		{name: "usage is not an object", server: one(`{"choices":[{"message":{"content":"abc"}}],"usage":"none"}`)},
		{name: "unknown finish_reason", server: one(`{"choices":[{"message":{"content":"a"},"finish_reason":"<!channel>"}]}`)},
		{name: "finish_reason of older servers", server: one(`{"choices":[{"message":{"content":"a"},"finish_reason":"eos_token"}]}`)},

		{name: "embeds", op: embedTexts("a b", "c")},
		{name: "embeds: out of order", op: embedTexts("a", "b"), server: one(`{"data":[{"index":1,"embedding":[2]},{"index":0,"embedding":[1]}]}`)},
		{name: "embeds: not numbered", op: embedTexts("a", "b"), server: one(`{"data":[{"embedding":[1]},{"embedding":[2]}]}`)},
		{name: "embeds: one too few", op: embedTexts("a", "b"), server: one(`{"data":[{"embedding":[1]}]}`)},
		{name: "embeds: one twice", op: embedTexts("a", "b"), server: one(`{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[2]}]}`)},
		{name: "embeds: beyond the end", op: embedTexts("a", "b"), server: one(`{"data":[{"index":0,"embedding":[1]},{"index":2,"embedding":[2]}]}`)},
		{name: "embeds: lengths differ", op: embedTexts("a", "b"), server: one(`{"data":[{"embedding":[1]},{"embedding":[1,2]}]}`)},
		{name: "embeds: lengths differ between calls", op: embedTexts(strings.Split("abcdefghi", "")...), server: scriptedServer(
			llmtest.Reply{}, llmtest.Reply{Body: `{"data":[{"embedding":[1]}]}`})},
		{name: "embeds: empty vector", op: embedTexts("a"), server: one(`{"data":[{"embedding":[]}]}`)},
		{name: "embeds: null", op: embedTexts("a"), server: one(`{"data":[{"embedding":[1,null]}]}`)},
		{name: "embeds: NaN", op: embedTexts("a"), server: one(`{"data":[{"embedding":[NaN]}]}`)},
		{name: "embeds: 1e400", op: embedTexts("a"), server: one(`{"data":[{"embedding":[1e400]}]}`)},
		{name: "embeds: not offered", op: embedTexts("a"), server: status(501, `{"error":{"code":501,"message":"This server does not support embeddings. Start it with --embeddings"}}`)},
		{name: "embeds: 503 once", op: embedTexts("a"), server: scriptedServer(llmtest.Reply{Status: 503})},

		{name: "verifies", op: verifyPairs(2), adjust: predictReply},
		{name: "verifies: one pair, flat", op: verifyPairs(1), server: one(`[{"label":"entailment","score":1}]`)},
		{name: "verifies: two pairs, flat", op: verifyPairs(2), server: one(`[{"label":"entailment","score":1}]`)},
		{name: "verifies: one too few", op: verifyPairs(2), server: one(`[[{"label":"entailment","score":1}]]`)},
		{name: "verifies: no labels", op: verifyPairs(1), server: one(`[[]]`)},
		{name: "verifies: score beyond 1", op: verifyPairs(1), server: one(`[[{"label":"entailment","score":7}]]`)},
		{name: "verifies: score NaN", op: verifyPairs(1), server: one(`[[{"label":"entailment","score":NaN}]]`)},
		{name: "verifies: score null", op: verifyPairs(1), server: one(`[[{"label":"entailment","score":null}]]`)},
		{name: "verifies: no name", op: verifyPairs(1), server: one(`[[{"score":1}]]`)},
		{name: "verifies: endless name", op: verifyPairs(1), server: one(`[[{"label":"` + strings.Repeat("x", 99) + `","score":1}]]`)},
		{name: "verifies: one pair too many", op: verifyPairs(1), server: one(`[[{"label":"entailment","score":1}],[{"label":"entailment","score":1}]]`)},
		{name: "verifies: 413", op: verifyPairs(1), server: status(413, `{"error":"batch size","error_type":"Validation"}`)},
	}
}

func gzipReply(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(text)) // into memory
	_ = w.Close()
	return b.String()
}

func predictReply(o *Options) { o.BaseURL = strings.TrimSuffix(o.BaseURL, "/v1") + "/predict" }

func embedTexts(texts ...string) func(context.Context, *Client) (string, error) {
	return func(ctx context.Context, c *Client) (string, error) {
		got, err := c.Embed(ctx, texts)
		text := fmt.Sprintf("vectors %d, spent %+v, calls %d", len(got.Vectors), got.Usage, got.Calls)
		if len(got.Vectors) > 1 && len(got.Vectors[0]) == 1 {
			text += fmt.Sprintf(", %v", got.Vectors)
		}
		return text, err
	}
}

func verifyPairs(n int) func(context.Context, *Client) (string, error) {
	return func(ctx context.Context, c *Client) (string, error) {
		pairs := []Pair{{"the bridge is red", "bridge red"}, {"the bridge is red", "blue"}}
		got, err := c.Verify(ctx, formOfKind(KindNLI), pairs[:n])
		return fmt.Sprintf("verdicts %+v", got), err
	}
}

// TestOutcomes shows each behavior of a server and what becomes of it.
func TestOutcomes(t *testing.T) {
	var table strings.Builder
	for _, row := range serverOutcomes() {
		if row.adjust == nil {
			row.adjust = func(*Options) {}
		}
		t.Run(row.name, func(t *testing.T) {
			inBubble(t, row.server, func(t *testing.T, c *Client, s *llmtest.Server) {
				begin := time.Now()
				got, err := row.run(t.Context(), c)
				fmt.Fprintf(&table, "%s\n    %s\n    requests %d, %s\n", row.name, got, len(s.Requests()), roundTokens(time.Since(begin)))
				if err != nil {
					require.NotEmpty(t, ClassOf(err))
					fmt.Fprintf(&table, "    %v\n", err)
				}
			}, row.adjust)
		})
	}
	golden.Equal(t, "testdata/outcomes.golden", table.String())
}

func (row serverOutcome) run(ctx context.Context, c *Client) (string, error) {
	if row.op != nil {
		return row.op(ctx, c)
	}
	row.req.Messages = []Message{{User, "Which color is the bridge?"}}
	got, err := c.Chat(ctx, row.req)
	text := fmt.Sprintf("replies %d, spent %+v, calls %d", len(got.Choices), got.Usage, got.Calls)
	if len(got.Choices) > 0 {
		r := got.Choices[0]
		text += fmt.Sprintf(", %.40q", r.Text)
		if r.Refusal != "" || r.Finish != "stop" {
			text += fmt.Sprintf(" refusal %q finish %q", r.Refusal, r.Finish)
		}
	}
	return text, err
}

// roundTokens leaves jitter out: what is asked for by servers and limits is whole, and jitter adds a few seconds.
func roundTokens(d time.Duration) string {
	switch {
	case d == 0:
		return "at once"
	case d < 7*time.Second: // 1 + 2 + 4 is the most that three pauses can be
		return "after pauses"
	case d < 14*time.Second:
		return "after 7 s and more"
	case d < time.Minute:
		return "after less than a minute"
	default:
		return fmt.Sprintf("after %d minutes and more", d/time.Minute)
	}
}
