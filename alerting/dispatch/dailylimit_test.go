package dispatch

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// problem is the flag of the i-th problem; each has a model, and so a group, of its own.
func problem(i int) schemas.Flag {
	f := similarFlag(i, 0)
	f.Model = fmt.Sprint("model-", i)
	return f
}

// limitedGroups allows so many new messages in 24 hours, as fast as they come.
func limitedGroups(limit int) GroupOptions {
	return GroupOptions{DailyLimit: limit, NewMessages: BucketOptions{Burst: 1000, Every: time.Second}}
}

// ownAndDigests counts the posted messages of single groups, the digests by cause, and all incidents that they show.
func (d *harness) ownAndDigests() (own int, digests map[schemas.DigestCause]int, incidents int64) {
	digests = map[schemas.DigestCause]int{}
	for _, a := range d.sink.Alerts() {
		if a.Kind == schemas.AlertDigest {
			digests[a.Cause]++
		} else {
			own++
		}
	}
	incidents, _ = d.sink.Delivered()
	return own, digests, incidents
}

// TestDailyLimit: problems beyond the limit share one digest, which is edited; a day after the first message there is one
// more.
func TestDailyLimit(t *testing.T) {
	runVirtual(t, harnessOptions{groups: limitedGroups(3), partitions: 2}, func(t *testing.T, d *harness) {
		for i := range 20 {
			d.add(int32(i%2), problem(i))
			sleepVirtual(5 * time.Minute)
		}
		sleepVirtual(10 * time.Minute)
		own, digests, incidents := d.ownAndDigests()
		require.Equal(t, 3, own)
		require.Equal(t, map[schemas.DigestCause]int{schemas.DigestDailyLimit: 1}, digests)
		require.EqualValues(t, 20, incidents)
		sleepVirtual(24*time.Hour - 108*time.Minute) // two minutes more than a day since the first message
		d.add(0, problem(100))
		d.add(1, problem(101))
		sleepVirtual(time.Minute)
		own, digests, incidents = d.ownAndDigests()
		require.Equal(t, 4, own, "a message of yesterday no longer counts")
		require.Equal(t, 2, digests[schemas.DigestDailyLimit])
		require.EqualValues(t, 22, incidents)
	})
}

func TestDailyLimitIsSharedByTenantsAndSeverities(t *testing.T) {
	runVirtual(t, harnessOptions{groups: limitedGroups(4)}, func(t *testing.T, d *harness) {
		for i := range 8 {
			f := problem(i)
			f.Tenant = fmt.Sprint("tenant-", i%2)
			if i%3 == 0 {
				f = asSevere(f)
			}
			d.add(0, f)
			sleepVirtual(time.Second)
		}
		sleepVirtual(5 * time.Minute)
		own, _, incidents := d.ownAndDigests()
		require.Equal(t, 4, own)
		require.EqualValues(t, 8, incidents)
	})
}

// TestDailyLimitBurst: of problems at once the first get messages of their own, the others a digest at once.
func TestDailyLimitBurst(t *testing.T) {
	runVirtual(t, harnessOptions{groups: limitedGroups(2)}, func(t *testing.T, d *harness) {
		d.sink.SetDown(true)
		for i := range 9 {
			d.add(0, problem(i))
		}
		sleepVirtual(10 * time.Second)
		d.sink.SetDown(false)
		sleepVirtual(5 * time.Minute)
		own, digests, incidents := d.ownAndDigests()
		require.Equal(t, 2, own)
		require.Equal(t, map[schemas.DigestCause]int{schemas.DigestDailyLimit: 1}, digests)
		require.EqualValues(t, 9, incidents)
	})
}

// TestDailyLimitSurvivesRestarts: after each of many restarts, and after a crash at any record, the limit holds and no
// incident is counted twice or lost.
func TestDailyLimitSurvivesRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit, problems = 5, 24
		o := harnessOptions{groups: limitedGroups(limit), partitions: 3}
		d := newHarness(t, o).run()
		for i := range problems {
			d.add(int32(i%3), problem(i))
			sleepVirtual(10 * time.Minute)
			d.stop()
			o.logs, o.fakeSink = d.logs, d.sink
			d = newHarness(t, o).run()
		}
		sleepVirtual(2 * time.Hour)
		own, _, incidents := d.ownAndDigests()
		require.Equal(t, limit, own)
		require.EqualValues(t, problems, incidents)
	})
}

// TestDailyLimitOfReplicas: two replicas never post more than the limit, wherever partitions move.
func TestDailyLimitOfReplicas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 7
		o := harnessOptions{groups: limitedGroups(limit), partitions: 4, own: []int32{0, 1, 2, 3}}
		d := newHarness(t, o).run()
		for i := range 4 {
			d.add(int32(i), problem(i))
			sleepVirtual(time.Minute)
		}
		d.stop()
		o.logs, o.fakeSink = d.logs, d.sink
		o.own = []int32{0, 1}
		a := newHarness(t, o).run()
		o.own = []int32{2, 3}
		b := newHarness(t, o).run()
		for i := range 40 {
			a.add(int32(i%2), problem(100+i))
			b.add(int32(2+i%2), problem(200+i))
			sleepVirtual(time.Minute)
		}
		sleepVirtual(2 * time.Hour)
		own, _, incidents := b.ownAndDigests()
		require.LessOrEqual(t, own, limit)
		require.GreaterOrEqual(t, own, limit-1, "parts of the limit are rounded down")
		require.EqualValues(t, 84, incidents)
	})
}

// TestDailyLimitWithoutEdits: a sink that cannot edit gets a digest at most once an hour, and its incidents do not count as
// undelivered.
func TestDailyLimitWithoutEdits(t *testing.T) {
	sink := &memorySink{}
	o := harnessOptions{groups: limitedGroups(1), notifier: notifyOnly{sink}, fakeSink: sink}
	runVirtual(t, o, func(t *testing.T, d *harness) {
		for i := range 24 {
			d.add(0, problem(i))
			sleepVirtual(10 * time.Minute)
			require.Less(t, d.totals().oldestPending, 60., "held back by intention")
		}
		sleepVirtual(time.Hour)
		own, digests, incidents := d.ownAndDigests()
		require.Equal(t, 1, own)
		require.LessOrEqual(t, digests[schemas.DigestDailyLimit], 6)
		require.EqualValues(t, 24, incidents)
	})
}

// TestDailyLimitWriteFails: a message that the log does not count is not posted.
func TestDailyLimitWriteFails(t *testing.T) {
	runVirtual(t, harnessOptions{groups: limitedGroups(2)}, func(t *testing.T, d *harness) {
		d.logs[0].SetFail(func(entries []alerting.StateEntry) error {
			for _, e := range entries {
				if e.Key == dailyLimitKey {
					return fmt.Errorf("the broker is away")
				}
			}
			return nil
		})
		d.add(0, problem(0))
		sleepVirtual(time.Minute)
		require.Empty(t, d.sink.Alerts())
		d.logs[0].SetFail(nil)
		sleepVirtual(5 * time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		d.add(0, problem(1))
		sleepVirtual(time.Minute)
		require.Len(t, d.sink.Alerts(), 2, "the failed writes counted nothing")
	})
}

// notifyOnly is a sink that cannot edit.
type notifyOnly struct{ alerting.Notifier }
