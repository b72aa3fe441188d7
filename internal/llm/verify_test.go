package llm

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// formOfKind is the form of a kind that needs no map.
func formOfKind(k Kind) *Form {
	f, err := NewForm(k, FormMap{})
	if err != nil {
		panic(err)
	}
	return f
}

// Each kind of server gets what its interface asks for, and its reply is read. Texts with placeholders and quotes stay as they are.
func TestVerify(t *testing.T) {
	pair := Pair{Premise: `The "bridge" is red.`, Hypothesis: "Die Brücke {passage} ist blau."}
	mapped := func(m FormMap) *Form {
		f, err := NewForm(KindHTTP, m)
		require.NoError(t, err)
		return f
	}
	const claim, passage = `"Die Brücke {passage} ist blau."`, `"The \"bridge\" is red."`
	chat := func(text, logprobs string) string {
		return `{"choices":[{"message":{"content":"` + text + `"}` + logprobs + `}]}`
	}
	logprobs := `,"logprobs":{"content":[{"token":"<score>","top_logprobs":[{"token":"no","logprob":0}]},{"token":" No","logprob":-0.1,"top_logprobs":[{"token":" No","logprob":-0.2231436},{"token":"yes","logprob":-1.6094379},{"token":"maybe","logprob":-9}]}]}`
	guardian := `{"model":"tiny","messages":[{"role":"assistant","content":` + claim + `}],"documents":[{"doc_id":"0","text":` + passage + `}],
		"chat_template_kwargs":{"guardian_config":{"criteria_id":"groundedness"},"think":false},"temperature":0,"max_tokens":32,"logprobs":true,"top_logprobs":5}`
	mini := `{"model":"tiny","messages":[{"role":"user","content":"Document: The \"bridge\" is red.\nClaim: Die Brücke {passage} ist blau."}],
		"temperature":0,"max_tokens":8,"logprobs":true,"top_logprobs":5}`
	own := FormMap{Request: `{"m":"{model}","a":[1,null,{"t":"{passage} => {claim}"}]}`, Supported: "/r~1x/1/p"}
	ownRequest := `{"m":"tiny","a":[1,null,{"t":"The \"bridge\" is red. => Die Brücke {passage} ist blau."}]}`
	for name, row := range map[string]struct {
		form              *Form
		path, sent, reply string
		want              Verdict // Supported < 0: the reply is bad
	}{
		"rerank": {
			formOfKind(KindRerank), "/v1", `{"query":` + claim + `,"texts":[` + passage + `],"raw_scores":true,"truncate":true}`,
			`[{"index":0,"score":-1.0986122887}]`,
			Verdict{Supported: .25},
		},
		"rerank: no score":   {formOfKind(KindRerank), "", "", `[]`, Verdict{Supported: -1}},
		"rerank: surely":     {formOfKind(KindRerank), "", "", `[{"index":0,"score":1e300}]`, Verdict{Supported: 1}},
		"rerank: a text":     {formOfKind(KindRerank), "", "", `[{"index":0,"score":"yes"}]`, Verdict{Supported: -1}},
		"hhem: beyond 1":     {formOfKind(KindHHEM), "", "", `{"score":1.01}`, Verdict{Supported: -1}},
		"hhem: below 0":      {formOfKind(KindHHEM), "", "", `{"score":-0.01}`, Verdict{Supported: -1}},
		"hhem: an object":    {formOfKind(KindHHEM), "", "", `{"score":{"value":1}}`, Verdict{Supported: -1}},
		"rerank: NaN":        {formOfKind(KindRerank), "", "", `[{"index":0,"score":NaN}]`, Verdict{Supported: -1}},
		"rerank: 1e400":      {formOfKind(KindRerank), "", "", `[{"index":0,"score":1e400}]`, Verdict{Supported: -1}},
		"rerank: null":       {formOfKind(KindRerank), "", "", `[{"index":0,"score":null}]`, Verdict{Supported: -1}},
		"rerank: an error":   {formOfKind(KindRerank), "", "", `{"error":"x"}`, Verdict{Supported: -1}},
		"rerank: a vector":   {formOfKind(KindRerank), "", "", `[[0.1,0.2]]`, Verdict{Supported: -1}},
		"rerank: not a JSON": {formOfKind(KindRerank), "", "", `[{"score":0.2}`, Verdict{Supported: -1}},
		"hhem": {
			formOfKind(KindHHEM), "/v1", `{"generated_text":` + claim + `,"source_texts":[` + passage + `]}`, `{"score":0.75}`, Verdict{Supported: .75},
		},
		"lettucedetect": {
			formOfKind(KindLettuce), "/v1", `{"contexts":[` + passage + `],"question":"","answer":` + claim + `}`,
			`{"predictions":[{"start":0,"end":3,"text":"Die","hallucination_score":0.5},{"start":4,"end":10,"text":"Brücke","hallucination_score":0.9}]}`,
			Verdict{Supported: .1, Spans: []Span{{0, 3, .5}, {4, 11, .9}}},
		},
		"lettucedetect: all supported": {formOfKind(KindLettuce), "", "", `{"predictions":[]}`, Verdict{Supported: 1}},
		"lettucedetect: without score": {formOfKind(KindLettuce), "", "", `{"predictions":[{"start":29,"end":30}]}`, Verdict{Spans: []Span{{30, 31, 1}}}},
		"lettucedetect: no list":       {formOfKind(KindLettuce), "", "", `{"predictions":null}`, Verdict{Supported: -1}},
		"lettucedetect: beyond":        {formOfKind(KindLettuce), "", "", `{"predictions":[{"start":4,"end":31}]}`, Verdict{Supported: -1}},
		"lettucedetect: backwards":     {formOfKind(KindLettuce), "", "", `{"predictions":[{"start":4,"end":3}]}`, Verdict{Supported: -1}},
		"lettucedetect: below zero":    {formOfKind(KindLettuce), "", "", `{"predictions":[{"start":-1,"end":3}]}`, Verdict{Supported: -1}},
		"lettucedetect: score of 7":    {formOfKind(KindLettuce), "", "", `{"predictions":[{"start":0,"end":3,"confidence":7}]}`, Verdict{Supported: -1}},
		"lettucedetect: too many": {
			formOfKind(KindLettuce), "", "", `{"predictions":[` + strings.Repeat(`{"start":0,"end":3},`, maxSpans) + `{"start":0,"end":3}]}`, Verdict{Supported: -1},
		},
		"minicheck":                                    {formOfKind(KindMini), "/v1/chat/completions", mini, chat("Yes", ""), Verdict{Supported: 1}},
		"minicheck: log probabilities":                 {formOfKind(KindMini), "", "", chat("No", logprobs), Verdict{Supported: .2}},
		"minicheck: neither":                           {formOfKind(KindMini), "", "", chat("Maybe, nobody knows", ""), Verdict{Supported: -1}},
		"minicheck: empty":                             {formOfKind(KindMini), "", "", `{"choices":[]}`, Verdict{Supported: -1}},
		"minicheck: broken alternative":                {formOfKind(KindMini), "", "", chat("No", `,"logprobs":{"content":[{"token":"No","top_logprobs":[7]}]}`), Verdict{}},
		"minicheck: log above 0":                       {formOfKind(KindMini), "", "", chat("No", `,"logprobs":{"content":[{"token":"No","top_logprobs":[{"token":"yes","logprob":900}]}]}`), Verdict{}},
		"minicheck: log probabilities of another form": {formOfKind(KindMini), "", "", chat("Yes", `,"logprobs":{"tokens":["Yes"]}`), Verdict{Supported: 1}},
		"granite_guardian":                             {formOfKind(KindGuardian), "/v1/chat/completions", guardian, chat("<score> yes </score>", ""), Verdict{}},
		"granite_guardian: grounded":                   {formOfKind(KindGuardian), "", "", chat("<think>yes, if</think><score> no </score>", ""), Verdict{Supported: 1}},
		"granite_guardian: log probabilities":          {formOfKind(KindGuardian), "", "", chat("<score> no", logprobs), Verdict{Supported: .8}},
		"http":                                         {mapped(own), "/v1", ownRequest, `{"r/x":[0,{"p":0.4}]}`, Verdict{Supported: .4}},
		"http: true":                                   {mapped(own), "", "", `{"r/x":[0,{"p":true}]}`, Verdict{Supported: 1}},
		"http: text":                                   {mapped(own), "", "", `{"r/x":[0,{"p":"The answer is: NO."}]}`, Verdict{}},
		"http: another place":                          {mapped(own), "", "", `{"r/x":{"1":{"q":0.4}}}`, Verdict{Supported: -1}},
		"http: a list that is short":                   {mapped(own), "", "", `{"r/x":[{"p":0.4}]}`, Verdict{Supported: -1}},
		"http: unsupported": {
			mapped(FormMap{Request: own.Request, Unsupported: "/p"}), "/v1", ownRequest, `{"p":0.4}`, Verdict{Supported: .6},
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, llmtest.Options{Script: []llmtest.Reply{{Body: row.reply}}}, func(t *testing.T, c *Client, s *llmtest.Server) {
				got, err := c.Verify(t.Context(), row.form, []Pair{pair})
				if row.want.Supported < 0 {
					require.Equal(t, BadReply, ClassOf(err))
					return
				}
				require.NoError(t, err)
				require.Len(t, got, 1)
				require.InDelta(t, row.want.Supported, got[0].Supported, 1e-6)
				require.Equal(t, row.want.Spans, got[0].Spans)
				if row.path != "" {
					require.Equal(t, row.path, s.Requests()[0].Path)
					require.JSONEq(t, row.sent, s.Requests()[0].Body)
				}
			})
		})
	}
}

