package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// newFlag is a flag with one fired detector, one clear one and evidence.
func newFlag(id string) schemas.Flag {
	risk := 0.5
	return schemas.Flag{
		IncidentID: "incident-" + id, InteractionID: id, Pass: schemas.PassFast,
		Signals: []schemas.Signal{
			{
				Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.7, Reason: "not supported",
				Evidence: []schemas.Evidence{{Start: 3, End: 9, Excerpt: "quoted", Citation: "[1]", SourceID: "s1", SourceStart: 1, SourceEnd: 4, Note: "noted"}},
			},
			{Detector: "facts", Outcome: schemas.Clear, Score: 0.25, Threshold: 0.5},
		},
		Fired: []string{"grounding"}, Risk: &risk, Recommendation: schemas.Recommend,
	}
}

// flagLines are the flags in the format of confab check.
func flagLines(t *testing.T, flags ...schemas.Flag) string {
	t.Helper()
	var b []byte
	for i := range flags {
		var err error
		b, err = json.AppendFlag(b, &flags[i])
		require.NoError(t, err)
		b = append(b, '\n')
	}
	return string(b)
}

func compareTexts(t *testing.T, a, b string, worst int) (*Report, error) {
	t.Helper()
	return Compare(t.Context(), Source{"a.jsonl", strings.NewReader(a)}, Source{"b.jsonl", strings.NewReader(b)}, worst, func(int) {})
}

func compareFlags(t *testing.T, a, b []schemas.Flag, worst int) *Report {
	t.Helper()
	r, err := compareTexts(t, flagLines(t, a...), flagLines(t, b...), worst)
	require.NoError(t, err)
	return r
}

// Each compared property is found, alone; each other one is ignored.
func TestComparedProperties(t *testing.T) {
	span := func(to string) []Change {
		return []Change{{Aspect: "span", Detector: "grounding", From: "3:9 of s1 1:4", To: to}}
	}
	for name, c := range map[string]struct {
		edit func(f *schemas.Flag)
		want []Change
	}{
		"nothing": {func(*schemas.Flag) {}, nil},
		"texts": {func(f *schemas.Flag) {
			f.Signals[0].Reason = "other"
			f.Signals[0].Evidence[0].Note, f.Signals[0].Evidence[0].Excerpt, f.Signals[0].Evidence[0].Citation = "x", "y", "z"
		}, nil},
		"threshold":              {func(f *schemas.Flag) { f.Signals[1].Threshold = 0.6 }, nil},
		"versions":               {func(f *schemas.Flag) { f.Calibration, f.WorkerVersion = "new", "new" }, nil},
		"order of signals":       {func(f *schemas.Flag) { f.Signals[0], f.Signals[1] = f.Signals[1], f.Signals[0] }, nil},
		"risk within tolerance":  {func(f *schemas.Flag) { *f.Risk += 9e-7 }, nil},
		"score within tolerance": {func(f *schemas.Flag) { f.Signals[1].Score += 9e-7 }, nil},
		"alert":                  {func(f *schemas.Flag) { f.Alert = true }, []Change{{Aspect: "alert", From: false, To: true}}},
		"recommendation":         {func(f *schemas.Flag) { f.Recommendation = schemas.Block }, []Change{{Aspect: "recommendation", From: "flag", To: "block"}}},
		"fired":                  {func(f *schemas.Flag) { f.Fired = nil }, []Change{{Aspect: "fired", From: "grounding", To: ""}}},
		"risk":                   {func(f *schemas.Flag) { *f.Risk = 0.75 }, []Change{{Aspect: "risk", From: 0.5, To: 0.75}}},
		"risk gone":              {func(f *schemas.Flag) { f.Risk = nil }, []Change{{Aspect: "risk", From: 0.5}}},
		"outcome":                {func(f *schemas.Flag) { f.Signals[0].Outcome = schemas.Failed }, []Change{{Aspect: "outcome", Detector: "grounding", From: "fired", To: "error"}}},
		"score":                  {func(f *schemas.Flag) { f.Signals[1].Score = 0 }, []Change{{Aspect: "score", Detector: "facts", From: 0.25, To: 0.0}}},
		"signal gone":            {func(f *schemas.Flag) { f.Signals = f.Signals[:1] }, []Change{{Aspect: "outcome", Detector: "facts", From: "clear"}}},
		"span start":             {func(f *schemas.Flag) { f.Signals[0].Evidence[0].Start = 4 }, span("4:9 of s1 1:4")},
		"span end":               {func(f *schemas.Flag) { f.Signals[0].Evidence[0].End = 8 }, span("3:8 of s1 1:4")},
		"span source start":      {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceStart = 2 }, span("3:9 of s1 2:4")},
		"span source end":        {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceEnd = 5 }, span("3:9 of s1 1:5")},
		"span source":            {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceID = "s2" }, span("3:9 of s2 1:4")},
		"span gone":              {func(f *schemas.Flag) { f.Signals[0].Evidence = nil }, span("")},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newFlag("1"), newFlag("1")
			c.edit(&b)
			r := compareFlags(t, []schemas.Flag{a}, []schemas.Flag{b}, 20)
			require.Equal(t, 1, r.Compared)
			require.Equal(t, c.want != nil, r.Holds("any"))
			if c.want == nil {
				require.Empty(t, r.Rows)
				require.Equal(t, 1, r.Equal)
				return
			}
			require.Equal(t, c.want, r.Rows[0].Changes)
			require.Equal(t, map[string]int{c.want[0].Aspect: 1}, r.ChangedRows)
			require.True(t, r.Holds(c.want[0].Aspect))
		})
	}
}

