package json

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// same compares interactions by what they say: scratch space, nil or empty lists do not count, NaN equals NaN.
func same() cmp.Options {
	return cmp.Options{
		cmpopts.IgnoreFields(schemas.Interaction{}, "Scratch"), cmpopts.EquateEmpty(), cmpopts.EquateNaNs(),
	}
}

// reason is the reason of an *Error, "" of nil.
func reason(t testing.TB, err error) string {
	t.Helper()
	if err == nil {
		return ""
	}
	var refused *Error
	require.True(t, errors.As(err, &refused), "not an *Error: %v", err)
	require.Contains(t, Reasons(), refused.Reason)
	return refused.Reason
}

func interaction(change func(*schemas.Interaction)) schemas.Interaction {
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
		"answer only":  {`{"answer":"a"}`, interaction(func(*schemas.Interaction) {})},
		"empty answer": {` { "answer" : "" } `, interaction(func(in *schemas.Interaction) { in.Answer = "" })},
		"prompt": {`{"prompt":"why?","answer":"a"}`, interaction(func(in *schemas.Interaction) {
			in.Messages = []schemas.Message{{Role: "user", Content: "why?"}}
		})},
		"messages outrank prompt": {
			`{"prompt":"p","messages":[{"role":"system","content":"s"}],"answer":"a"}`,
			interaction(func(in *schemas.Interaction) {
				in.Messages = []schemas.Message{{Role: "system", Content: "s"}}
			}),
		},
		"content null and parts": {
			`{"answer":"a","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"x"}]},
			  {"role":"user","content":[{"type":"text","text":"one"},{"type":"image_url","image_url":{"url":"u"}},{"type":"text","text":"t\u0077o"}]},
			  {"role":"user","content":[]}]}`,
			interaction(func(in *schemas.Interaction) {
				in.Messages = []schemas.Message{{Role: "assistant"}, {Role: "user", Content: "one\ntwo"}, {Role: "user"}}
			}),
		},
		"sources string": {`{"answer":"a","sources":"s"}`, interaction(func(in *schemas.Interaction) {
			in.Sources = []schemas.Source{{Text: "s"}}
		})},
		"sources list": {
			`{"answer":"a","sources":["s",{"id":"d","text":"t","uri":"u","score":0.5,"rank":1},{"id":null}]}`,
			interaction(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{Text: "s"}, {ID: "d", Text: "t", URI: "u", Score: 0.5}, {}}
			}),
		},
		"sources object in document order": {
			`{"answer":"a","sources":{"z":"1","a":"2","m":"3","b":null}}`,
			interaction(func(in *schemas.Interaction) {
				in.Sources = []schemas.Source{{ID: "z", Text: "1"}, {ID: "a", Text: "2"}, {ID: "m", Text: "3"}, {ID: "b"}}
			}),
		},
		"null is absent": {
			`{"answer":"a","interaction_id":null,"tags":null,"messages":null,"sources":null,"temperature":null,` +
				`"streamed":null,"occurred_at":null,"attributes":null,"logprobs":null,"token_logprobs":null,"top_k":null,"prompt":null}`,
			interaction(func(*schemas.Interaction) {}),
		},
		"escapes": {
			`{"answer":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00\u0000é😀"}`,
			interaction(func(in *schemas.Interaction) { in.Answer = "\"\\/\b\f\n\r\té😀\x00é😀" }),
		},
		"lone surrogates are repaired": {
			`{"answer":"\ud800 \udc00 \ud83dx \ud83d\u0041 \ud800\ud83d\ude00"}`,
			interaction(func(in *schemas.Interaction) {
				in.Answer = "\ufffd \ufffd \ufffdx \ufffdA \ufffd😀"
				in.Repaired = true
			}),
		},
		"a written replacement character is no repair": {
			`{"answer":"\ufffd"}`, interaction(func(in *schemas.Interaction) { in.Answer = "\ufffd" }),
		},
		"unknown fields are counted": {
			`{"answer":"a","x":{"y":[1,2.5e-3,true,false,null,"s",{}]},"metadata":[[]]}`,
			interaction(func(in *schemas.Interaction) { in.UnknownFields = 2 }),
		},
		"attributes keep the text of scalars": {
			`{"answer":"a","attributes":{"s":"v","n":-1.50,"b":true,"f":false,"z":null}}`,
			interaction(func(in *schemas.Interaction) {
				in.Attributes = map[string]string{"s": "v", "n": "-1.50", "b": "true", "f": "false"}
			}),
		},
		"packed logprobs": { // -1, NaN, -Inf, +1 as little-endian float32
			`{"answer":"a","top_k":1,"token_logprobs":"AACAvwAAwH8AAID/AACAPw=="}`,
			interaction(func(in *schemas.Interaction) {
				in.Logprobs = schemas.Logprobs{TopK: 1, Values: []float32{-1, nan, -100, 0}}
			}),
		},
		"packed outranks the OpenAI shape": {
			`{"answer":"a","token_logprobs":"AACAvw==","logprobs":{"content":[{"token":"a","logprob":-3,"top_logprobs":[{"logprob":-3}]}]}}`,
			interaction(func(in *schemas.Interaction) { in.Logprobs = schemas.Logprobs{Values: []float32{-1}} }),
		},
		"unknown temperature": {`{"answer":"a","temperature":-0.5}`, interaction(func(*schemas.Interaction) {})},
		"temperature":         {`{"answer":"a","temperature":7e-1}`, interaction(func(in *schemas.Interaction) { in.Temperature = 0.7 })},
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
			require.Empty(t, cmp.Diff(c.want, got, same()))
			requireOracle(t, []byte(c.raw))
		})
	}
}

