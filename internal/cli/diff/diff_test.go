package diff

import (
	"maps"
	"slices"
	"strconv"
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
	return Compare(t.Context(), Source{"a.jsonl", strings.NewReader(a)}, Source{"b.jsonl", strings.NewReader(b)}, worst, nil)
}

func compareFlags(t *testing.T, a, b []schemas.Flag, worst int) *Report {
	t.Helper()
	r, err := compareTexts(t, flagLines(t, a...), flagLines(t, b...), worst)
	require.NoError(t, err)
	return r
}

// Each compared property is found, alone, in both directions; each other one is ignored.
func TestComparedProperties(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(f *schemas.Flag)
		want []Change
	}{
		"texts":                  {rewordTexts, nil},
		"nothing":                {func(*schemas.Flag) {}, nil},
		"alert":                  {func(f *schemas.Flag) { f.Alert = true }, []Change{{Aspect: Alert, From: false, To: true}}},
		"recommendation":         {func(f *schemas.Flag) { f.Recommendation = schemas.Block }, []Change{{Aspect: Recommendation, From: "flag", To: "block"}}},
		"fired set":              {func(f *schemas.Flag) { f.Fired = nil }, []Change{{Aspect: FiredSet, From: []string{"grounding"}, To: []string(nil)}}},
		"risk":                   {func(f *schemas.Flag) { *f.Risk = 0.75 }, []Change{{Aspect: Risk, From: 0.5, To: 0.75, size: 0.25}}},
		"risk within tolerance":  {func(f *schemas.Flag) { *f.Risk += 9e-7 }, nil},
		"risk gone":              {func(f *schemas.Flag) { f.Risk = nil }, []Change{{Aspect: Risk, From: 0.5, size: 1}}},
		"outcome":                {func(f *schemas.Flag) { f.Signals[0].Outcome = schemas.Failed }, []Change{{Aspect: Outcome, Detector: "grounding", From: "fired", To: "error"}}},
		"score":                  {func(f *schemas.Flag) { f.Signals[1].Score = 0 }, []Change{{Aspect: Score, Detector: "facts", From: 0.25, To: 0.0, size: 0.25}}},
		"score within tolerance": {func(f *schemas.Flag) { f.Signals[1].Score += 9e-7 }, nil},
		"threshold":              {func(f *schemas.Flag) { f.Signals[1].Threshold = 0.6 }, []Change{{Aspect: Threshold, Detector: "facts", From: 0.5, To: 0.6}}},
		"signal gone":            {func(f *schemas.Flag) { f.Signals = f.Signals[:1] }, []Change{{Aspect: Outcome, Detector: "facts", From: "clear", To: "absent"}}},
		"order of signals":       {func(f *schemas.Flag) { f.Signals[0], f.Signals[1] = f.Signals[1], f.Signals[0] }, nil},
		"span start":             {func(f *schemas.Flag) { f.Signals[0].Evidence[0].Start = 4 }, spanChange("answer 4:9, source s1 1:4 (1 of 1)")},
		"span end":               {func(f *schemas.Flag) { f.Signals[0].Evidence[0].End = 8 }, spanChange("answer 3:8, source s1 1:4 (1 of 1)")},
		"span source start":      {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceStart = 2 }, spanChange("answer 3:9, source s1 2:4 (1 of 1)")},
		"span source end":        {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceEnd = 5 }, spanChange("answer 3:9, source s1 1:5 (1 of 1)")},
		"span source":            {func(f *schemas.Flag) { f.Signals[0].Evidence[0].SourceID = "s2" }, spanChange("answer 3:9, source s2 1:4 (1 of 1)")},
		"span gone":              {func(f *schemas.Flag) { f.Signals[0].Evidence = nil }, spanChange("0 in all")},
		"versions are ignored":   {func(f *schemas.Flag) { f.Calibration, f.WorkerVersion = "new", "new" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newFlag("1"), newFlag("1")
			c.edit(&b)
			r := compareFlags(t, []schemas.Flag{a}, []schemas.Flag{b}, 20)
			require.Equal(t, 1, r.Compared)
			require.Equal(t, len(c.want) > 0, r.Holds("any"))
			if c.want == nil {
				require.Empty(t, r.Worst)
				require.Equal(t, 1, r.Equal)
				return
			}
			require.Equal(t, c.want, r.Worst[0].Changes)
			require.Equal(t, map[Aspect]int{c.want[0].Aspect: 1}, r.ChangedRows)
		})
	}
}