// Pairs need the same incident and pass; of repeats the first counts; a lost row takes its alert with it.
func TestPairs(t *testing.T) {
	repeat, deep, gone := newFlag("1"), newFlag("1"), newFlag("gone")
	repeat.Alert, deep.Pass, gone.Alert = true, schemas.PassDeep, true
	r := compareFlags(t, []schemas.Flag{newFlag("1"), repeat, gone}, []schemas.Flag{newFlag("1"), deep}, 20)
	require.Equal(t, Side{Name: "a.jsonl", Rows: 2, Repeated: 1, Alerts: 1, AlertsPer1000: 500}, r.A)
	require.Equal(t, []int{1, 1, 1, 1, 0, 1}, []int{r.Compared, r.Equal, r.Appeared, r.Vanished, r.Gained, r.Lost})
	require.Equal(t, []Change{{Aspect: "alert", From: true, To: false}, {Aspect: "row", From: "flag"}}, r.Rows[0].Changes)
	require.Equal(t, []Change{{Aspect: "row", To: "flag"}}, r.Rows[1].Changes)
	require.Equal(t, []int{3, 0, 0, 2}, []int{r.Rows[0].LineA, r.Rows[0].LineB, r.Rows[1].LineA, r.Rows[1].LineB})
}

// Worst rows first: alert, recommendation, outcome, fired, a missing row, then the largest movement of a risk or score.
func TestWorstRows(t *testing.T) {
	edits := []func(f *schemas.Flag){ // from the worst on
		func(f *schemas.Flag) { f.Alert = true },
		func(f *schemas.Flag) { f.Recommendation = schemas.Block; f.Signals[0].Score = 0 },
		func(f *schemas.Flag) { f.Signals[0].Outcome = schemas.Clear },
		func(f *schemas.Flag) { f.Fired = nil },
		func(f *schemas.Flag) { f.IncidentID = "other" }, // appeared, and the row of A vanished
		func(f *schemas.Flag) { f.Signals[0].Score = 0.2 },
		func(f *schemas.Flag) { *f.Risk = 0.6 },
		func(f *schemas.Flag) { f.Signals[1].Score = 0.3 },
		func(f *schemas.Flag) { f.Signals[0].Evidence = nil },
	}
	var a, b []schemas.Flag
	var want []string
	for i, edit := range edits {
		f, g := newFlag(string(rune('j'-i))), newFlag(string(rune('j'-i)))
		edit(&g)
		a, b = append(a, f), append(b, g)
		want = append(want, f.InteractionID)
		if f.IncidentID != g.IncidentID {
			want = append(want, f.InteractionID)
		}
	}
	for _, rows := range []int{0, 1, len(want), 100} {
		got := []string{}
		for _, row := range compareFlags(t, a, b, rows).Rows {
			got = append(got, row.InteractionID)
		}
		require.Equal(t, want[:min(rows, len(want))], got)
	}
}
