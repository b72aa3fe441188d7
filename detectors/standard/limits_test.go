package standard

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/hostile"
	"confab/schemas"
)

// faultyInteraction returns an answer on which three detectors fire, with texts inserted at the front, between the sentences
// and at the end.
func faultyInteraction(front, between, end string) *schemas.Interaction {
	return &schemas.Interaction{
		Answer: "The " + front + "old stadium was opened in 1987 by Harold Quimby on the western bank of the river [1]." + between +
			" It seats 91,000 people and burned down twice in the last century [2]." + between +
			" Tickets are sold at https://tickets.stadium-of-quimby.zzzz/shop for 5 dollars [7]." + end,
		Sources: []schemas.Source{
			{ID: "1", Text: "The old stadium was opened in 1962 on the eastern bank of the river. It was built by the city."},
			{ID: "2", Text: "The stadium seats 20,000 people. A new roof was fitted in 2006 by a local firm."},
		},
	}
}

func TestPaddingHidesNothing(t *testing.T) {
	s := standardSuite(t, func(o *detectors.Options) { o.Thresholds = detectortest.Thresholds{Limit: 0.5} })
	fired := func(in *schemas.Interaction) []string {
		e := s.Evaluate(t.Context(), in)
		defer e.Release()
		require.False(t, e.Truncated(), "padding is not truncation")
		require.LessOrEqual(t, e.Work(), int64(detectors.MaxWork/4))
		return append([]string{}, e.Fired()...)
	}
	want := fired(faultyInteraction("", "", ""))
	require.GreaterOrEqual(t, len(want), 3)
	for name, unit := range map[string]string{
		"spaces": " ", "tabs": "\t", "line feeds": "\n", "blank lines": " \r\n", "no-break spaces": "\u00a0", "wide spaces": "\u3000",
		"zero width": "\u200b", "byte order marks": "\ufeff", "mixed": " \u200b\n\u00a0", "combining marks": "\u0301",
	} {
		for size, n := range map[string]int{"200 kB": 200_000, "500 kB": 500_000, "900 kB": 900_000} {
			if testing.Short() && n > 200_000 {
				continue
			}
			t.Run(name+", "+size, func(t *testing.T) {
				pad := repeatToSize(unit, n)
				half := pad[:len(pad)/2/len(unit)*len(unit)]
				require.Equal(t, want, fired(faultyInteraction("", "", pad)), "at the end")
				require.Equal(t, want, fired(faultyInteraction(pad+" ", "", "")), "in front")
				require.Equal(t, want, fired(faultyInteraction("", half, "")), "between sentences")
			})
		}
	}
}

// longAnswer returns an answer with enough claims, citations, figures and addresses to make every text detector work.
func longAnswer() *schemas.Interaction {
	return faultyInteraction("", "", repeatToSize(" The old bridge of Quimby was opened in 1937 for 5 dollars [1].", 20_000))
}

func TestOutcomesUnderLimits(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(o *detectors.Options)
		reason string
	}{
		"budget at once":      {func(o *detectors.Options) { o.MaxWork = 1 }, detectors.ReasonBudget},
		"budget midway":       {func(o *detectors.Options) { o.MaxWork = 30_000 }, detectors.ReasonBudget},
		"budget near the end": {func(o *detectors.Options) { o.MaxWork = 150_000 }, detectors.ReasonBudget},
		"deadline at once":    {func(o *detectors.Options) { o.Deadline, o.Now = 500*time.Millisecond, clockThatJumps(1) }, detectors.ReasonDeadline},
		"deadline midway":     {func(o *detectors.Options) { o.Deadline, o.Now = 500*time.Millisecond, clockThatJumps(12) }, detectors.ReasonDeadline},
		"deadline not met":    {func(o *detectors.Options) { o.Deadline, o.Now = 500*time.Millisecond, clockThatJumps(1<<30) }, ""},
		"neither":             {func(*detectors.Options) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			reg := prometheus.NewPedanticRegistry()
			whole := standardSuite(t).Evaluate(t.Context(), longAnswer())
			defer whole.Release()
			m, err := DefaultModel()
			require.NoError(t, err)
			s := detectortest.NewSuite(t, func(o *detectors.Options) {
				o.Fusion = m.Fuser()
				o.Thresholds, o.Metrics = detectortest.Thresholds{Limit: 1}, detectors.NewMetrics(reg, detectors.Names(Fast(Dependencies{})))
				tt.change(o)
			}, Fast(Dependencies{Baselines: typicalBaselines{}, Model: m})...)
			e := s.Evaluate(t.Context(), longAnswer())
			defer e.Release()
			require.Equal(t, tt.reason, e.Ended())
			skipped := 0
			for i, r := range e.Readings() {
				if skipped > 0 || r.Outcome == schemas.Skipped {
					skipped++
					require.Equal(t, schemas.Skipped, r.Outcome, r.Detector)
					require.Equal(t, tt.reason, r.Reason, r.Detector)
					require.Zero(t, r.Finding, r.Detector)
					continue
				}
				require.Equal(t, whole.Readings()[i].Outcome, r.Outcome, r.Detector)
				require.InDelta(t, whole.Readings()[i].Score, r.Score, 0, "%s stands as it is without a limit", r.Detector)
			}
			require.Equal(t, tt.reason != "", skipped > 0)
			require.InDelta(t, skipped, skippedBy(t, reg, tt.reason), 0)
			_ = e.Flag(schemas.Origin{}, schemas.PassFast, time.Unix(1, 0)) // must not panic
		})
	}
}

