package detectors

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// spendingEntry describes a detector that spends n units a step until the work ends, and counts the steps.
func spendingEntry(name string, n int, steps *int) Entry {
	return fakeFunc(name, func(_ context.Context, doc *Document) (Finding, error) {
		for doc.Work().Spend(n) {
			*steps++
		}
		return scoredFinding(0.9), nil
	})
}

func TestWorkEndsByCount(t *testing.T) {
	steps := 0
	s := newTestSuite(t, func(o *Options) { o.MaxWork = 1000 },
		fakeEntry("first", scoredFinding(0.9), nil), spendingEntry("endless", 10, &steps), fakeEntry("last", scoredFinding(0.9), nil))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.Equal(t, 99, steps)
	require.Equal(t, []string{"first"}, e.Fired(), "earlier outcomes stay")
	for _, r := range e.Readings()[1:] {
		require.Equal(t, schemas.Skipped, r.Outcome, r.Detector)
		require.Equal(t, ReasonBudget, r.Reason, r.Detector)
	}
}

func TestWorkEndsByClock(t *testing.T) {
	steps, now := 0, time.Unix(0, 0)
	s := newTestSuite(t, func(o *Options) {
		o.Deadline = 500 * time.Millisecond
		o.Now = func() time.Time { now = now.Add(10 * time.Millisecond); return now }
	}, spendingEntry("endless", pollEvery, &steps))
	e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
	defer e.Release()
	require.InDelta(t, 48, steps, 2, "the clock is read every pollEvery units")
	require.Equal(t, ReasonDeadline, e.Readings()[0].Reason)
}

func TestWorkEndsWithContext(t *testing.T) {
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

func TestNextEvaluationStartsAtZero(t *testing.T) {
	steps := 0
	s := newTestSuite(t, func(o *Options) { o.MaxWork = 1000 }, spendingEntry("endless", 10, &steps))
	for range 3 {
		steps = 0
		e := s.Evaluate(t.Context(), &schemas.Interaction{Answer: "x"})
		require.Equal(t, 99, steps)
		e.Release()
	}
}

func TestCutPartsAreCountedOnce(t *testing.T) {
	m := NewMetrics(prometheus.NewRegistry(), nil)
	s := newTestSuite(t, func(o *Options) { o.Metrics = m }, fakeFunc("claims", func(_ context.Context, doc *Document) (Finding, error) {
		_ = doc.Claims()
		return scoredFinding(0), nil
	}), fakeEntry("other", scoredFinding(0), nil))
	counts := func() (list []float64) {
		for _, c := range m.cut {
			list = append(list, testutil.ToFloat64(c))
		}
		return list
	}
	s.Evaluate(t.Context(), newInteraction("It is so.")).Release()
	require.Equal(t, []float64{0, 0}, counts())
	e := s.Evaluate(t.Context(), withSources(1<<20, repeatText("The bridge is old and it is red. ", 1<<20), repeatText("x", 1<<20)))
	require.False(t, e.AnyFired())
	require.True(t, e.Flag(schemas.Origin{}, schemas.PassFast, time.Unix(1, 0)).Truncated)
	e.Release()
	require.Equal(t, []float64{1, 1}, counts(), "fired or not")
}

func newInteraction(answer string) *schemas.Interaction {
	return &schemas.Interaction{Answer: answer, Model: "m", Operation: "o"}
}

// withSources spreads n bytes of text over sources.
func withSources(n int, answer, text string) *schemas.Interaction {
	in := newInteraction(answer)
	for i := 0; len(text) > 0 && i < n; i++ {
		head := text[:min(len(text), MaxSourceBytes)]
		for len(head) < len(text) && text[len(head)]&0xC0 == 0x80 {
			head = text[:len(head)-1]
		}
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprintf("doc-%d", i+1), Text: head})
		text = text[len(head):]
	}
	return in
}

// repeatText is about n bytes of the unit.
func repeatText(unit string, n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }
