package alerting

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// What had joined before a silence, and could not be told, is told after it.
func TestSilenceBeforeTheFirstMessage(t *testing.T) {
	for _, expired := range []bool{false, true} {
		play(t, deskOptions{}, func(t *testing.T, d *desk) {
			d.wall.down(true)
			d.join(0, alike(1, 0))
			d.join(0, alike(2, 0))
			wait(time.Minute)
			s := schemas.Silence{
				ID: "s", From: time.Now(), Until: time.Now().Add(30 * time.Minute),
				Matchers: schemas.AlertGroupLabels{Service: "service-1", Operation: "answer_with_citations"},
			}
			d.Silence(s)
			d.wall.down(false)
			wait(10 * time.Minute)
			require.Len(t, d.wall.alerts(), 1, "the other service")
			require.Equal(t, "service-2", d.wall.alerts()[0].Flag.Service)
			require.True(t, d.Idle())
			require.Zero(t, d.sizes().overdue)
			if s.Until = time.Now(); expired {
				d.Silence(s)
				wait(time.Second)
			} else {
				wait(20 * time.Minute)
			}
			require.Len(t, d.wall.alerts(), 2)
			require.Equal(t, int64(1), d.wall.alerts()[1].Count)
		})
	}
}

// down makes every attempt fail, or none.
func (w *wall) down(is bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fail = nil
	if is {
		w.fail = func(string, *schemas.Alert) error { return &Error{Class: Retryable, Reason: ReasonServer} }
	}
}
