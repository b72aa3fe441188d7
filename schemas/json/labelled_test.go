package json

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestDecodeLabelled(t *testing.T) {
	raw := []byte(`{"interaction":{"interaction_id":"i","answer":"héllo","sources":["s"]},"label":1,"task":"qa","group":"g",` +
		`"dataset":"d","weight":2.5,"spans":[{"start":0,"end":6,"type":"conflict"}],"meta":{"label":0,"x":[1],"kind":"number"},` +
		`"samples":[{"answer":"hi","logprobs":{"content":[{"token":" h","logprob":-1},{"token":"i","logprob":-2}]}},{"answer":"yo","logprobs":null}]}`)
	row := schemas.Labelled{Task: "stale", Spans: make([]schemas.Span, 9)}
	require.NoError(t, DecodeLabelled(raw, &row))
	for i := range raw {
		raw[i] = 'x' // the row keeps nothing of the line
	}
	row.Interaction.Scratch = nil
	require.Empty(t, cmp.Diff(schemas.Labelled{
		Interaction: schemas.Interaction{
			ID: "i", Answer: "héllo", Sources: []schemas.Source{{Text: "s"}}, Temperature: schemas.UnknownTemperature,
		},
		Labelled: true, Label: 1, Task: "qa", Group: "g", Dataset: "d", Kind: "number", Weight: 2.5,
		Spans: []schemas.Span{{Start: 0, End: 6, Type: "conflict"}},
		Samples: []schemas.Sample{
			{Answer: "hi", Logprobs: schemas.Logprobs{Values: []float32{-1, -2}, Offsets: []int32{0, 1}}}, {Answer: "yo"},
		},
	}, row, requireEqual()))
}

func TestDecodeLabelledPlain(t *testing.T) {
	var row schemas.Labelled
	require.NoError(t, DecodeLabelled([]byte(`{"answer":"a","label":"mine","task":7}`), &row))
	require.False(t, row.Labelled)
	require.Empty(t, row.Task)
	require.Equal(t, "a", row.Interaction.Answer)
	require.Equal(t, 2, row.Interaction.UnknownFields)

	deepest := nestedJSON(DefaultMaxDepth - 1)
	require.NoError(t, DecodeLabelled([]byte(deepest), &row))
	require.NoError(t, DecodeLabelled([]byte(`{"interaction":`+deepest+`}`), &row), "as deep in a row as alone")
	require.False(t, row.Labelled, "a row without a label")
}

// What stands under meta is anyone's: only a text "kind" is read.
func TestDecodeLabelledKind(t *testing.T) {
	for meta, want := range map[string]string{
		`{"kind":"date"}`: "date", `{"kind":7}`: "", `{"kind":null}`: "", `{"kinds":"x"}`: "", `["kind"]`: "", `"kind"`: "", `null`: "", `{"x":{"kind":"y"}}`: "",
	} {
		var row schemas.Labelled
		require.NoError(t, DecodeLabelled([]byte(`{"interaction":{"answer":"a"},"meta":`+meta+`,"label":1}`), &row), meta)
		require.Equal(t, want, row.Kind, meta)
		require.Equal(t, 1, row.Label)
	}
}

func TestDecodeLabelledNulls(t *testing.T) {
	var row schemas.Labelled
	require.NoError(t, DecodeLabelled([]byte(`{"interaction":{"answer":"a"},"label":null,"weight":null,"task":null,"spans":null,"samples":null}`), &row))
	require.False(t, row.Labelled)
	raw := `{"interaction":{"answer":"a"},"spans":[{"start":0,"end":1,"by":"x"}],"samples":[{"answer":null,"x":[]}]}`
	require.NoError(t, DecodeLabelled([]byte(raw), &row))
	require.Equal(t, []schemas.Span{{End: 1}}, row.Spans)
	require.Len(t, row.Samples, 1)
}