// Where redaction changed the claim, places in it say nothing.
func TestSpansOfARedactedClaim(t *testing.T) {
	server := llmtest.Options{Script: []llmtest.Reply{{Body: `{"predictions":[{"start":0,"end":1,"confidence":0.9}]}`}}}
	inBubble(t, server, func(t *testing.T, c *Client, _ *llmtest.Server) {
		got, err := c.Verify(t.Context(), formOfKind(KindLettuce), []Pair{{"passage", "claim"}})
		require.NoError(t, err)
		require.InDelta(t, .1, got[0].Supported, 1e-9)
		require.Empty(t, got[0].Spans)
	}, func(o *Options) { o.Redact = func(string) string { return "-" } })
}

// A server that is down or slow is retried as others are, then the class says what it was.
func TestVerifierDown(t *testing.T) {
	for name, row := range map[string]struct {
		reply llmtest.Reply
		want  Class
		sent  int
	}{
		"busy": {llmtest.Reply{Status: http.StatusServiceUnavailable, Times: -1}, Retryable, 4},
		"gone": {llmtest.Reply{Reset: true, Times: -1}, Retryable, 4},
		"slow": {llmtest.Reply{Hang: true, Times: -1}, Timeout, 2},
		"full": {llmtest.Reply{Status: http.StatusRequestEntityTooLarge}, TooLarge, 1},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, llmtest.Options{Script: []llmtest.Reply{row.reply}}, func(t *testing.T, c *Client, s *llmtest.Server) {
				_, err := c.Verify(t.Context(), formOfKind(KindRerank), []Pair{{"a", "b"}})
				require.Equal(t, row.want, ClassOf(err))
				require.Len(t, s.Requests(), row.sent)
			}, func(o *Options) { o.Timeout = time.Second })
		})
	}
}

func TestFormErrors(t *testing.T) {
	const request = `{"a":"{claim} {passage}"}`
	for want, m := range map[string]FormMap{
		"request is no JSON":         {Supported: "/p"},
		"request asks about nothing": {Request: `{"a":"{claim}"}`, Supported: "/p"},
		"supported is missing":       {Request: request},
		"does not start with /":      {Request: request, Supported: "p"},
		"the reply has one place":    {Request: request, Supported: "/p", Spans: "/s"},
	} {
		_, err := NewForm(KindHTTP, m)
		require.ErrorContains(t, err, want)
	}
	f, err := NewForm(KindHTTP, FormMap{Request: request, Spans: "/s"})
	require.NoError(t, err)
	require.Equal(t, 1, f.Batch())
	require.Equal(t, verifyBatch, formOfKind(KindNLI).Batch())
	text, err := json.Marshal(f.fill("m", []Pair{{"{claim}", "{model}"}}))
	require.NoError(t, err)
	require.JSONEq(t, `{"a":"{model} {claim}"}`, string(text), "texts are not read again")
}
