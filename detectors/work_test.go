package detectors

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// spender spends n units a step until work refuses, and reports how often it was let go on.
func spender(name string, n int, steps *int) Entry {
	return fakeFunc(name, func(_ context.Context, doc *Document) (Finding, error) {
		for doc.Work().Spend(n) {
			*steps++
		}
		return scored(0.9), nil
	})
}

func TestWorkEndsByCount(t *testing.T) {
	steps := 0
	s := newTestSuite(t, func(o *Options) { o.MaxWork = 1000 },
		fakeEntry("first", scored(0.9), nil), spender("endless", 10, &steps), fakeEntry("last", scored(0.9), nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.Equal(t, 99, steps)
	require.Equal(t, []string{"first"}, e.Fired(), "what was measured before stands")
	for _, r := range e.Readings()[1:] {
		require.Equal(t, schemas.Skipped, r.Outcome, r.Detector)
		require.Equal(t, ReasonBudget, r.Reason, r.Detector)
	}
}

func TestWorkEndsByTheClock(t *testing.T) {
	steps, now := 0, time.Unix(0, 0)
	s := newTestSuite(t, func(o *Options) {
		o.Deadline = 500 * time.Millisecond
		o.Now = func() time.Time { now = now.Add(10 * time.Millisecond); return now }
	}, spender("endless", pollEvery, &steps))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.InDelta(t, 48, steps, 2, "one look at the clock every pollEvery units")
	require.Equal(t, ReasonDeadline, e.Readings()[0].Reason)
}

func TestWorkEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	steps := 0
	s := newTestSuite(t, nil, fakeFunc("endless", func(_ context.Context, doc *Document) (Finding, error) {
		for doc.Work().Spend(1) {
			if steps++; steps == 5*pollEvery {
				cancel()
			}
		}
		return Finding{}, nil
	}))
	e := s.Evaluate(ctx, &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.LessOrEqual(t, steps, 6*pollEvery)
	require.Equal(t, ReasonDeadline, e.Readings()[0].Reason)
}

func TestTheNextEvaluationBeginsAnew(t *testing.T) {
	steps := 0
	s := newTestSuite(t, func(o *Options) { o.MaxWork = 1000 }, spender("endless", 10, &steps))
	for range 3 {
		steps = 0
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
		require.Equal(t, 99, steps)
		e.Release()
	}
}
