package dispatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/schemas"
)

// TestGroupsEndAtTheSink: once, after the resolve timeout, by their key; not while incidents come, and not a group whose
// next generation has begun.
func TestGroupsEndAtTheSink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &alerttest.ResolvingSink{FakeSink: &alerttest.FakeSink{}}
		d := newHarness(t, harnessOptions{partitions: 2, notifier: sink, fakeSink: sink.FakeSink}).run()
		d.add(0, alerttest.SimilarFlag(1, 1))
		sleepVirtual(30 * time.Minute)
		d.add(1, alerttest.SimilarFlag(1, 2))
		sleepVirtual(50 * time.Minute)
		require.Empty(t, sink.Ended(), "an incident came less than an hour ago")
		sleepVirtual(15 * time.Minute)
		require.Len(t, sink.Ended(), 1)
		ended := sink.Ended()[0]
		require.Equal(t, sink.Alerts()[0].Group, ended.Group)
		require.Equal(t, sink.Alerts()[0].Message, ended.Message)
		require.EqualValues(t, 2, ended.Count)
		sleepVirtual(5 * time.Hour)
		require.Len(t, sink.Ended(), 1, "once")
		require.Zero(t, d.totals().groups, "it is out of the state")

		d.add(0, alerttest.SimilarFlag(1, 3))
		sleepVirtual(2 * time.Hour)
		require.Len(t, sink.Alerts(), 2)
		require.Len(t, sink.Ended(), 2, "its next generation")
		require.Equal(t, ended.Group, sink.Ended()[1].Group)
		require.NotEqual(t, ended.Message, sink.Ended()[1].Message)
	})
}

// TestEndIsRepeated: a sink that is down when a group ends is notified later, also by the next process; a group that has begun
// again meanwhile is not ended.
func TestEndIsRepeated(t *testing.T) {
	for _, restart := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			sink := &alerttest.ResolvingSink{FakeSink: &alerttest.FakeSink{}}
			o := harnessOptions{notifier: sink, fakeSink: sink.FakeSink}
			d := newHarness(t, o).run()
			d.add(0, alerttest.SimilarFlag(1, 1))
			d.add(0, alerttest.SimilarFlag(2, 1))
			sleepVirtual(10 * time.Minute)
			sink.SetDown(true)
			sleepVirtual(2 * time.Hour)
			require.Empty(t, sink.Ended())
			if restart {
				d.stop()
				o.logs = d.logs
				d = newHarness(t, o).run()
			}
			d.add(0, alerttest.SimilarFlag(2, 2))
			sink.SetDown(false)
			sleepVirtual(10 * time.Minute)
			require.Len(t, sink.Ended(), 1, "group 2 has begun again")
			require.Equal(t, "service-1", sink.Ended()[0].Flag.Service)
			require.Len(t, sink.Alerts(), 3)
			sleepVirtual(2 * time.Hour)
			require.Len(t, sink.Ended(), 2)
		})
	}
}

// TestDigestsEnd: as one, by their message; a refusal is not repeated.
func TestDigestsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &alerttest.ResolvingSink{FakeSink: &alerttest.FakeSink{}}
		refused := 0
		sink.Fail = func(op string, a *schemas.Alert) error {
			if op == "resolve" && a.Kind == schemas.AlertGroup {
				refused++
				return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonRefused, Op: op}
			}
			return nil
		}
		d := newHarness(t, harnessOptions{notifier: sink, fakeSink: sink.FakeSink, groups: GroupOptions{
			NewMessages: BucketOptions{Burst: 1, Every: time.Hour},
		}}).run()
		for n := range 4 {
			d.add(0, alerttest.SimilarFlag(n, 1))
		}
		sleepVirtual(5 * time.Minute)
		require.Len(t, sink.Alerts(), 2)
		sleepVirtual(3 * time.Hour)
		require.Len(t, sink.Ended(), 1)
		require.Equal(t, schemas.AlertDigest, sink.Ended()[0].Kind)
		require.EqualValues(t, 3, sink.Ended()[0].Count)
		require.Equal(t, 1, refused)
		require.Zero(t, d.totals().groups)
	})
}
