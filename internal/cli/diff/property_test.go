package diff

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/schemas"
)

// drawFlags draws flags of few incidents, with few values, so that many pairs exist and differ.
func drawFlags(t *rapid.T, label string) []schemas.Flag {
	number := rapid.SampledFrom([]float64{0, 0.25, 0.5, 1})
	drawSignal := rapid.Custom(func(t *rapid.T) schemas.Signal {
		s := schemas.Signal{
			Detector:  rapid.SampledFrom([]string{"facts", "grounding", "schema"}).Draw(t, "detector"),
			Outcome:   rapid.SampledFrom(schemas.Outcomes()).Draw(t, "outcome"),
			Score:     number.Draw(t, "score"),
			Threshold: number.Draw(t, "threshold"),
			Reason:    rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "reason"),
		}
		for range rapid.IntRange(0, 2).Draw(t, "spans") {
			s.Evidence = append(s.Evidence, schemas.Evidence{
				Start: rapid.IntRange(schemas.NoPlace, 1).Draw(t, "start"), End: rapid.IntRange(2, 3).Draw(t, "end"),
				SourceID: rapid.SampledFrom([]string{"", "s1"}).Draw(t, "source"), SourceEnd: rapid.IntRange(0, 1).Draw(t, "source end"),
			})
		}
		return s
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) schemas.Flag {
		f := schemas.Flag{
			InteractionID:  rapid.SampledFrom([]string{"1", "2", "3", "4"}).Draw(t, "id"),
			Pass:           rapid.SampledFrom([]schemas.Pass{schemas.PassFast, schemas.PassDeep}).Draw(t, "pass"),
			Alert:          rapid.Bool().Draw(t, "alert"),
			Recommendation: rapid.SampledFrom([]schemas.Recommendation{schemas.Allow, schemas.Block}).Draw(t, "recommendation"),
			Fired:          rapid.SliceOfN(rapid.SampledFrom([]string{"facts", "grounding"}), 0, 2).Draw(t, "fired"),
			Signals:        rapid.SliceOfNDistinct(drawSignal, 0, 3, func(s schemas.Signal) string { return s.Detector }).Draw(t, "signals"),
		}
		f.IncidentID = "incident-" + f.InteractionID
		if rapid.Bool().Draw(t, "has risk") {
			risk := number.Draw(t, "risk")
			f.Risk = &risk
		}
		return f
	}), 1, 8).Draw(t, label)
}

// A set of flags equals itself, in any order of its first occurrences.
func TestSelfIsEqual(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a := drawFlags(rt, "a")
		text := flagLines(t, a...)
		r, err := compareTexts(t, text, text, 100)
		require.NoError(rt, err)
		require.False(rt, r.Holds("any"))
		require.Empty(rt, r.Rows)
		require.Empty(rt, r.ChangedRows)
		require.Equal(rt, r.Compared, r.Equal)
		require.Equal(rt, len(a), r.A.Rows+r.A.Repeated)
	})
}

// The comparison of B with A mirrors that of A with B.
func TestComparisonIsMirrored(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := flagLines(t, drawFlags(rt, "a")...), flagLines(t, drawFlags(rt, "b")...)
		there, err := compareTexts(t, a, b, 100)
		back, backErr := compareTexts(t, b, a, 100)
		if err != nil { // no common row
			require.ErrorContains(rt, err, "no row in common")
			require.ErrorContains(rt, backErr, "no row in common")
			return
		}
		require.NoError(rt, backErr)
		require.Equal(rt, there.B.Alerts, there.A.Alerts+there.Gained-there.Lost)
		require.Equal(rt, there.Compared, there.Equal+there.Changed)
		require.Equal(rt, there.A.Rows, there.Compared+there.Vanished)
		require.Equal(rt, there.B.Rows, there.Compared+there.Appeared)
		require.Len(rt, there.Rows, there.Changed+there.Appeared+there.Vanished)
		there.A.Name, there.B.Name = there.B.Name, there.A.Name
		mirrorReport(there)
		require.Equal(rt, there, back)
	})
}

// mirrorReport turns the report of A and B into that of B and A.
func mirrorReport(r *Report) {
	r.A, r.B = r.B, r.A
	r.Appeared, r.Vanished, r.Gained, r.Lost = r.Vanished, r.Appeared, r.Lost, r.Gained
	for _, d := range r.Detectors {
		d.FiredA, d.FiredB = d.FiredB, d.FiredA
	}
	for i := range r.Rows {
		row := &r.Rows[i]
		row.LineA, row.LineB = row.LineB, row.LineA
		for j := range row.Changes {
			c := &row.Changes[j]
			c.From, c.To = c.To, c.From
		}
	}
}
