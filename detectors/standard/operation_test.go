package standard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

func TestSkippedOperations(t *testing.T) {
	s := standardSuite(t, func(o *detectors.Options) {
		o.SkipOperations, o.Thresholds = []string{"poem", "creative_*"}, detectortest.Thresholds{Limit: 0.1}
	})
	for operation, skipped := range map[string]bool{"poem": true, "creative_writing": true, "poems": false, "": false} {
		e := s.Evaluate(t.Context(), &schemas.Interaction{
			Operation: operation, Answer: "Seven dragons guard the silver gate of Ottersby.", Sources: []schemas.Source{{Text: "The gate of Ottersby is open daily."}},
		})
		require.Equal(t, skipped, e.Skipped(), operation)
		require.Equal(t, !skipped, e.AnyFired(), operation)
		f := e.Flag(schemas.Origin{}, schemas.PassFast, e.Interaction().OccurredAt)
		for _, signal := range f.Signals {
			require.Equal(t, skipped, signal.Reason == detectors.ReasonOperation, signal.Detector)
		}
		if skipped {
			require.Nil(t, f.Risk)
		}
		e.Release()
	}
}
