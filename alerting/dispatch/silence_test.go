package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/schemas"
)

// TestSilenceBeforeTheFirstMessage: incidents that were added before a silence and are still pending are sent after it.
func TestSilenceBeforeTheFirstMessage(t *testing.T) {
	for _, expired := range []bool{false, true} {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.sink.SetDown(true)
			d.add(0, alerttest.SimilarFlag(1, 0))
			d.add(0, alerttest.SimilarFlag(2, 0))
			sleepVirtual(time.Minute)
			s := schemas.Silence{
				ID: "s", From: time.Now(), Until: time.Now().Add(30 * time.Minute),
				Matchers: schemas.AlertGroupLabels{Service: "service-1", Operation: "answer_with_citations"},
			}
			d.Silence(s)
			d.sink.SetDown(false)
			sleepVirtual(10 * time.Minute)
			require.Len(t, d.sink.Alerts(), 1, "the other service")
			require.Equal(t, "service-2", d.sink.Alerts()[0].Flag.Service)
			require.True(t, d.Idle())
			require.Zero(t, d.totals().oldestPending)
			if s.Until = time.Now(); expired {
				d.Silence(s)
				sleepVirtual(time.Second)
			} else {
				sleepVirtual(20 * time.Minute)
			}
			require.Len(t, d.sink.Alerts(), 2)
			require.Equal(t, int64(1), d.sink.Alerts()[1].Count)
		})
	}
}
