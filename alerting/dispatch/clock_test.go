package dispatch

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestClockJumps: a jump of the clock loses no alert, posts none twice and causes no busy loop.
func TestClockJumps(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	for name, jump := range map[string]time.Duration{
		"10 years ahead": years, "10 years back": -years, "an hour back": -time.Hour, "an hour ahead": time.Hour, "a second back": -time.Second,
	} {
		for _, back := range []bool{false, true} {
			title := name
			if back {
				title += ", and corrected"
			}
			t.Run(title, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var by atomic.Int64
					var asked atomic.Int64
					d := newHarness(t, harnessOptions{})
					d.Now = func() time.Time {
						asked.Add(1)
						return time.Now().Add(time.Duration(by.Load())).Round(0) // the wall clock alone
					}
					d.run()
					flags := 0
					raise := func() {
						for range 3 {
							f := similarFlag(flags, flags)
							f.DetectedAt = d.Now()
							d.add(0, f)
							flags++
						}
						<-time.After(5 * time.Minute)
					}
					raise()
					by.Store(int64(jump))
					raise()
					if back {
						by.Store(0)
						raise()
					}
					asked.Store(0)
					<-time.After(5 * time.Minute)
					incidents, _ := d.sink.Delivered()
					require.EqualValues(t, flags, incidents)
					require.LessOrEqual(t, len(d.sink.Alerts()), flags)
					require.Less(t, asked.Load(), int64(10_000), "no busy loop")
					d.stop()
				})
			})
		}
	}
}
