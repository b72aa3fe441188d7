package detectors

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestLoadSkipsDetectorsByTheirLevel: a skipped detector does not fire, the others do, and the flag says why.
func TestLoadSkipsDetectorsByTheirLevel(t *testing.T) {
	reg, load := prometheus.NewRegistry(), 0
	bad := scoredFinding(0.9)
	s := newTestSuite(t, func(o *Options) {
		o.Load = func() int { return load }
		o.Metrics = NewMetrics(reg, nil)
	}, fakeEntry("dear", bad, nil).ShedFrom(1), fakeEntry("medium", bad, nil).ShedFrom(2), fakeEntry("cheap", bad, nil))
	for level, fired := range [][]string{{"dear", "medium", "cheap"}, {"medium", "cheap"}, {"cheap"}, {"cheap"}} {
		load = level
		e := s.Evaluate(t.Context(), &schemas.Interaction{ID: "i", Answer: "Yes."})
		load = 7 // later changes do not matter
		f := e.Flag(schemas.Origin{}, schemas.PassFast, time.Time{})
		e.Release()
		require.Equal(t, fired, f.Fired)
		require.Equal(t, level, f.ShedLevel)
		for i := range f.Signals {
			if signal := &f.Signals[i]; signal.Outcome != schemas.Fired {
				require.Equal(t, schemas.Skipped, signal.Outcome)
				require.Equal(t, ReasonShed, signal.Reason)
			}
		}
	}
	require.InDelta(t, 3, testutil.ToFloat64(s.opts.Metrics.skipped.WithLabelValues("dear", ReasonShed)), 0)
}
