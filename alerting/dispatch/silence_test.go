package dispatch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestSilenceBeforeTheFirstMessage: incidents that were added before a silence and are still pending are sent after it.
func TestSilenceBeforeTheFirstMessage(t *testing.T) {
	for _, expired := range []bool{false, true} {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.sink.SetDown(true)
			d.add(0, similarFlag(1, 0))
			d.add(0, similarFlag(2, 0))
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

// TestSilenceHoldsByEveryIncident: a silence by labels holds a waiting group back only if each of its incidents has the
// labels, not by those of the first; also after a restart.
func TestSilenceHoldsByEveryIncident(t *testing.T) {
	for name, tt := range map[string]struct {
		services []string
		sent     bool
	}{
		"all have the label":        {[]string{"search", "search"}, false},
		"the first has another one": {[]string{"chat", "search"}, true},
		"the last has another one":  {[]string{"search", "chat"}, true},
	} {
		for _, restart := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, restart %v", name, restart), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					o := harnessOptions{groups: GroupOptions{By: []string{"tenant"}}, fakeSink: &memorySink{}}
					d := newHarness(t, o)
					for i, service := range tt.services {
						f := similarFlag(1, i)
						f.Service = service
						d.add(0, f)
					}
					if restart {
						o.logs = d.logs
						d = newHarness(t, o)
					}
					d.Silence(schemas.Silence{ID: "s", Until: time.Now().Add(time.Hour), Matchers: schemas.AlertGroupLabels{Service: "search"}})
					d.run()
					sleepVirtual(10 * time.Minute)
					require.Equal(t, tt.sent, len(d.sink.Alerts()) == 1)
					d.stop()
				})
			})
		}
	}
}