func TestDecodeLabelledRefuses(t *testing.T) {
	cases := []struct{ raw, reason, field string }{
		{``, scan.ReasonSyntax, ""},
		{`[]`, scan.ReasonWrongType, ""},
		{`{"label":1}`, scan.ReasonMissingAnswer, "answer"},
		{`{"interaction":null}`, scan.ReasonWrongType, ""},
		{`{"interaction":{"answer":"a"},"label":2}`, scan.ReasonOutOfRange, "label"},
		{`{"interaction":{"answer":"a"},"weight":0}`, scan.ReasonOutOfRange, "weight"},
		{`{"interaction":{"answer":"a"},"weight":1e7}`, scan.ReasonOutOfRange, "weight"},
		{`{"interaction":{"answer":"a"},"weight":"2"}`, scan.ReasonWrongType, "weight"},
		{`{"interaction":{"answer":"a"},"label":true}`, scan.ReasonWrongType, "label"},
		{`{"interaction":{"answer":"a"},"label":1,"label":0}`, scan.ReasonDuplicateKey, ""},
		{`{"interaction":{"answer":"a","Answer":"b"}}`, scan.ReasonCaseVariant, "answer"},
		{`{"interaction":{"answer":"a"},"spans":[{"start":1,"end":0}]}`, scan.ReasonOutOfRange, "spans"},
		{`{"spans":[{"start":0,"end":2}],"interaction":{"answer":"a"}}`, scan.ReasonOutOfRange, "spans"},
		{`{"interaction":{"answer":"a"},"spans":[{"start":-1,"end":0}]}`, scan.ReasonOutOfRange, "spans"},
		{`{"interaction":{"answer":"a"},"spans":{}}`, scan.ReasonWrongType, "spans"},
		{`{"interaction":{"answer":"a"},"samples":[{"logprobs":[]}]}`, scan.ReasonWrongType, "samples"},
		{`{"interaction":{"answer":"a"}} x`, scan.ReasonTrailingBytes, ""},
		{nestedJSON(DefaultMaxDepth), scan.ReasonTooDeep, ""},
		{`{"interaction":` + nestedJSON(DefaultMaxDepth) + `}`, scan.ReasonTooDeep, ""},
		{`{"interaction":{"answer":"` + strings.Repeat("a", MaxLabelledBytes) + `"}}`, scan.ReasonTooLarge, ""},
	}
	for _, c := range cases {
		var row schemas.Labelled
		err := DecodeLabelled([]byte(c.raw), &row)
		require.Equal(t, c.reason, errorReason(t, err), "%.80s", c.raw)
		var refused *scan.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, c.field, refused.Field, "%.80s", c.raw)
	}
}

// Every row of the evaluation data decodes, as the oracle reads it, and survives the canonical form.
func TestLabelledData(t *testing.T) {
	for _, set := range datatest.Sets(t) {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			for i, line := range datatest.Rows(t, set) {
				if i%10 != 0 && os.Getenv("FULL_COUNTS") == "" {
					continue
				}
				requireRow(t, line)
			}
		})
	}
}

func requireRow(t *testing.T, raw []byte) {
	t.Helper()
	var row schemas.Labelled
	require.NoError(t, DecodeLabelled(raw, &row))
	in := &row.Interaction
	if !row.Labelled || in.ID == "" || in.Tenant != "eval" || in.Operation == "" || in.UnknownFields != 0 || in.Repaired {
		t.Fatalf("row %s lost something", in.ID)
	}
	if rows := in.Logprobs.Rows(); rows > 0 {
		require.Len(t, in.Logprobs.Offsets, rows, in.ID)
		for _, s := range row.Samples {
			require.Len(t, s.Logprobs.Offsets, s.Logprobs.Rows(), in.ID)
		}
	}
	canonical, err := AppendInteraction(nil, in)
	require.NoError(t, err)
	requireOracle(t, canonical)
	var again schemas.Interaction
	require.NoError(t, NewDecoder(Options{}).Decode(canonical, &again))
	if in.Answer != again.Answer || !cmp.Equal(in.Sources, again.Sources, requireEqual()) || !cmp.Equal(in.Logprobs, again.Logprobs, requireEqual()) {
		t.Fatalf("row %s does not round-trip", in.ID)
	}
}
