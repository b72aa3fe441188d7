package json

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// malformedCases are records of the answer "a" and one malformed optional field.
func malformedCases() []struct{ name, raw, field string } {
	return []struct{ name, raw, field string }{
		{"null source", `{"answer":"a","sources":[null]}`, "sources"},
		{"numeric sources", `{"answer":"a","sources":7}`, "sources"},
		{"tags object", `{"answer":"a","tags":{}}`, "tags"},
		{"null tag", `{"answer":"a","tags":[null]}`, "tags"},
		{"messages number", `{"answer":"a","messages":7}`, "messages"},
		{"null message", `{"answer":"a","messages":[null]}`, "messages"},
		{"message of lists", `{"answer":"a","messages":[[[]],true]}`, "messages"},
		{"content true", `{"answer":"a","messages":[{"content":true}]}`, "messages"},
		{"source true", `{"answer":"a","sources":[true]}`, "sources"},
		{"texts true", `{"answer":"a","sources":{"a":true}}`, "sources"},
		{"prompt list", `{"answer":"a","prompt":["p"]}`, "prompt"},
		{"streamed string", `{"answer":"a","streamed":"yes"}`, "streamed"},
		{"temperature string", `{"answer":"a","temperature":"warm"}`, "temperature"},
		{"temperature beyond floats", `{"answer":"a","temperature":1e400}`, "temperature"},
		{"attributes list", `{"answer":"a","attributes":[]}`, "attributes"},
		{"time list", `{"answer":"a","occurred_at":[]}`, "occurred_at"},
		{"time text", `{"answer":"a","occurred_at":"nan"}`, "occurred_at"},
		{"top_k string", `{"answer":"a","top_k":"five"}`, "top_k"},
		{"top_k fraction", `{"answer":"a","top_k":1.5}`, "top_k"},
		{"top_k negative", `{"answer":"a","top_k":-1}`, "top_k"},
		{"top_k beyond integers", `{"answer":"a","top_k":99999999999999999999}`, "top_k"},
		{"packed is not base64", `{"answer":"a","token_logprobs":"*"}`, "token_logprobs"},
		{"packed half a value", `{"answer":"a","token_logprobs":"AAA="}`, "token_logprobs"},
		{"packed half a row", `{"answer":"a","top_k":1,"token_logprobs":"AACAvw=="}`, "token_logprobs"},
		{"logprobs list", `{"answer":"a","logprobs":[]}`, "logprobs"},
		{"logprob string", `{"answer":"a","logprobs":{"content":[{"logprob":"NaN"}]}}`, "logprobs"},
		{"token bytes out of range", `{"answer":"a","logprobs":{"content":[{"bytes":[256]}]}}`, "logprobs"},
		{"time without a zone", `{"answer":"a","occurred_at":"2026-11-21T10:00:00"}`, "occurred_at"},
		{"time past year 9999", `{"answer":"a","occurred_at":1e20}`, "occurred_at"},
		{"logprobs as text", `{"answer":"a","logprobs":"-0.1,-0.2"}`, "logprobs"},
		{"logprobs numbers", `{"answer":"a","logprobs":[-0.1,-0.2]}`, "logprobs"},
		{"too many alternatives", `{"answer":"a","logprobs":{"content":[{"logprob":-1,"top_logprobs":[` +
			strings.Repeat(`{"logprob":-1},`, recordformat.MaxTopK) + `{}]}]}}`, "logprobs"},
		{"many names in what is skipped", `{"answer":"a","sources":[{"text":{` + numberedMembers(manyMembers) + `,"text":[]}}]}`, "sources"},
	}
}

