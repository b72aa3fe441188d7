package json

import (
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// requireEqual compares interactions by what they say: scratch space, nil or empty lists do not count, NaN equals NaN.
func requireEqual() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreFields(schemas.Interaction{}, "Scratch", "UnreadTime"), cmpopts.EquateEmpty(), cmpopts.EquateNaNs(),
	}
}

// errorReason is the reason of an *Error, "" of nil.
func errorReason(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var refused *scan.Error
	require.ErrorAs(t, err, &refused)
	require.Contains(t, scan.Reasons(), refused.Reason)
	return refused.Reason
}

func decodeText(change func(*schemas.Interaction)) schemas.Interaction {
	in := schemas.Interaction{Answer: "a", Temperature: schemas.UnknownTemperature}
	change(&in)
	return in
}

func TestDecodeAccepts(t *testing.T) {
	nan := float32(math.NaN())
	cases := map[string]struct {
		raw  string
		want schemas.Interaction
	}{
		"answer only":  {`{"answer":"a"}`, decodeText(func(*schemas.Interaction) {})},
		"empty answer": {` { "answer" : "" } `, decodeText(func(in *schemas.Interaction) { in.Answer = "" })},
		"prompt": {`{"prompt":"why?","answer":"a"}`, decodeText(func(in *schemas.Interaction) {
			in.Messages = []schemas.Message{{Role: "user", Content: "why?"}}
		})},
		"messages outrank prompt": {
			`{"prompt":"p","messages":[{"role":"system","content":"s"}],"answer":"a"}`,
			decodeText(func(in *schemas.Interaction) {
				in.Messages = []schemas.Message{{Role: "system", Content: "s"}}
			}),
		},
		"content null and parts": {
			`{"answer":"a","messages":[{"role":"assistant","content":null,"tool_calls":[]},
			  {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"t\u0077o"}]},
			  {"role":"user","content":[]}]}`,
			decodeText(func(in *schemas.Interaction) {
				in.Messages = []schemas.Message{{Role: "assistant"}, {Role: "user", Content: "one\ntwo"}, {Role: "user"}}
			}),
		},
		"sources string": {`{"answer":"a","sources":"s"}`, decodeText(func(in *schemas.Interaction) {
			in.Sources = []schemas.Source{{Text: "s"}}
		})},
		"sources list": {
			`{"answer":"a","sources":["s",{"id":"d","text":"t","uri":"u","title":"T","score":0.5,"rank":1},{"id":null}]}`,
			decodeText(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{Text: "s"}, {ID: "d", Text: "t", URI: "u", Title: "T", Score: 0.5}, {}}
			}),
		},
		"documents of LangChain and Haystack": {
			`{"answer":"a","sources":[{"content":"c","page_content":"p\u0021","metadata":{}},{"content":"c","text":null},{"page_content":"p","text":""},{"content":["c"]}]}`,
			decodeText(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{Text: "p!"}, {Text: "c"}, {}, {Text: "c"}}
			}),
		},
		"sources object in document order": {
			`{"answer":"a","sources":{"z":"1","a":"2","m":"3","b":null}}`,
			decodeText(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{ID: "z", Text: "1"}, {ID: "a", Text: "2"}, {ID: "m", Text: "3"}, {ID: "b"}}
			}),
		},
		"sources object of objects": {
			`{"answer":"a","sources":{"z":{"content":"1","title":"t","score":0.5},"a":{"text":"2","id":"b"},"m":"3"}}`,
			decodeText(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{ID: "z", Text: "1", Title: "t", Score: 0.5}, {ID: "b", Text: "2"}, {ID: "m", Text: "3"}}
			}),
		},
		"null is absent": {
			`{"answer":"a","interaction_id":null,"tags":null,"messages":null,"sources":null,"temperature":null,` +
				`"streamed":null,"occurred_at":null,"attributes":null,"logprobs":null,"token_logprobs":null,"top_k":null,"prompt":null}`,
			decodeText(func(*schemas.Interaction) {}),
		},
		"escapes": {
			`{"answer":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000é😀"}`,
			decodeText(func(in *schemas.Interaction) { in.Answer = "\"\\/\b\f\n\r\té😀\x00é😀" }),
		},
		"lone surrogates are repaired": {
			`{"answer":"\ud800 \udc00 \ud83dx \ud83d\u0041 \ud800\ud83d\ude00"}`,
			decodeText(func(in *schemas.Interaction) {
				in.Answer = "\ufffd \ufffd \ufffdx \ufffdA \ufffd😀"
				in.Repaired = true
			}),
		},
		"a written replacement character is not a repair": {
			`{"answer":"\ufffd"}`, decodeText(func(in *schemas.Interaction) { in.Answer = "\ufffd" }),
		},
		"unknown fields are counted": {
			`{"answer":"a","x":{"y":[1,2.5e-3,true,false,null,"s",{}]},"metadata":[[]]}`,
			decodeText(func(in *schemas.Interaction) { in.UnknownFields, in.UnknownNames = 2, []string{"x", "metadata"} }),
		},
		"attributes keep the text of scalars": {
			`{"answer":"a","attributes":{"s":"v","n":-1.50,"b":true,"f":false,"z":null}}`,
			decodeText(func(in *schemas.Interaction) {
				in.Attributes = map[string]string{"s": "v", "n": "-1.50", "b": "true", "f": "false"}
			}),
		},
		"packed logprobs": { // -1, NaN, -Inf, +1 as little-endian float32
			`{"answer":"a","top_k":1,"token_logprobs":"AACAvwAAwH8AAID/AACAPw=="}`,
			decodeText(func(in *schemas.Interaction) {
				in.Logprobs = schemas.Logprobs{TopK: 1, Values: []float32{-1, nan, -100, 0}}
			}),
		},
		"packed outranks the OpenAI shape": {
			`{"answer":"a","token_logprobs":"AACAvw==","logprobs":{"content":[{"token":"a","logprob":-3,"top_logprobs":[{"logprob":-3}]}]}}`,
			decodeText(func(in *schemas.Interaction) { in.Logprobs = schemas.Logprobs{Values: []float32{-1}} }),
		},
		"top_logprobs null": {
			`{"answer":"a","logprobs":{"content":[{"token":"a","logprob":-1,"top_logprobs":null}],"x":[1]}}`,
			decodeText(func(in *schemas.Interaction) {
				in.Logprobs = schemas.Logprobs{Values: []float32{-1}, Offsets: []int32{0}}
			}),
		},
		"logprobs without content": {`{"answer":"a","logprobs":{"content":null}}`, decodeText(func(*schemas.Interaction) {})},
		"hexadecimal in any case":  {`{"answer":"\u00E9\u00e9"}`, decodeText(func(in *schemas.Interaction) { in.Answer = "éé" })},
		"unknown temperature":      {`{"answer":"a","temperature":-0.5}`, decodeText(func(*schemas.Interaction) {})},
		"temperature":              {`{"answer":"a","temperature":7e-1}`, decodeText(func(in *schemas.Interaction) { in.Temperature = 0.7 })},
		"everything": {
			`{"interaction_id":"i","tenant":"t","service":"s","operation":"o","provider":"p","model":"m",` +
				`"occurred_at":"2026-11-21T10:00:00.5+02:00","trace_id":"4b","span_id":"00","conversation_id":"c","tags":["x","y"],` +
				`"answer":"a","finish_reason":"stop","streamed":true,"temperature":0,"response_schema":"{}"}`,
			schemas.Interaction{
				ID: "i", Tenant: "t", Service: "s", Operation: "o", Provider: "p", Model: "m",
				OccurredAt: time.Date(2026, 11, 21, 8, 0, 0, 500e6, time.UTC), TraceID: "4b", SpanID: "00",
				ConversationID: "c", Tags: []string{"x", "y"}, Answer: "a", FinishReason: "stop", Streamed: true,
				ResponseSchema: "{}",
			},
		},
	}
	d := NewDecoder(Options{})
	var got schemas.Interaction // one for all: nothing of an earlier case may stay
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, d.Decode([]byte(c.raw), &got))
			require.Empty(t, cmp.Diff(c.want, got, requireEqual()))
			requireOracle(t, []byte(c.raw))
		})
	}
}

// requireOracle holds the decoder's answer to raw against the oracle's.
func requireOracle(t testing.TB, raw []byte) {
	t.Helper()
	var got, want schemas.Interaction
	err := NewDecoder(Options{}).Decode(raw, &got)
	errorReason(t, err)
	wantErr := oracleDecode(raw, &want)
	require.Equal(t, wantErr == nil, err == nil, "oracle: %v, decoder: %v", wantErr, err)
	if err == nil {
		got.Repaired = false // unknown to encoding/json
		require.Empty(t, cmp.Diff(want, got, requireEqual()))
	}
}

// One decoder serves many goroutines, each with its own interaction.
func TestDecodeConcurrently(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	raws := benchCorpus(logprobShapes()["openai"])
	d := NewDecoder(Options{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var got, want schemas.Interaction
			for _, raw := range raws {
				if d.Decode(raw, &got) != nil || NewDecoder(Options{}).Decode(raw, &want) != nil || !cmp.Equal(want, got, requireEqual()) {
					t.Error("an event was read differently beside others")
				}
			}
		})
	}
	wg.Wait()
}
