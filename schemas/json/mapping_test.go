package json

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

func newMapping(t testing.TB, entries map[string]string) *Mapping {
	t.Helper()
	m, err := NewMapping(entries)
	require.NoError(t, err)
	return m
}

func TestMappingDecodes(t *testing.T) {
	tests := []struct {
		name    string
		entries map[string]string
		raw     string
		want    func(*schemas.Interaction)
	}{
		{
			"texts",
			map[string]string{"answer": "/a", "interaction_id": "/id", "tenant": "/t/name", "model": "/m"},
			`{"t":{"name":"acme","x":1},"a":"yes","id":42,"m":null,"answer":"other","tenant":"other"}`,
			func(in *schemas.Interaction) { in.Answer, in.ID, in.Tenant = "yes", "42", "acme" },
		},
		{
			"items of lists",
			map[string]string{"answer": "/choices/0/message/content", "finish_reason": "/choices/1/finish_reason"},
			`{"choices":[{"message":{"content":"first"},"finish_reason":"no"},{"message":{"content":"second"},"finish_reason":"stop"},{}]}`,
			func(in *schemas.Interaction) { in.Answer, in.FinishReason = "first", "stop" },
		},
		{
			"passages in columns, with their titles",
			map[string]string{"answer": "/a", "sources": "text=/p1 title=/t1 whole + text=/p2 title=/t2 whole"},
			`{"a":"yes","p1":"One.","t1":"First","p2":"","t2":""}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Sources = "yes", []schemas.Source{{Text: "One.", Title: "First"}}
			},
		},
		{
			"digits name members too",
			map[string]string{"answer": "/0", "model": "/l/01"},
			`{"0":"zero","l":["a","b"]}`,
			func(in *schemas.Interaction) { in.Answer = "zero" },
		},
		{
			"escaped names",
			map[string]string{"answer": "/a~1b/c~0d", "model": "/~01", "service": "/"},
			`{"a/b":{"c~d":"x"},"~1":"m","":"s"}`,
			func(in *schemas.Interaction) { in.Answer, in.Model, in.Service = "x", "m", "s" },
		},
		{
			"one place for two fields, and one within",
			map[string]string{
				"answer": "/r/text", "response_schema": "/r", "attributes.text": "/r/text", "interaction_id": "/r/text",
			},
			`{"r": {"text":"\u0061b"} }`,
			func(in *schemas.Interaction) {
				in.Answer, in.ID, in.ResponseSchema, in.Attributes = "ab", "ab", `{"text":"\u0061b"}`, map[string]string{"text": "ab"}
			},
		},
		{
			"parts of an answer",
			map[string]string{"answer": "/content"},
			`{"content":[{"type":"text","text":"a"},{"type":"tool_use","input":{}},{"type":"text","text":"b"}]}`,
			func(in *schemas.Interaction) { in.Answer = "a\nb" },
		},
		{
			"a prompt as messages",
			map[string]string{"answer": "/a", "messages": "/m", "prompt": "/p"},
			`{"m":"hi","a":"","p":"not"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "", []schemas.Message{{Role: "user", Content: "hi"}}
			},
		},
		{
			"what the decoder converts",
			map[string]string{
				"answer": "/o/answer", "messages": "/i/m", "sources": "/i/docs", "tags": "/i/tags", "temperature": "/i/t", "streamed": "/i/s",
				"logprobs": "/o/lp", "attributes": "/x",
			},
			`{"i":{"m":[{"role":"user","content":"q"}],"docs":{"7":"seven"},"tags":["a"],"t":0.5,"s":true},"x":{"n":1},
				"o":{"lp":{"content":[{"token":"ye","logprob":-1},{"token":"s","logprob":-2}]},"answer":"yes"}}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Tags, in.Temperature, in.Streamed = "yes", []string{"a"}, 0.5, true
				in.Messages = []schemas.Message{{Role: "user", Content: "q"}}
				in.Sources = []schemas.Source{{ID: "7", Text: "seven"}}
				in.Logprobs = schemas.Logprobs{Values: []float32{-1, -2}, Offsets: []int32{0, 2}}
				in.Attributes = map[string]string{"n": "1"}
			},
		},
		{
			"attributes one by one",
			map[string]string{"answer": "/a", "attributes.user": "/u/id", "attributes.a.b": "/u/beta", "attributes.gone": "/u/x"},
			`{"u":{"id":7,"beta":false},"a":"y"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Attributes = "y", map[string]string{"user": "7", "a.b": "false"}
			},
		},
		{
			"sources under other names",
			map[string]string{"answer": "/a", "sources": "text=content id=file_id required uri=url title=/meta/name score=rank /docs"},
			`{"docs":["one",{"content":[{"type":"text","text":"t"},{"text":"wo"}],"file_id":2,"url":"doc://2","meta":{"name":"Second"},"rank":0.5,"id":[],"text":[]},
				{"content":"three","url":null,"rank":null,"file_id":null},{"content":null}],"a":"y"}`,
			func(in *schemas.Interaction) {
				in.Answer = "y"
				in.Sources = []schemas.Source{{Text: "one"}, {ID: "2", Text: "t\nwo", URI: "doc://2", Title: "Second", Score: 0.5}, {Text: "three"}, {}}
			},
		},
		{
			"a null answer",
			map[string]string{"answer": "/a", "response_schema": "/a"},
			`{"a":null}`,
			func(in *schemas.Interaction) { in.Answer = "" },
		},
		{
			"another type on the way",
			map[string]string{"answer": "/a", "model": "/m/name", "service": "/l/0/x", "tenant": "/n/x"},
			`{"a":"y","m":"gpt","l":{"1":2},"n":null}`, func(in *schemas.Interaction) { in.Answer = "y" },
		},
		{
			"a required one that is there",
			map[string]string{"answer": "/a", "interaction_id": "required /id", "attributes.u": "  required /u"},
			`{"a":"y","id":"","u":0}`,
			func(in *schemas.Interaction) { in.Answer, in.Attributes = "y", map[string]string{"u": "0"} },
		},
	}
	var in schemas.Interaction // one for all: a record leaves no trace in the next
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, newMapping(t, tt.entries).Decode([]byte(tt.raw), &in))
			require.Empty(t, cmp.Diff(decodeText(tt.want), in, requireEqual()))
		})
	}
}