// clockThatJumps returns a clock that stands still for the first reads and is an hour ahead afterwards.
func clockThatJumps(after int) func() time.Time {
	n := 0
	return func() time.Time {
		if n++; n <= after {
			return time.Unix(0, 0)
		}
		return time.Unix(3600, 0)
	}
}

// TestEveryDetectorMayEndAnywhere ends the work at many points and requires that no detector fails.
func TestEveryDetectorMayEndAnywhere(t *testing.T) {
	built := builtFastDetectors(t)
	in := longAnswer()
	k, known := hostile.Find("fragments of a record")
	require.True(t, known)
	in.Sources = append(in.Sources, k.Record(8000, 0).Interaction.Sources...)
	for limit := int64(1); limit < 2_000_000; limit += limit/16 + 1 {
		s := detectortest.NewSuite(t, func(o *detectors.Options) { o.MaxWork = limit }, built...)
		e := s.Evaluate(t.Context(), in)
		for _, r := range e.Readings() {
			require.NotEqual(t, schemas.Failed, r.Outcome, "%s at %d", r.Detector, limit)
		}
		e.Release()
	}
}

func TestHostileSizeIsBounded(t *testing.T) {
	sources := make([]string, 1000)
	for i := range sources {
		sources[i] = strings.Repeat("Cars cross the bridge every day. ", 100)
	}
	for name, answer := range map[string]string{
		"sentences": strings.Repeat("It is so. ", 100_000), "claims": strings.Repeat("The bridge is old and it is red. ", 30_000),
		"one word": strings.Repeat("x", 1_000_000), "markers": strings.Repeat("[1]", 300_000), "stops": strings.Repeat(".", 1_000_000),
		"marks": strings.Repeat("a\u0301\u0301", 200_000),
	} {
		t.Run(name, func(t *testing.T) {
			d := new(detectors.Document)
			d.Reset(detectortest.Sourced(answer, sources...))
			require.LessOrEqual(t, len(d.Tokens()), detectors.MaxTextBytes)
			require.LessOrEqual(t, len(d.AllSourceSentences()), detectors.MaxTextBytes)
			require.LessOrEqual(t, d.Sources(), detectors.MaxSources)
			s := standardSuite(t)
			e := s.Evaluate(t.Context(), d.Interaction())
			defer e.Release()
			require.True(t, e.Truncated())
			require.True(t, e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{}).Truncated)
		})
	}
}

// repeatToSize returns about n bytes of the unit.
func repeatToSize(unit string, n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }

// builtFastDetectors returns entries whose detectors are built once.
func builtFastDetectors(t testing.TB) []detectors.Entry {
	t.Helper()
	m, err := DefaultModel()
	require.NoError(t, err)
	entries := Fast(Dependencies{Baselines: typicalBaselines{}, Model: m})
	for i := range entries {
		d, err := entries[i].New(nil)
		require.NoError(t, err)
		entries[i].New = func(any) (detectors.Detector, error) { return d, nil }
	}
	return entries
}

// skippedBy returns the number of skipped rules and requires that all have this reason.
func skippedBy(t *testing.T, reg prometheus.Gatherer, reason string) (n float64) {
	t.Helper()
	families, err := reg.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != "confab_detector_skipped_total" {
			continue
		}
		for _, m := range family.GetMetric() {
			n += m.GetCounter().GetValue()
			for _, label := range m.GetLabel() {
				if label.GetName() == "reason" && label.GetValue() != reason {
					require.Zero(t, m.GetCounter().GetValue())
				}
			}
		}
	}
	return n
}