// A malformed optional field costs that field only: it stays empty and is named, and what follows it is read.
func TestDecodeMalformed(t *testing.T) {
	d := NewDecoder(Options{})
	var in schemas.Interaction // one for all: a malformed field leaves no trace in the next
	for _, c := range malformedCases() {
		t.Run(c.name, func(t *testing.T) {
			raw := strings.TrimSuffix(c.raw, "}") + `,"service":"s\u0074","conversation_id":"c"}`
			require.NoError(t, d.Decode([]byte(raw), &in))
			want := decodeText(func(in *schemas.Interaction) {
				in.Service, in.ConversationID, in.Malformed = "st", "c", []string{c.field}
			})
			require.Empty(t, cmp.Diff(want, in, requireEqual()))
			requireOracle(t, []byte(raw))
			require.NoError(t, d.Decode([]byte(`{"answer":"a"}`), &in))
			require.Empty(t, cmp.Diff(decodeText(func(*schemas.Interaction) {}), in, requireEqual()))
		})
	}
}

func TestDecodeMalformedTogether(t *testing.T) {
	tests := []struct {
		name, raw string
		malformed []string
		rows      int // of log probabilities
	}{
		{"several", `{"answer":"a","tags":5,"model":[],"temperature":"hot","streamed":1}`, []string{"tags", "model", "temperature", "streamed"}, 0},
		{"packed without its width", `{"answer":"a","top_k":"x","token_logprobs":"AACAvwAAgL8="}`, []string{"top_k", "token_logprobs"}, 0},
		{"the other form is read", `{"answer":"a","token_logprobs":"*","logprobs":{"content":[{"token":"a","logprob":-1}]}}`, []string{"token_logprobs"}, 1},
		{"packed outranks a malformed form", `{"answer":"a","token_logprobs":"AACAvw==","logprobs":"x"}`, []string{"logprobs"}, 1},
	}
	var in schemas.Interaction
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, NewDecoder(Options{}).Decode([]byte(tt.raw), &in))
			require.Equal(t, tt.malformed, in.Malformed)
			require.Equal(t, tt.rows, in.Logprobs.Rows())
			requireOracle(t, []byte(tt.raw))
		})
	}
}

