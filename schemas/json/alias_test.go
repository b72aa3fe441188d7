package json

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestAliases(t *testing.T) {
	text := func(list ...string) (sources []schemas.Source) {
		for _, s := range list {
			sources = append(sources, schemas.Source{Text: s})
		}
		return sources
	}
	asked := func(q string) []schemas.Message { return []schemas.Message{{Role: "user", Content: q}} }
	unknown := func(in *schemas.Interaction, names ...string) {
		in.UnknownFields, in.UnknownNames = len(names), names
	}
	tests := []struct {
		name, raw string
		want      func(*schemas.Interaction)
	}{
		{"Ragas before 0.2", `{"question":"q","contexts":["one","two"],"answer":"a"}`, func(in *schemas.Interaction) {
			in.Sources, in.Messages = text("one", "two"), asked("q")
		}},
		{"Ragas", `{"user_input":"q","retrieved_contexts":["\u006fne"],"response":"a","reference":"r"}`, func(in *schemas.Interaction) {
			in.Sources, in.Messages = text("one"), asked("q")
			unknown(in, "reference")
		}},
		{"DeepEval", `{"retrieval_context":["one"],"actual_output":"a","input":"q"}`, func(in *schemas.Interaction) {
			in.Sources, in.Messages = text("one"), asked("q")
		}},
		{"an input that is not a text", `{"context":"one","input":[{"role":"user"}],"answer":"a"}`, func(in *schemas.Interaction) {
			in.Sources = text("one")
			unknown(in, "input")
		}},
		{"a context of one text", `{"context":"one","query":"q","response":"a"}`, func(in *schemas.Interaction) {
			in.Sources, in.Messages = text("one"), asked("q")
		}},
		{
			"our names win, in any order", `{"context":"x","response":"x","question":"x","answer":"a","sources":[],"prompt":"p"}`,
			func(in *schemas.Interaction) {
				in.Messages = asked("p")
				unknown(in, "context", "question", "response")
			},
		},
		{
			"our names win when they come first", `{"answer":"a","sources":["s"],"contexts":["x"]}`,
			func(in *schemas.Interaction) { in.Sources = text("s"); unknown(in, "contexts") },
		},
		{
			"a malformed field of ours wins", `{"answer":"a","sources":5,"contexts":["x"]}`,
			func(in *schemas.Interaction) { in.Malformed = []string{"sources"}; unknown(in, "contexts") },
		},
		{
			"null under our name is absent", `{"answer":null,"sources":null,"response":"a","contexts":["c"]}`,
			func(in *schemas.Interaction) { in.Sources = text("c") },
		},
		{
			"the first alias of a field", `{"query":"second","context":"second","question":"q","contexts":["c"],"answer":"a"}`,
			func(in *schemas.Interaction) {
				in.Sources, in.Messages = text("c"), asked("q")
				unknown(in, "context", "query")
			},
		},
		{
			"other shapes mean something else", `{"answer":"a","context":{"page":"checkout"},"question":["q"],"query":5,"contexts":null,"response":{"id":"r"}}`,
			func(in *schemas.Interaction) { unknown(in, "context", "question", "query", "contexts", "response") },
		},
		{
			"a malformed list", `{"answer":"a","contexts":[true,5],"service":"s"}`,
			func(in *schemas.Interaction) { in.Malformed, in.Service = []string{"sources"}, "s" },
		},
		{
			"messages outrank a question", `{"answer":"a","question":"q","messages":[{"role":"user","content":"m"}]}`,
			func(in *schemas.Interaction) { in.Messages = asked("m") },
		},
		{"another case is another name", `{"answer":"a","Context":"c"}`, func(in *schemas.Interaction) { unknown(in, "Context") }},
	}
	var in schemas.Interaction // one for all: an alias leaves no trace in the next
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.NoError(t, NewDecoder(Options{}).Decode([]byte(tt.raw), &in))
			require.Empty(t, cmp.Diff(decodeText(tt.want), in, requireEqual()))
			requireOracle(t, []byte(tt.raw))
			var row schemas.Labelled
			require.NoError(t, DecodeLabelled([]byte(`{"label":1,"interaction":`+tt.raw+`,"task":"qa"}`), &row))
			require.Empty(t, cmp.Diff(decodeText(tt.want), row.Interaction, requireEqual()))
			require.Equal(t, "qa", row.Task)
		})
	}
}

func TestAliasesStillRefuse(t *testing.T) {
	tests := []struct{ name, raw, reason, field string }{
		{"no answer under any name", `{"response":{"choices":[]}}`, scan.ReasonMissingAnswer, "answer"},
		{"case variant of our name", `{"Answer":"a","response":"b"}`, scan.ReasonCaseVariant, "answer"},
		{"an alias twice", `{"answer":"a","context":"b","context":"c"}`, scan.ReasonDuplicateKey, ""},
		{"trailing bytes", `{"response":"a"} x`, scan.ReasonTrailingBytes, ""},
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
