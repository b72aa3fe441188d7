package dispatch

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
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
				f := alerttest.SimilarFlag(1, 1)
				f.DetectedAt = c.now()
				d.add(0, f)
				sleepVirtual(5 * time.Second)
				if !tt.sent {
					require.Empty(t, d.sink.Alerts())
					sleepVirtual(3 * time.Hour)
					g := alerttest.SimilarFlag(1, 2)
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

// TestQuietHoursAndClock: alerts held back by quiet hours are sent once the clock is past their end, also after a jump.
func TestQuietHoursAndClock(t *testing.T) {
	quiet := alerting.NewPolicy(alerting.PolicyOptions{Default: alerting.RuleOptions{Quiet: []alerting.QuietHours{{From: "22:00", To: "07:00", TimeZone: "Europe/Berlin"}}}})
	for name, tt := range map[string]struct {
		at   string        // when the alert comes
		jump time.Duration // a minute later
		wait time.Duration // until it is sent, at most
	}{
		"spring forward: the night has 8 hours": {"2026-03-28T21:30:00Z", 0, 7*time.Hour + 31*time.Minute},
		"autumn back: the night has 10 hours":   {"2026-10-24T20:30:00Z", 0, 9*time.Hour + 31*time.Minute},
		"an ordinary night":                     {"2026-06-01T20:30:00Z", 0, 8*time.Hour + 31*time.Minute},
		"a jump into the day":                   {"2026-06-01T20:30:00Z", 12 * time.Hour, 9 * time.Hour},
		"a jump of 10 years":                    {"2026-06-01T20:30:00Z", 3652 * 24 * time.Hour, 9 * time.Hour},
		"back into the day before":              {"2026-06-01T20:30:00Z", -4 * time.Hour, time.Minute},
		"back by ten years":                     {"2026-06-01T20:30:00Z", -3652 * 24 * time.Hour, 9 * time.Hour},
	} {
		t.Run(name, func(t *testing.T) {
			at, err := time.Parse(time.RFC3339, tt.at)
			require.NoError(t, err)
			runVirtual(t, harnessOptions{policy: quiet}, func(t *testing.T, d *harness) {
				var c testClock
				d.Now = c.now
				c.set(time.Until(at))
				f := alerttest.SimilarFlag(1, 1)
				f.DetectedAt = c.now()
				d.add(0, f)
				sleepVirtual(time.Minute)
				require.Empty(t, d.sink.Alerts())
				c.set(time.Until(c.now().Add(tt.jump)))
				d.store.notifyAll()
				sleepVirtual(tt.wait)
				incidents, _ := d.sink.Delivered()
				require.EqualValues(t, 1, incidents)
				if tt.jump == 0 {
					sent := d.sink.Posts[0].At.Add(time.Until(c.now()))
					require.Equal(t, "07:00", sent.In(berlinTime(t)).Format("15:04"))
				}
			})
		})
	}
}

func berlinTime(t *testing.T) *time.Location {
	t.Helper()
	zone, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	return zone
}