// A malformed member of a source or message, tag or attribute costs that value, and is named.
func TestDecodeMalformedMember(t *testing.T) {
	type in = schemas.Interaction
	text := func(s schemas.Source) func(*in) {
		return func(in *in) { s.Text = "t"; in.Sources = []schemas.Source{s} }
	}
	tests := []struct {
		raw, malformed string
		set            func(*in)
	}{
		{`"sources":[{"text":"t","score":"0.9"}]`, "", text(schemas.Source{Score: .9})},
		{`"sources":[{"text":"t","score":" 1e-1 "}]`, "", text(schemas.Source{Score: .1})},
		{`"sources":[{"score":"high","text":"t"}]`, "sources.score", text(schemas.Source{})},
		{`"sources":[{"score":"NaN","text":"t"}]`, "sources.score", text(schemas.Source{})},
		{`"sources":[{"score":-1e400,"text":"t"}]`, "sources.score", text(schemas.Source{})},
		{`"sources":[{"score":[0.9],"text":"t"}]`, "sources.score", text(schemas.Source{})},
		{`"sources":[{"text":"t","title":3}]`, "", text(schemas.Source{Title: "3"})},
		{`"sources":[{"text":"t","title":{"a":1}}]`, "sources.title", text(schemas.Source{})},
		{`"sources":[{"text":"t","uri":["a"]}]`, "sources.uri", text(schemas.Source{})},
		{`"sources":[{"text":"t","id":1}]`, "", text(schemas.Source{ID: "1"})},
		{`"sources":[{"text":"t","id":true}]`, "sources.id", text(schemas.Source{})},
		{`"sources":[{"text":"t"},null]`, "sources.text", text(schemas.Source{})},
		{`"sources":[null,"t",{"text":[false]}]`, "sources.text", func(in *in) { in.Sources = []schemas.Source{{}, {Text: "t"}} }},
		{`"sources":[{"text":"t"},{"text":[false]},true]`, "sources.text", text(schemas.Source{})},
		{`"sources":[{"text":["t"]}]`, "", text(schemas.Source{})},
		{`"sources":[{"text":{"a":1},"content":"t"}]`, "", text(schemas.Source{})},
		{`"sources":{"a":"t","b":false}`, "sources.text", text(schemas.Source{ID: "a"})},
		{`"sources":[{"text":5},{"text":"t","id":{},"uri":[],"score":{}}]`, "sources.id,sources.uri,sources.score", func(in *in) {
			in.Sources = []schemas.Source{{Text: "5"}, {Text: "t"}}
		}},
		{`"messages":"hi"`, "", func(in *in) { in.Messages = []schemas.Message{{Role: "user", Content: "hi"}} }},
		{`"messages":["hi"]`, "", func(in *in) { in.Messages = []schemas.Message{{Role: "user", Content: "hi"}} }},
		{`"messages":[{"role":{},"content":1}]`, "messages.role", func(in *in) { in.Messages = []schemas.Message{{Content: "1"}} }},
		{`"messages":[{"role":"user","content":"q"},{"role":"tool","content":[{"text":"x"},5]}]`, "messages.content", func(in *in) {
			in.Messages = []schemas.Message{{Role: "user", Content: "q"}, {Role: "tool"}}
		}},
		{`"messages":[{"role":"user","content":{"type":"text","text":"q"}}]`, "", func(in *in) {
			in.Messages = []schemas.Message{{Role: "user", Content: "q"}}
		}},
		{`"tags":"medical"`, "", func(in *in) { in.Tags = []string{"medical"} }},
		{`"tags":["a",null,7]`, "tags", func(in *in) { in.Tags = []string{"a", "7"} }},
		{`"attributes":{"k":"v","l":{}}`, "attributes", func(in *in) { in.Attributes = map[string]string{"k": "v"} }},
		{`"temperature":"0.7"`, "", func(in *in) { in.Temperature = .7 }},
		{`"streamed":"True"`, "", func(in *in) { in.Streamed = true }},
		{`"top_k":"1.0","token_logprobs":"AACAvwAAgL8="`, "", func(in *in) { in.Logprobs = schemas.Logprobs{TopK: 1, Values: []float32{-1, -1}} }},
		{`"model":4`, "", func(in *in) { in.Model = "4" }},
		{`"interaction_id":17`, "", func(in *in) { in.ID = "17" }},
	}
	for _, tt := range tests {
		t.Run(tt.raw, func(t *testing.T) {
			raw := []byte(`{` + tt.raw + `,"answer":"a"}`)
			want := decodeText(func(in *schemas.Interaction) {
				if tt.set(in); tt.malformed != "" {
					in.Malformed = strings.Split(tt.malformed, ",")
				}
			})
			var in schemas.Interaction
			require.NoError(t, NewDecoder(Options{}).Decode(raw, &in))
			require.Empty(t, cmp.Diff(want, in, requireEqual()))
			require.Subset(t, schemas.MalformedNames(), in.Malformed)
			requireOracle(t, raw)
			field, _, _ := strings.Cut(tt.raw[1:], `"`)
			if strings.Contains(tt.raw, "token_logprobs") || strings.Contains(tt.raw, `"content":"t"`) {
				return // two fields, and a name that maps do not guess
			}
			mapped := newMapping(t, map[string]string{"answer": "/answer", field: "/" + field})
			require.NoError(t, mapped.Decode(raw, &in))
			require.Empty(t, cmp.Diff(want, in, requireEqual()), "by a map")
		})
	}
}

