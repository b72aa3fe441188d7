package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestSilenceAndClock: a silence is in force between its start and end by the current clock. A jump past its end ends it; a
// jump back does not start it again.
func TestSilenceAndClock(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	for name, tt := range map[string]struct {
		into, jump time.Duration // when the clock jumps, after the begin of a silence of one hour, and by how much
		sent       bool          // soon after
	}{
		"10 years ahead":              {30 * time.Minute, years, true},
		"10 years back":               {30 * time.Minute, -years, true}, // it has not begun
		"an hour ahead, past the end": {30 * time.Minute, time.Hour, true},
		"an hour back over the end":   {90 * time.Minute, -time.Hour, true}, // an ended silence does not start again
		"a minute ahead":              {30 * time.Minute, time.Minute, false},
		"a minute back":               {30 * time.Minute, -time.Minute, false},
	} {
		t.Run(name, func(t *testing.T) {
			runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
				var c testClock
				d.Now = c.now
				d.Silence(schemas.Silence{
					ID: "s", From: time.Now(), Until: time.Now().Add(time.Hour), Matchers: schemas.AlertGroupLabels{Service: "service-1"},
				})
				sleepVirtual(tt.into)
				c.set(tt.jump)
				f := similarFlag(1, 1)
				f.DetectedAt = c.now()
				d.add(0, f)
				sleepVirtual(5 * time.Second)
				if !tt.sent {
					require.Empty(t, d.sink.Alerts())
					sleepVirtual(3 * time.Hour)
					g := similarFlag(1, 2)
					g.DetectedAt = c.now()
					d.add(0, g)
					sleepVirtual(time.Minute)
				}
				require.Len(t, d.sink.Alerts(), 1, "once")
				c.set(0)
				sleepVirtual(2 * time.Hour)
				require.Len(t, d.sink.Alerts(), 1, "and not again")
				require.True(t, d.Idle())
			})
		})
	}
}
