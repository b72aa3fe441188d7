package dispatch

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// testClock is a wall clock that can jump.
type testClock struct{ ahead atomic.Int64 }

func (c *testClock) now() time.Time { return time.Now().Add(time.Duration(c.ahead.Load())).Round(0) }

func (c *testClock) set(ahead time.Duration) { c.ahead.Store(int64(ahead)) }

// TestClockSetBack: after a restart, records of a clock that was ahead delay nothing beyond the configured intervals, with and
// without edits. No group gets more messages than the intervals allow. Within a process, time is monotonic.
func TestClockSetBack(t *testing.T) {
	const years = 10 * 365 * 24 * time.Hour
	for _, jump := range []time.Duration{years, 24 * time.Hour, time.Hour} {
		for _, edits := range []bool{true, false} {
			t.Run(fmt.Sprintf("%v, edits %v", jump, edits), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { clockSetBack(t, jump, edits) })
			})
		}
	}
}

func clockSetBack(t *testing.T, jump time.Duration, edits bool) {
	var c testClock
	o := harnessOptions{fakeSink: &memorySink{}, groups: GroupOptions{NewMessages: BucketOptions{Burst: 2, Every: time.Minute}}}
	if !edits {
		o.notifier = postOnlySink{memorySink: o.fakeSink}
	}
	d := newHarness(t, o)
	d.Now = c.now
	d.run()
	flags := 0
	raise := func(groups int) {
		for n := range groups {
			f := similarFlag(n, flags)
			f.DetectedAt = c.now()
			d.add(0, f)
			flags++
			sleepVirtual(time.Second)
		}
	}
	sent := func() int64 { incidents, _ := o.fakeSink.Delivered(); return incidents }
	raise(1)
	sleepVirtual(time.Minute)
	c.set(jump)
	raise(6) // more than the token bucket holds
	c.set(0)
	d.stop()
	o.logs = d.logs
	d = newHarness(t, o)
	d.Now = c.now
	d.run()
	before := len(o.fakeSink.Alerts())
	raise(6)
	sleepVirtual(5 * time.Minute)
	if edits {
		require.EqualValues(t, flags, sent(), "edits wait a minute")
	}
	sleepVirtual(d.store.options.Repeat)
	require.EqualValues(t, flags, sent())
	require.LessOrEqual(t, len(o.fakeSink.Alerts())-before, 13, "no burst of messages")
	f := similarFlag(100, flags)
	f.DetectedAt = c.now()
	d.add(0, f)
	sleepVirtual(time.Minute)
	require.EqualValues(t, flags+1, sent(), "a new group is posted")
	sleepVirtual(d.store.options.Resolve + 2*cleanUpInterval)
	require.Empty(t, d.store.groups, "resolved groups leave memory")
	d.stop()
}