func TestMappingRefusesRecords(t *testing.T) {
	m := newMapping(t, map[string]string{
		"answer": "/r/0/text", "tenant": "required /meta/tenant", "messages": "/m", "model": "/model", "attributes.secret-name": "required /s",
		"response_schema": "/schema", "tags": "/tags", "sources": "text=content /docs",
	})
	wrap := func(members string) string {
		return `{"r":[{"text":"a"}],"meta":{"tenant":"t"},"s":"x"` + members + `}`
	}
	tests := []struct{ name, raw, reason, field string }{
		{"no answer", `{"r":[],"meta":{"tenant":"t"},"s":"x"}`, scan.ReasonUnmapped, "answer"},
		{"another shape", `{"answer":"a"}`, scan.ReasonUnmapped, "answer"},
		{"no tenant", `{"r":[{"text":"a"}],"s":"x"}`, scan.ReasonUnmapped, "tenant"},
		{"null on the way", `{"r":[{"text":"a"}],"meta":null,"s":"x"}`, scan.ReasonUnmapped, "tenant"},
		{"no attribute", `{"r":[{"text":"a"}],"meta":{"tenant":"t"}}`, scan.ReasonUnmapped, "attributes"},
		{"structured answer", `{"r":[{"text":{}}],"meta":{"tenant":"t"},"s":"x"}`, scan.ReasonWrongType, "answer"},
		{"too many sources", wrap(`,"docs":[` + strings.Repeat(`"",`, recordformat.MaxSources) + `""]`), scan.ReasonTooMany, "sources"},
		{"list", `[]`, scan.ReasonWrongType, ""},
		{"nothing", ``, scan.ReasonSyntax, ""},
		{"text", `hello`, scan.ReasonSyntax, ""},
		{"open object", `{"r":[{"text":"a"}`, scan.ReasonSyntax, ""},
		{"open answer", `{"r":[{"text":"a`, scan.ReasonSyntax, "answer"},
		{"trailing", wrap("") + "{}", scan.ReasonTrailingBytes, ""},
		{"too large", wrap(`,"x":"` + strings.Repeat("a", DefaultMaxBytes) + `"`), scan.ReasonTooLarge, ""},
		{"too deep where nothing points", wrap(`,"x":` + strings.Repeat("[", 40)), scan.ReasonTooDeep, ""},
		{"too many tags", wrap(`,"tags":[` + strings.Repeat(`"",`, recordformat.MaxTags) + `""]`), scan.ReasonTooMany, "tags"},
		{"bad UTF-8 where nothing points", wrap(",\"x\":\"\xff\""), scan.ReasonBadUTF8, ""},
		{"control character", wrap(",\"model\":\"a\nb\""), scan.ReasonControlCharacter, "model"},
		{"duplicate", wrap(`,"model":"a","model":"b"`), scan.ReasonDuplicateKey, "model"},
		{"duplicate by escape", wrap(`,"model":"a","m\u006fdel":"b"`), scan.ReasonDuplicateKey, "model"},
		{"duplicate on the way", wrap(`,"meta":{"tenant":"u"}`), scan.ReasonDuplicateKey, ""},
		{"duplicate where nothing points", wrap(`,"x":{"a":1,"a":2}`), scan.ReasonDuplicateKey, ""},
		{"case variant", `{"r":[{"text":"a"}],"meta":{"tenant":"t","Tenant":"u"},"s":"x"}`, scan.ReasonCaseVariant, "tenant"},
		{"case variant on the way", wrap(`,"META":{"tenant":"u"}`), scan.ReasonCaseVariant, ""},
		{"huge number", wrap(`,"model":01`), scan.ReasonSyntax, ""},
	}
	var in schemas.Interaction
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := m.Decode([]byte(tt.raw), &in)
			require.Equal(t, tt.reason, errorReason(t, err))
			var refused *scan.Error
			require.ErrorAs(t, err, &refused)
			require.Equal(t, tt.field, refused.Field)
			require.NotContains(t, err.Error(), "secret-name")
			require.NoError(t, m.Decode([]byte(wrap("")), &in), "a refused record leaves no trace")
		})
	}
}

