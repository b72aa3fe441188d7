package jsonschema

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

func newSuite(t *testing.T, maxWork int64) *detectors.Suite {
	t.Helper()
	d, err := New(DefaultOptions(), nil)
	require.NoError(t, err)
	return detectortest.NewSuite(t, func(o *detectors.Options) { o.MaxWork = maxWork }, detectors.Entry{Name: "schema", New: func(any) (detectors.Detector, error) { return d, nil }})
}

func TestOverBudgetIsSkipped(t *testing.T) {
	in := &schemas.Interaction{ResponseSchema: `{"items": {"type": "string"}}`, Answer: "[" + strings.Repeat("1,", 60_000) + "1]"}
	e := newSuite(t, 0).Evaluate(t.Context(), in)
	defer e.Release()
	require.Equal(t, schemas.Skipped, e.Readings()[0].Outcome)
	require.Equal(t, detectors.ReasonBudget, e.Readings()[0].Reason)
}

// The work of the interaction ends the validation wherever it is; the next interaction with the schema is validated.
func TestEndsWithTheWorkOfTheInteraction(t *testing.T) {
	in := &schemas.Interaction{ResponseSchema: `{"items": {"pattern": "^a"}}`, Answer: `["b", "a", "a", "a"]`}
	e := newSuite(t, 0).Evaluate(t.Context(), in)
	require.InDelta(t, 1, e.Readings()[0].Score, 0)
	whole := e.Work()
	e.Release()
	for limit := int64(1); limit < whole; limit += whole / 50 {
		e := newSuite(t, limit).Evaluate(t.Context(), in)
		require.Equal(t, detectors.ReasonBudget, e.Readings()[0].Reason, limit)
		require.Less(t, e.Work(), 2*whole, limit)
		e.Release()
	}
	d, err := New(DefaultOptions(), nil)
	require.NoError(t, err)
	for _, limit := range []int64{whole / 2, 0} {
		s := detectortest.NewSuite(t, func(o *detectors.Options) { o.MaxWork = limit }, detectors.Entry{Name: "schema", New: func(any) (detectors.Detector, error) { return d, nil }})
		e := s.Evaluate(t.Context(), in)
		require.Equal(t, limit == 0, e.Readings()[0].Score == 1)
		e.Release()
	}
}

// What cannot be placed has no place; what can is found among nested values and escaped names.
func TestLocate(t *testing.T) {
	const text = ` {"a": [1, {"\u00e9/": "x" }], "b": {} }`
	for want, path := range map[string][]string{
		strings.TrimSpace(text): {}, "1": {"a", "0"}, `"x"`: {"a", "1", "é/"}, "{}": {"b"},
	} {
		start, end, ok := locate(text, path)
		require.True(t, ok, path)
		require.Equal(t, want, text[start:end])
	}
	for _, path := range [][]string{{"c"}, {"a", "2"}, {"b", "x"}, {"a", "0", "0"}} {
		_, _, ok := locate(text, path)
		require.False(t, ok, path)
	}
}

// A response format of a request to a model is read as the schema that it holds.
func TestResponseFormats(t *testing.T) {
	const schema = `{"type":"object","properties":{"floor":{"type":"integer"}}}`
	for _, format := range []string{
		schema, `{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":` + schema + `}}`, `{"json_schema":{"name":"x","schema":` + schema + `}}`,
		`{"name":"x","schema":` + schema + `}`, `{"type":"json_schema","schema":` + schema + `}`, `{"type":"json_object"}`,
	} {
		for answer, wrong := range map[string]bool{`{"floor":3}`: false, `{"floor":"three"}`: format != `{"type":"json_object"}`, `[3]`: true} {
			e := newSuite(t, 0).Evaluate(t.Context(), &schemas.Interaction{ResponseSchema: format, Answer: answer})
			require.Equal(t, wrong, e.Readings()[0].Score == 1, "%s %s", format, answer)
			e.Release()
		}
	}
}