func spanChange(to string) []Change {
	return []Change{{Aspect: Spans, Detector: "grounding", From: "answer 3:9, source s1 1:4 (1 of 1)", To: to}}
}

func rewordTexts(f *schemas.Flag) {
	f.Signals[0].Reason = "other"
	f.Signals[0].Evidence[0].Note, f.Signals[0].Evidence[0].Excerpt, f.Signals[0].Evidence[0].Citation = "x", "y", "z"
}

// Rows are paired by incident and pass in any order; of repeated ones the first counts.
func TestPairing(t *testing.T) {
	deep := newFlag("1")
	deep.Pass = schemas.PassDeep
	late := newFlag("1")
	late.Alert = true
	alone := newFlag("3")
	alone.Alert = true
	a := []schemas.Flag{newFlag("1"), late, newFlag("2"), alone}
	b := []schemas.Flag{newFlag("2"), newFlag("2"), deep, newFlag("1"), late, deep}
	r := compareFlags(t, a, b, 5)
	require.Equal(t, []int{3, 1, 3, 3}, []int{r.A.Rows, r.A.Repeated, r.B.Rows, r.B.Repeated})
	require.Equal(t, []int{2, 2, 1, 1}, []int{r.Compared, r.Equal, r.Appeared, r.Vanished})
	require.Equal(t, []int{1, 0}, []int{r.A.Alerts, r.B.Alerts})
	require.Equal(t, 1, r.Alerts.Lost)
	require.InDelta(t, 1000.0/3, r.A.AlertsPer1000, 1e-9)
	require.InDelta(t, 1000.0/3, r.Alerts.LostPer1000, 1e-9)
	require.Len(t, r.Worst, 2)
	require.Equal(t, "3", r.Worst[0].InteractionID, "the lost alert is worst")
	require.Equal(t, []Change{{Aspect: Alert, From: true, To: false}, {Aspect: Missing, From: "flag", To: "absent"}}, r.Worst[0].Changes)
	require.Equal(t, []int{4, 0}, []int{r.Worst[0].LineA, r.Worst[0].LineB})
	require.Equal(t, "deep", r.Worst[1].Pass)
	require.Equal(t, []Change{{Aspect: Missing, From: "absent", To: "flag"}}, r.Worst[1].Changes)
	require.Equal(t, []int{0, 3}, []int{r.Worst[1].LineA, r.Worst[1].LineB})
}

// Figures of a detector and of the risk cover the common rows.
func TestFiguresOfDetectors(t *testing.T) {
	a := []schemas.Flag{newFlag("1"), newFlag("2"), newFlag("3"), newFlag("gone")}
	b := []schemas.Flag{newFlag("1"), newFlag("2"), newFlag("3"), newFlag("new")}
	*b[0].Risk, b[1].Risk = 0.2, nil
	b[0].Signals[0].Outcome, b[0].Signals[0].Score = schemas.Clear, 0.3
	b[1].Signals[1].Outcome, b[1].Signals[1].Score = schemas.Fired, 0.55
	b[2].Signals[1].Outcome, b[2].Signals[1].Score = schemas.NotCheckable, 0
	b[2].Signals[0].Threshold = 0.8
	r := compareFlags(t, a, b, 0)

	require.Equal(t, []int{3, 0, 3, 0}, []int{r.Compared, r.Equal, r.Changed, r.Alerts.Gained})
	require.Zero(t, r.ThresholdsOnly, "row 3 differs in an outcome too")
	require.Equal(t, []int{2, 2}, []int{r.Risk.Rows, r.Risk.Changed})
	require.InDelta(t, -0.15, r.Risk.Mean, 1e-9)
	require.InDelta(t, 0.3, r.Risk.Largest, 1e-9)

	require.Len(t, r.Detectors, 2)
	facts, grounding := r.Detectors[0], r.Detectors[1]
	require.Equal(t, "facts", facts.Name)
	require.Equal(t, map[string]map[string]int{"clear": {"clear": 1, "fired": 1, "not_checkable": 1}}, facts.Outcomes)
	require.Equal(t, []int{0, 1, 0, 3, 2}, []int{facts.FiredA, facts.FiredB, facts.FiredBoth, facts.Score.Rows, facts.Score.Changed})
	require.InDelta(t, (0.3-0.25)/3, facts.Score.Mean, 1e-9)
	require.InDelta(t, 0.3, facts.Score.Largest, 1e-9)
	require.Equal(t, []int{3, 2, 2, 1, 1}, []int{grounding.FiredA, grounding.FiredB, grounding.FiredBoth, grounding.Score.Changed, grounding.Thresholds})
}

