package detectors

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// costOf is what the shipped detectors spend on the interaction without a limit of work.
func costOf(s *Suite, t *testing.T, in *schemas.Interaction) int64 {
	e := s.Evaluate(t.Context(), in)
	defer e.Release()
	for _, r := range e.Readings() {
		require.NotEqual(t, schemas.Failed, r.Outcome, "%s: %s %v", r.Detector, r.Reason, r.err)
	}
	return e.doc.Work().Spent()
}

// TestHostileCostIsBounded counts work, so that no load of the machine can fool it: a text of a hostile kind costs a
// quarter of the budget at most, and twice as much of it little more than twice as much.
func TestHostileCostIsBounded(t *testing.T) {
	const slack = 100_000 // units that do not depend on the size
	s := standardSuite(t)
	s.opts.MaxWork = 1 << 60
	for _, k := range hostileKinds() {
		if k.quadratic {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			half, whole, twice := costOf(s, t, k.make(k.cap/2)), costOf(s, t, k.make(k.cap)), costOf(s, t, k.make(2*k.cap))
			require.LessOrEqual(t, float64(whole), 2.5*float64(half)+slack, "from half of the caps to the caps")
			require.LessOrEqual(t, float64(twice), 2.5*float64(whole)+slack, "beyond the caps")
			require.LessOrEqual(t, max(whole, twice), int64(MaxWork/4))
		})
	}
}

// TestQuadraticKindsEndByTheBudget: where no cap keeps the cost linear, the budget ends it soon after its limit.
func TestQuadraticKindsEndByTheBudget(t *testing.T) {
	s := standardSuite(t)
	ended := 0
	for _, k := range hostileKinds() {
		if !k.quadratic {
			continue
		}
		t.Run(k.name, func(t *testing.T) {
			e := s.Evaluate(t.Context(), k.make(8*k.cap))
			defer e.Release()
			require.LessOrEqual(t, e.doc.Work().Spent(), int64(MaxWork)*11/10)
			if e.Ended() == "" {
				return
			}
			ended++
			require.Equal(t, ReasonBudget, e.Ended())
			last := e.Readings()[len(e.Readings())-1]
			require.Equal(t, schemas.Skipped, last.Outcome)
			require.Equal(t, ReasonBudget, last.Reason)
		})
	}
	require.Positive(t, ended, "some kind ends so")
}