// nested is an unknown field of n lists within each other, in an interaction.
func nested(n int) string {
	return `{"answer":"a","x":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
}

func TestDecodeRefuses(t *testing.T) {
	many := func(item string, n int) string { return strings.TrimSuffix(strings.Repeat(item+",", n), ",") }
	cases := []struct{ name, raw, reason, field string }{
		{"nothing", "", ReasonSyntax, ""},
		{"white space", " \n", ReasonSyntax, ""},
		{"null", "null", ReasonWrongType, ""},
		{"list", "[]", ReasonWrongType, ""},
		{"string", `"x"`, ReasonWrongType, ""},
		{"words", "hello", ReasonSyntax, ""},
		{"byte order mark", "\xef\xbb\xbf{}", ReasonSyntax, ""},
		{"UTF-16", "{\x00\"\x00}\x00", ReasonSyntax, ""},
		{"open object", `{"answer":"a"`, ReasonSyntax, ""},
		{"open string", `{"answer":"a`, ReasonSyntax, "answer"},
		{"open escape", `{"answer":"a\`, ReasonSyntax, "answer"},
		{"no such escape", `{"answer":"\x41"}`, ReasonSyntax, "answer"},
		{"short unicode escape", `{"answer":"\u12"}`, ReasonSyntax, "answer"},
		{"trailing comma", `{"answer":"a",}`, ReasonSyntax, ""},
		{"trailing comma in a list", `{"answer":"a","tags":["x",]}`, ReasonSyntax, "tags"},
		{"leading comma", `{,"answer":"a"}`, ReasonSyntax, ""},
		{"single quotes", `{'answer':'a'}`, ReasonSyntax, ""},
		{"no colon", `{"answer" "a"}`, ReasonSyntax, ""},
		{"comment", `{"answer":"a"/*x*/}`, ReasonSyntax, ""},
		{"NaN", `{"answer":"a","temperature":NaN}`, ReasonSyntax, "temperature"},
		{"Infinity", `{"answer":"a","x":Infinity}`, ReasonSyntax, ""},
		{"minus infinity", `{"answer":"a","temperature":-Infinity}`, ReasonSyntax, "temperature"},
		{"leading zero", `{"answer":"a","temperature":01}`, ReasonSyntax, "temperature"},
		{"plus sign", `{"answer":"a","temperature":+1}`, ReasonSyntax, "temperature"},
		{"bare point", `{"answer":"a","temperature":1.}`, ReasonSyntax, "temperature"},
		{"bare exponent", `{"answer":"a","temperature":1e}`, ReasonSyntax, "temperature"},
		{"bare minus", `{"answer":"a","x":-}`, ReasonSyntax, ""},
		{"half a word", `{"answer":"a","streamed":tru}`, ReasonSyntax, "streamed"},
		{"trailing value", `{"answer":"a"}{}`, ReasonTrailingBytes, ""},
		{"trailing NUL", "{\"answer\":\"a\"}\x00", ReasonTrailingBytes, ""},
		{"too large", `{"answer":"` + strings.Repeat("a", DefaultMaxBytes) + `"}`, ReasonTooLarge, ""},
		{"too deep", nested(DefaultMaxDepth), ReasonTooDeep, ""},
		{"much too deep", `{"x":` + strings.Repeat("[", 500_000), ReasonTooDeep, ""},
		{"too many tags", `{"answer":"a","tags":[` + many(`""`, MaxTags+1) + `]}`, ReasonTooMany, "tags"},
		{"too many sources", `{"answer":"a","sources":[` + many(`""`, MaxSources+1) + `]}`, ReasonTooMany, "sources"},
		{"too many messages", `{"answer":"a","messages":[` + many(`{}`, MaxMessages+1) + `]}`, ReasonTooMany, "messages"},
		{"no UTF-8", "{\"answer\":\"a\xff\"}", ReasonBadUTF8, "answer"},
		{"overlong", "{\"answer\":\"\xc0\xaf\"}", ReasonBadUTF8, "answer"},
		{"surrogate bytes", "{\"answer\":\"\xed\xa0\x80\"}", ReasonBadUTF8, "answer"},
		{"cut character", "{\"answer\":\"\xe2\x82\"}", ReasonBadUTF8, "answer"},
		{"character cut by an escape", "{\"answer\":\"\xe2\x82\\n\"}", ReasonBadUTF8, "answer"},
		{"no UTF-8 in what is ignored", "{\"answer\":\"a\",\"x\":[\"\xff\"]}", ReasonBadUTF8, ""},
		{"no UTF-8 in a name", "{\"answer\":\"a\",\"\xff\":1}", ReasonBadUTF8, ""},
		{"line break in a string", "{\"answer\":\"a\nb\"}", ReasonControlCharacter, "answer"},
		{"control character after an escape", "{\"answer\":\"\\n\x01\"}", ReasonControlCharacter, "answer"},
		{"duplicate answer", `{"answer":"a","answer":"b"}`, ReasonDuplicateKey, "answer"},
		{"duplicate by escape", `{"tenant":"a","answer":"a","\u0074enant":"b"}`, ReasonDuplicateKey, "tenant"},
		{"duplicate of null", `{"tenant":null,"answer":"a","tenant":"b"}`, ReasonDuplicateKey, "tenant"},
		{"duplicate unknown", `{"answer":"a","x":1,"x":2}`, ReasonDuplicateKey, ""},
		{"duplicate in a source", `{"answer":"a","sources":[{"id":"1","id":"2"}]}`, ReasonDuplicateKey, "sources"},
		{"duplicate source", `{"answer":"a","sources":{"1":"x","1":"y"}}`, ReasonDuplicateKey, "sources"},
		{"duplicate attribute", `{"answer":"a","attributes":{"k":null,"k":"v"}}`, ReasonDuplicateKey, "attributes"},
		{"duplicate in what is ignored", `{"answer":"a","x":{"k":{"a":1,"a":2}}}`, ReasonDuplicateKey, ""},
		{"case variant", `{"answer":"a","Tenant":"other"}`, ReasonCaseVariant, "tenant"},
		{"case variant beside it", `{"answer":"a","ANSWER":"b"}`, ReasonCaseVariant, "answer"},
		{"case variant by a fold", `{"answer":"a","ſervice":"x"}`, ReasonCaseVariant, "service"},
		{"no answer", `{"interaction_id":"i"}`, ReasonMissingAnswer, "answer"},
		{"null answer", `{"answer":null}`, ReasonMissingAnswer, "answer"},
		{"numeric answer", `{"answer":5}`, ReasonWrongType, "answer"},
		{"structured answer", `{"answer":{"text":"a"}}`, ReasonWrongType, "answer"},
		{"numeric id", `{"answer":"a","interaction_id":7}`, ReasonWrongType, "interaction_id"},
		{"numeric source id", `{"answer":"a","sources":[{"id":7}]}`, ReasonWrongType, "sources"},
		{"null source", `{"answer":"a","sources":[null]}`, ReasonWrongType, "sources"},
		{"numeric sources", `{"answer":"a","sources":7}`, ReasonWrongType, "sources"},
		{"tags string", `{"answer":"a","tags":"medical"}`, ReasonWrongType, "tags"},
		{"null tag", `{"answer":"a","tags":[null]}`, ReasonWrongType, "tags"},
		{"messages string", `{"answer":"a","messages":"hi"}`, ReasonWrongType, "messages"},
		{"message string", `{"answer":"a","messages":["hi"]}`, ReasonWrongType, "messages"},
		{"content number", `{"answer":"a","messages":[{"content":1}]}`, ReasonWrongType, "messages"},
		{"prompt list", `{"answer":"a","prompt":["p"]}`, ReasonWrongType, "prompt"},
		{"streamed string", `{"answer":"a","streamed":"true"}`, ReasonWrongType, "streamed"},
		{"temperature string", `{"answer":"a","temperature":"0.7"}`, ReasonWrongType, "temperature"},
		{"temperature beyond floats", `{"answer":"a","temperature":1e400}`, ReasonOutOfRange, "temperature"},
		{"score beyond floats", `{"answer":"a","sources":[{"score":-1e400}]}`, ReasonOutOfRange, "sources"},
		{"attribute list", `{"answer":"a","attributes":{"k":[]}}`, ReasonWrongType, "attributes"},
		{"attributes list", `{"answer":"a","attributes":[]}`, ReasonWrongType, "attributes"},
		{"top_k fraction", `{"answer":"a","top_k":1.0}`, ReasonWrongType, "top_k"},
		{"top_k negative", `{"answer":"a","top_k":-1}`, ReasonOutOfRange, "top_k"},
		{"top_k beyond integers", `{"answer":"a","top_k":99999999999999999999}`, ReasonOutOfRange, "top_k"},
		{"packed no base64", `{"answer":"a","token_logprobs":"*"}`, ReasonBadLogprobs, "token_logprobs"},
		{"packed half a value", `{"answer":"a","token_logprobs":"AAA="}`, ReasonBadLogprobs, "token_logprobs"},
		{"packed half a row", `{"answer":"a","top_k":1,"token_logprobs":"AACAvw=="}`, ReasonBadLogprobs, "token_logprobs"},
		{"logprobs list", `{"answer":"a","logprobs":[]}`, ReasonWrongType, "logprobs"},
		{"logprob string", `{"answer":"a","logprobs":{"content":[{"logprob":"NaN"}]}}`, ReasonWrongType, "logprobs"},
		{"logprob NaN", `{"answer":"a","logprobs":{"content":[{"logprob":NaN}]}}`, ReasonSyntax, "logprobs"},
		{"token bytes out of range", `{"answer":"a","logprobs":{"content":[{"bytes":[256]}]}}`, ReasonOutOfRange, "logprobs"},
	}
	d := NewDecoder(Options{})
	seen := map[string]bool{}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var in schemas.Interaction
			err := d.Decode([]byte(c.raw), &in)
			require.Equal(t, c.reason, reason(t, err))
			var refused *Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.field, refused.Field)
			require.LessOrEqual(t, refused.Offset, len(c.raw))
			require.Error(t, oracleDecode([]byte(c.raw), &in))
			seen[c.reason] = true
		})
	}
	for _, r := range Reasons() {
		require.True(t, seen[r], "no case for the reason %s", r)
	}
}

func TestDecodeLimits(t *testing.T) {
	var in schemas.Interaction
	d := NewDecoder(Options{})
	require.NoError(t, d.Decode([]byte(nested(DefaultMaxDepth-1)), &in))
	small := NewDecoder(Options{MaxBytes: 14, MaxDepth: 1})
	require.NoError(t, small.Decode([]byte(`{"answer":"a"}`), &in))
	require.Equal(t, ReasonTooLarge, reason(t, small.Decode([]byte(`{"answer":"ab"}`), &in)))
	require.Equal(t, ReasonTooDeep, reason(t, NewDecoder(Options{MaxDepth: 1}).Decode([]byte(`{"answer":"a","tags":[]}`), &in)))
}

// The errors reach logs and dead-letter headers: none may carry what the record said.
func TestErrorHoldsNoPayload(t *testing.T) {
	const secret = "hunter2"
	d := NewDecoder(Options{})
	for _, raw := range []string{
		`{"answer":"a","` + secret + `":1,"` + secret + `":2}`,
		`{"answer":"` + secret + "\x01",
		`{"answer":"a","occurred_at":"` + secret + `"}`,
		`{"answer":"a","temperature":"` + secret + `"}`,
		`{"answer":"a","token_logprobs":"` + secret + `"}`,
		`{"answer":"` + secret + `"} ` + secret,
	} {
		var in schemas.Interaction
		err := d.Decode([]byte(raw), &in)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), `\x`)
	}
	var f schemas.Flag
	for _, raw := range []string{
		`{"detected_at":"` + secret + `"}`, `{"pass":{"` + secret + `":1}}`, `{"shed_level":"` + secret + `"}`,
		`{"shed_level":31337.5}`, `{"attributes":{"` + secret + `":1}}`,
	} {
		err := DecodeFlag([]byte(raw), &f)
		reason(t, err)
		require.Error(t, err)
		require.NotContains(t, err.Error(), secret)
		require.NotContains(t, err.Error(), "31337")
	}
}

func TestDecodeTime(t *testing.T) {
	cases := map[string]string{ // "" = refused, "0" = the unknown time
		`"2026-11-21T10:00:00Z"`:              "2026-11-21T10:00:00Z",
		`"2026-11-21t10:00:00z"`:              "2026-11-21T10:00:00Z",
		`"2026-11-21 10:00:00+00:00"`:         "2026-11-21T10:00:00Z",
		`"2026-11-21T10:00:00.123456789123Z"`: "2026-11-21T10:00:00.123456789Z",
		`"2026-11-21T00:30:00+05:30"`:         "2026-11-20T19:00:00Z",
		`"2026-11-21T10:00:00-23:59"`:         "2026-11-22T09:59:00Z",
		`"2016-12-31T23:59:60Z"`:              "2017-01-01T00:00:00Z",
		`"2024-02-29T00:00:00Z"`:              "2024-02-29T00:00:00Z",
		`"0001-01-01T00:00:00Z"`:              "0",
		`"9999-12-31T23:59:59.999999999Z"`:    "9999-12-31T23:59:59.999999999Z",
		`1795255200000`:                       "2026-11-21T10:00:00Z",
		`-1`:                                  "1969-12-31T23:59:59.999Z",
		`0`:                                   "0",
		`253402300799999`:                     "9999-12-31T23:59:59.999Z",
		`""`:                                  "",
		`"2026-11-21"`:                        "",
		`"2026-11-21T10:00:00"`:               "",
		`"2026-11-21T10:00:00,5Z"`:            "",
		`"2026-11-21T10:00:00.Z"`:             "",
		`"2026-11-21T1:00:00Z"`:               "",
		`"2026-11-21T24:00:00Z"`:              "",
		`"2026-11-21T10:60:00Z"`:              "",
		`"2026-11-21T10:00:61Z"`:              "",
		`"2026-13-01T10:00:00Z"`:              "",
		`"2026-00-01T10:00:00Z"`:              "",
		`"2026-02-29T10:00:00Z"`:              "",
		`"2026-11-21T10:00:00+24:00"`:         "",
		`"2026-11-21T10:00:00+05:60"`:         "",
		`"2026-11-21T10:00:00+0500"`:          "",
		`"0001-01-01T00:00:00+01:00"`:         "",
		`"0000-06-01T00:00:00Z"`:              "",
		`"9999-12-31T23:59:59-01:00"`:         "",
		`253402300800000`:                     "",
		`9223372036854775807`:                 "",
		`-62135596800001`:                     "",
	}
	d := NewDecoder(Options{})
	for v, want := range cases {
		t.Run(v, func(t *testing.T) {
			raw := []byte(`{"answer":"a","occurred_at":` + v + `}`)
			var in schemas.Interaction
			err := d.Decode(raw, &in)
			requireOracle(t, raw)
			if want == "" {
				require.Equal(t, ReasonOutOfRange, reason(t, err))
				return
			}
			require.NoError(t, err)
			if want == "0" {
				require.True(t, in.OccurredAt.IsZero())
				return
			}
			require.Equal(t, want, in.OccurredAt.Format(time.RFC3339Nano))
		})
	}
}

// requireOracle holds the decoder's answer to raw against the oracle's.
func requireOracle(t testing.TB, raw []byte) {
	t.Helper()
	var got, want schemas.Interaction
	err := NewDecoder(Options{}).Decode(raw, &got)
	reason(t, err)
	wantErr := oracleDecode(raw, &want)
	require.Equal(t, wantErr == nil, err == nil, "oracle: %v, decoder: %v", wantErr, err)
	if err == nil {
		got.Repaired = false // encoding/json does not tell
		require.Empty(t, cmp.Diff(want, got, same()))
	}
}