// A row in which only thresholds changed is counted as such.
func TestThresholdsOnly(t *testing.T) {
	a := []schemas.Flag{newFlag("1"), newFlag("2")}
	b := []schemas.Flag{newFlag("1"), newFlag("2")}
	b[0].Signals[0].Threshold, b[1].Signals[0].Threshold = 0.8, 0.8
	b[1].Signals[0].Score = 0.95
	r := compareFlags(t, a, b, 20)
	require.Equal(t, []int{2, 1}, []int{r.Changed, r.ThresholdsOnly})
}

// Worst rows first: alert, recommendation, outcome, fired set, missing, then the largest movement of a risk or score.
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
		func(f *schemas.Flag) { f.Signals[0].Threshold = 0.1 },
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
	for _, rows := range []int{0, 1, 5, len(want), 100} {
		r := compareFlags(t, a, b, rows)
		got := []string{}
		for _, row := range r.Worst {
			got = append(got, row.InteractionID)
		}
		require.Equal(t, want[:min(rows, len(want))], got)
	}
}

// The worst rows of many are kept, whatever their position.
func TestWorstRowsOfMany(t *testing.T) {
	var a, b []schemas.Flag
	for i := range 3000 {
		f := newFlag(strconv.Itoa(i))
		g := f
		risk := 0.5 + float64(i)/10_000
		g.Risk = &risk
		a, b = append(a, f), append(b, g)
	}
	r := compareFlags(t, a, b, 2)
	require.Equal(t, []string{a[2999].InteractionID, a[2998].InteractionID}, []string{r.Worst[0].InteractionID, r.Worst[1].InteractionID})
}

func TestConditions(t *testing.T) {
	for name, c := range map[string]struct {
		edit func(f *schemas.Flag)
		want []Condition
	}{
		"alert":          {func(f *schemas.Flag) { f.Alert = true }, []Condition{"alerts", "any"}},
		"recommendation": {func(f *schemas.Flag) { f.Recommendation = schemas.Block }, []Condition{"any", "outcomes"}},
		"outcome":        {func(f *schemas.Flag) { f.Signals[1].Outcome = schemas.Failed }, []Condition{"any", "outcomes"}},
		"fired":          {func(f *schemas.Flag) { f.Fired = nil }, []Condition{"any", "outcomes"}},
		"score":          {func(f *schemas.Flag) { f.Signals[1].Score = 0 }, []Condition{"any", "scores"}},
		"risk":           {func(f *schemas.Flag) { *f.Risk = 0 }, []Condition{"any", "risk"}},
		"spans":          {func(f *schemas.Flag) { f.Signals[0].Evidence[0].End++ }, []Condition{"any", "spans"}},
		"threshold":      {func(f *schemas.Flag) { f.Signals[1].Threshold = 1 }, []Condition{"any"}},
		"missing":        {func(f *schemas.Flag) { f.IncidentID = "other" }, []Condition{"any", "missing"}},
		"missing alert":  {func(f *schemas.Flag) { f.IncidentID, f.Alert = "other", true }, []Condition{"alerts", "any", "missing"}},
		"nothing":        {func(f *schemas.Flag) { f.WorkerVersion = "new" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFlag("1")
			c.edit(&b)
			r := compareFlags(t, []schemas.Flag{newFlag("1"), newFlag("2")}, []schemas.Flag{b, newFlag("2")}, 20)
			var got []Condition
			for _, k := range slices.Sorted(maps.Keys(conditions())) {
				if r.Holds(k) {
					got = append(got, k)
				}
			}
			require.Equal(t, c.want, got)
		})
	}
}

func TestParseConditions(t *testing.T) {
	got, err := ParseConditions([]string{"alerts", " spans"})
	require.NoError(t, err)
	require.Equal(t, []Condition{"alerts", "spans"}, got)
	_, err = ParseConditions([]string{"alerts", "pings"})
	require.EqualError(t, err, `"pings": expected a comma-separated list of [alerts any missing outcomes risk scores spans]`)
}