func TestMappingNullAnswerIsEmpty(t *testing.T) {
	m := newMapping(t, map[string]string{"answer": "/a/b"})
	var in schemas.Interaction
	require.NoError(t, m.Decode([]byte(`{"a":{"b":null}}`), &in))
	for _, raw := range []string{`{"a":null}`, `{"a":{}}`, `{}`} {
		require.Equal(t, scan.ReasonUnmapped, errorReason(t, m.Decode([]byte(raw), &in)), raw)
	}
}

func TestMappingKeepsLimits(t *testing.T) {
	m := newMapping(t, map[string]string{"answer": "/a"})
	var in schemas.Interaction
	small := m.WithLimits(Options{MaxBytes: 9, MaxDepth: 1})
	require.NoError(t, small.Decode([]byte(`{"a":"x"}`), &in))
	require.Equal(t, scan.ReasonTooLarge, errorReason(t, small.Decode([]byte(`{"a":"xy"}`), &in)))
	require.Equal(t, scan.ReasonTooDeep, errorReason(t, small.Decode([]byte(`{"a":[]}`), &in)))
	require.NoError(t, m.Decode([]byte(`{"a":"xy"}`), &in), "the one it was made of keeps its own")
}

func TestNewMappingNamesEveryFault(t *testing.T) {
	tests := []struct {
		name    string
		entries map[string]string
		field   string
		want    string
	}{
		{"nothing", nil, "answer", "is missing"},
		{"no answer", map[string]string{"model": "/m"}, "answer", "is missing"},
		{"no field", map[string]string{"answer": "/a", "anwser": "/b"}, "anwser", "not a field of an interaction"},
		{"an attribute without a name", map[string]string{"answer": "/a", "attributes.": "/b"}, "attributes.", "not a field of an interaction"},
		{"no pointer", map[string]string{"answer": "choices"}, "answer", "expected a JSON Pointer"},
		{"the whole record", map[string]string{"answer": ""}, "answer", "expected a JSON Pointer"},
		{"a JSONPath", map[string]string{"answer": "$.choices/0"}, "answer", "write /choices/0"},
		{"a fragment", map[string]string{"answer": "#/a"}, "answer", "unknown word"},
		{"a loose tilde", map[string]string{"answer": "/a~b"}, "answer", "~0"},
		{"a tilde at the end", map[string]string{"answer": "/a~"}, "answer", "~0"},
		{"not UTF-8", map[string]string{"answer": "/\xff"}, "answer", "UTF-8"},
		{"too deep", map[string]string{"answer": strings.Repeat("/a", DefaultMaxDepth)}, "answer", "deeper"},
		{"a renamed member elsewhere", map[string]string{"answer": "text=content /a"}, "answer", "has no effect"},
		{"an unknown member of a source", map[string]string{"answer": "/a", "sources": "body=content /s"}, "sources", "has no effect"},
		{"a member without a name", map[string]string{"answer": "/a", "sources": "text= /s"}, "sources", "has no effect"},
		{"an unknown word", map[string]string{"answer": "optional /a"}, "answer", "unknown word"},
		{"attributes twice", map[string]string{"answer": "/a", "attributes": "/m", "attributes.u": "/u"}, "attributes.u", "keep one"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := NewMapping(tt.entries)
			var fault *MappingError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, tt.field, fault.Field)
			require.Contains(t, fault.Message, tt.want)
		})
	}
	many := map[string]string{"answer": "/a"}
	for i := range MaxMapped {
		many[fmt.Sprintf("attributes.%d", i)] = "/x"
	}
	_, err := NewMapping(many)
	require.ErrorContains(t, err, "keep at most 64")
	delete(many, "attributes.0")
	_, err = NewMapping(many)
	require.NoError(t, err)

	_, err = NewMapping(map[string]string{"answer": "a", "model": "b", "time": "/c"})
	var all interface{ Unwrap() []error }
	require.ErrorAs(t, err, &all)
	require.Len(t, all.Unwrap(), 3)
}