// Faults of the whole record within or after a malformed field still refuse it.
func TestDecodeMalformedStillRefuses(t *testing.T) {
	tests := []struct{ name, raw, reason, field string }{
		{"syntax within", `{"answer":"a","tags":[5,}`, scan.ReasonSyntax, "tags"},
		{"syntax after", `{"answer":"a","tags":5`, scan.ReasonSyntax, ""},
		{"bad UTF-8 within", "{\"answer\":\"a\",\"tags\":[5,\"\xff\"]}", scan.ReasonBadUTF8, "tags"},
		{"duplicate within", `{"answer":"a","tags":{"x":1,"x":2}}`, scan.ReasonDuplicateKey, "tags"},
		{"duplicate after", `{"answer":"a","tags":5,"tags":[]}`, scan.ReasonDuplicateKey, "tags"},
		{"too deep within", `{"answer":"a","model":` + strings.Repeat("[", 40), scan.ReasonTooDeep, "model"},
		{"no answer", `{"tags":5}`, scan.ReasonMissingAnswer, "answer"},
		{"malformed answer", `{"tags":5,"answer":5}`, scan.ReasonWrongType, "answer"},
		{"trailing", `{"answer":"a","tags":5} x`, scan.ReasonTrailingBytes, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in schemas.Interaction
			err := NewDecoder(Options{}).Decode([]byte(tt.raw), &in)
			require.Equal(t, tt.reason, errorReason(t, err))
			var refused *scan.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, tt.field, refused.Field)
		})
	}
}

func TestUnknownNames(t *testing.T) {
	var in schemas.Interaction
	d := NewDecoder(Options{})
	require.NoError(t, d.Decode([]byte(`{"x":[1,"\u0061"],"\u0079":{"z":1},"answer":"a"}`), &in))
	require.Equal(t, []string{"x", "y"}, in.UnknownNames)
	many := map[string]any{"answer": "a"}
	for i := range 2 * schemas.MaxUnknownNames {
		many[strings.Repeat("x", i+1)] = i
	}
	raw, err := json.Marshal(many)
	require.NoError(t, err)
	require.NoError(t, d.Decode(raw, &in))
	require.Len(t, in.UnknownNames, schemas.MaxUnknownNames)
	require.Equal(t, 2*schemas.MaxUnknownNames, in.UnknownFields)
	require.NoError(t, d.Decode([]byte(`{"answer":"a"}`), &in))
	require.Empty(t, in.UnknownNames)
}

// What a map does not require costs the field; what it requires refuses the record, and so does the identity.
func TestMappingMalformed(t *testing.T) {
	entries := map[string]string{
		"answer": "/a", "model": "/m", "sources": "text=t /s", "attributes.x": "/x", "attributes.y": "/y", "messages": "/q", "occurred_at": "/at",
		"tenant": "/tenant",
	}
	var in schemas.Interaction
	m := newMapping(t, entries)
	require.NoError(t, m.Decode([]byte(`{"m":{},"s":[{"t":false}],"x":"1","y":[],"at":"2026-01-01T00:00:00","q":[{"content":"c"}],"a":"ok"}`), &in))
	want := decodeText(func(in *schemas.Interaction) {
		in.Answer, in.Attributes = "ok", map[string]string{"x": "1"}
		in.Messages = []schemas.Message{{Content: "c"}}
		in.Malformed = []string{"attributes", "model", "occurred_at", "sources"}
	})
	require.Empty(t, cmp.Diff(want, in, requireEqual()))
	require.Equal(t, scan.ReasonWrongType, errorReason(t, m.Decode([]byte(`{"a":"ok","tenant":{}}`), &in)))
}

func TestMappingRefusesMalformedRequired(t *testing.T) {
	m := newMapping(t, map[string]string{
		"answer": "/a", "model": "required /m", "occurred_at": "required /at", "token_logprobs": "required /l",
	})
	tests := []struct{ name, raw, reason, field string }{
		{"type", `{"a":"x","m":{},"at":1,"l":""}`, scan.ReasonWrongType, "model"},
		{"range", `{"a":"x","m":"","at":"2026-01-01T00:00:00","l":""}`, scan.ReasonOutOfRange, "occurred_at"},
		{"rows", `{"a":"x","m":"","at":1,"l":"*"}`, scan.ReasonBadLogprobs, "token_logprobs"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in schemas.Interaction
			err := m.Decode([]byte(tt.raw), &in)
			require.Equal(t, tt.reason, errorReason(t, err))
			var refused *scan.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, tt.field, refused.Field)
		})
	}
}
