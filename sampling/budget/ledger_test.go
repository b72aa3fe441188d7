package budget_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/sampling/budget"
)

const today, tomorrow, later = "|2026-11-21T00:00:00Z/86400s|0", "|2026-11-22T00:00:00Z/86400s|0", "|2026-11-23T00:00:00Z/86400s|0"

func TestAReservationIsWrittenBeforeItIsGranted(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	g := r.granted(l, "a", 100)
	require.Equal(t, map[string]string{"a" + today: `{"v":1,"reserved":100,"spent":0}`}, r.records())
	r.granted(l, "a", 400)
	require.Equal(t, map[string]string{"a" + today: `{"v":1,"reserved":500,"spent":0}`}, r.records())
	g.ReportUsage(30)
	g.ReportUsage(0) // no effect
	r.granted(l, "a", 70)
	require.Equal(t, 2, r.topic.appends, "what a call left is used by the next")
	r.granted(l, "b", 1).ReportUsage(0)
	r.granted(l, "a", 1)
	require.Equal(t, map[string]string{
		"a" + today: `{"v":1,"reserved":501,"spent":30}`, "b" + today: `{"v":1,"reserved":0,"spent":0}`,
	}, r.records())
}

func TestNothingIsGrantedBeyondTheLimits(t *testing.T) {
	r := newLedgerTest(t)
	r.opts.Tenants = map[string]int64{"small": 900, "off": 0}
	r.opts.Budget.TokensPerTenant = 6000
	l := r.process()
	r.granted(l, "small", 900)
	r.refused(l, "small", 1, budget.RefusedTenant)
	r.refused(l, "off", 1, budget.RefusedTenant)
	r.granted(l, "b", 6000)
	r.refused(l, "b", 1, budget.RefusedTenant)
	r.granted(l, "c", 1000)
	r.refused(l, "c", 101, budget.RefusedTotal)
	r.granted(l, "d", 100)
	r.refused(l, "e", 1, budget.RefusedTotal)
	r.refused(l, "e", math.MaxInt64, budget.RefusedTotal)
	require.Len(t, r.records(), 4, "who got nothing has no record")
}

func TestPartitionsShareTheLimits(t *testing.T) {
	r := newLedgerTest(t)
	r.opts.Partitions, r.opts.Tenants = 3, map[string]int64{"small": 4}
	l := r.process()
	var got, small int64
	for p := range int32(4) { // the fourth was added later
		l.Assign(p)
		for {
			g, err := l.Reserve(t.Context(), "small", p, 1)
			require.NoError(t, err)
			if !g.OK {
				break
			}
			small++
		}
		for {
			g, err := l.Reserve(t.Context(), "a", p, 1)
			require.NoError(t, err)
			if !g.OK {
				break
			}
			got++
		}
	}
	require.EqualValues(t, 4, small)
	require.EqualValues(t, 8000, got+small)
}

func TestACrashLosesOpenGrants(t *testing.T) {
	r := newLedgerTest(t)
	r.granted(r.process(), "a", 100) // the process dies here
	l := r.process()
	r.granted(l, "a", 7900)
	r.refused(l, "a", 1, budget.RefusedTotal)
}

func TestACleanReleaseLosesNothing(t *testing.T) {
	for name, end := range map[string]func(*budget.Ledger){
		"release": func(l *budget.Ledger) { l.Release(t.Context(), 0) },
		"close":   func(l *budget.Ledger) { l.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			r := newLedgerTest(t)
			l := r.process()
			g := r.granted(l, "a", 100)
			r.granted(l, "a", 50).ReportUsage(20)
			end(l)
			end(l)
			require.Equal(t, map[string]string{"a" + today: `{"v":1,"reserved":120,"spent":20}`}, r.records())
			require.Equal(t, r.topic.opens, r.topic.closed)
			g.ReportUsage(0) // too late: another owner may have counted it
			require.ErrorContains(t, r.fails(l, "a", 1), "not assigned")
			r.granted(r.process(), "a", 7880)
		})
	}
}

func TestAReleaseWithoutTimeLosesWhatIsLeft(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	r.granted(l, "a", 500).ReportUsage(100)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	l.Release(gone, 0)
	require.Equal(t, map[string]string{"a" + today: `{"v":1,"reserved":500,"spent":0}`}, r.records())
	require.Equal(t, 1, r.topic.closed)
	l.Release(gone, 3) // never owned
}

// TestAZombieReservesNothing: a process pauses, another one opens its partition, it resumes.
func TestAZombieReservesNothing(t *testing.T) {
	r := newLedgerTest(t)
	zombie := r.process()
	r.granted(zombie, "a", 500).ReportUsage(100)
	heir := r.process()
	r.granted(heir, "a", 100)

	r.granted(zombie, "a", 400) // what a call left, which the new owner counts as used
	require.ErrorIs(t, r.fails(zombie, "a", 1), errFenced)
	before := r.topic.opens
	require.ErrorContains(t, r.fails(zombie, "a", 1), "opened again in 5s")
	require.Equal(t, before, r.topic.opens, "it does not take the partition back at once")
	zombie.Release(t.Context(), 0) // after the rebalance

	r.granted(heir, "a", 7400)
	r.refused(heir, "a", 1, budget.RefusedTotal)
}

func TestAFailedWriteGrantsNothing(t *testing.T) {
	for name, applied := range map[string]bool{"and was not applied": false, "and was applied": true} {
		t.Run(name, func(t *testing.T) {
			r := newLedgerTest(t)
			l := r.process()
			r.granted(l, "a", 100)
			left := int64(8000 - 100)
			r.topic.fail = func() (before, after error) {
				if applied {
					return nil, errDown
				}
				return errDown, nil
			}
			if applied {
				left -= 1000
			}
			require.ErrorIs(t, r.fails(l, "a", 1000), errDown)
			r.topic.fail = nil
			require.ErrorContains(t, r.fails(l, "a", 1), "opened again")
			r.clock.move(5 * time.Second)
			r.granted(l, "a", left)
			r.refused(l, "a", 1, budget.RefusedTotal)
		})
	}
}

func TestWindowsAreIndependent(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	first := r.granted(l, "a", 7900)
	r.clock.move(14 * time.Hour)
	second := r.granted(l, "a", 7000)
	first.ReportUsage(0)
	r.refused(l, "a", 1001, budget.RefusedTotal) // tokens of yesterday do not carry over
	require.Len(t, r.records(), 2, "yesterday is kept for reports")
	second.ReportUsage(7000)
	r.clock.move(24 * time.Hour)
	r.granted(l, "b", 1)
	require.Equal(t, map[string]string{
		"a" + tomorrow: `{"v":1,"reserved":7000,"spent":0}`, "b" + later: `{"v":1,"reserved":1,"spent":0}`,
	}, r.records())

	r.clock.move(48 * time.Hour)
	l = r.process()
	r.granted(l, "b", 8000)
	require.Len(t, r.records(), 1, "a new owner cleans up as well")
}

func TestTheWindowEndsWhileItIsWritten(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	r.topic.during = func() { r.topic.during = nil; r.clock.move(14 * time.Hour) }
	r.granted(l, "a", 8000)
	require.Equal(t, map[string]string{
		"a" + today: `{"v":1,"reserved":8000,"spent":0}`, "a" + tomorrow: `{"v":1,"reserved":8000,"spent":0}`,
	}, r.records(), "the call falls into the window that pays for it")
}

func TestAClockThatGoesBack(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	r.clock.move(24 * time.Hour)
	r.granted(l, "a", 7000)
	r.clock.move(-15 * time.Hour)
	r.refused(l, "a", 1001, budget.RefusedTotal)
	l = r.process()
	r.refused(l, "a", 1001, budget.RefusedTotal)
	r.granted(l, "a", 10)
	r.clock.move(-48 * time.Hour)
	require.ErrorContains(t, r.fails(l, "a", 10), "correct the clock")
	require.ErrorContains(t, r.fails(r.process(), "a", 10), "correct the clock")
}

func TestForeignRecords(t *testing.T) {
	r := newLedgerTest(t)
	r.topic.values[0] = map[string][]byte{
		"x": nil, "a|2026-11-21T00:00:00Z/86400s|1": []byte("damaged, but of another partition"),
		"a|2026-11-21T10:00:00Z/3600s|0":  []byte(`{"v":1,"reserved":7999}`), // another window length
		"a|2026-11-20T00:00:00Z/86400s|0": []byte("damaged, but of yesterday"),
	}
	l := r.process()
	r.granted(l, "a", 8000)
	r.topic.values[0]["a"+today] = []byte(`{"reserved":"1"}`)
	err := r.fails(r.process(), "a", 1)
	require.ErrorContains(t, err, `delete the key "a`+today)
}

func TestMoreUsedThanGranted(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	r.granted(l, "a", 100).ReportUsage(math.MinInt64)
	r.granted(l, "a", 100).ReportUsage(7000)
	r.refused(l, "a", 1001, budget.RefusedTotal)
	r.granted(l, "b", 1)
	require.JSONEq(t, `{"v":1,"reserved":7000,"spent":7000}`, r.records()["a"+today], "the next owner knows")
	r.granted(l, "b", 1).ReportUsage(math.MaxInt64)
	r.refused(l, "c", 1, budget.RefusedTotal)
}

func TestReserveHonoursTheContext(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	writing, release := make(chan struct{}), make(chan struct{})
	r.topic.during = func() { r.topic.during = nil; close(writing); <-release }
	done := make(chan error, 1)
	go func() { _, err := l.Reserve(t.Context(), "a", 0, 100); done <- err }()
	<-writing
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := l.Reserve(ctx, "a", 0, 100)
	require.ErrorIs(t, err, context.Canceled)
	l.Release(t.Context(), 0) // during the write: the writer closes the log
	close(release)
	require.NoError(t, <-done)
	require.Equal(t, 1, r.topic.closed)
}

func TestLedgerRefuses(t *testing.T) {
	r := newLedgerTest(t)
	require.ErrorContains(t, r.fails(r.process(), "a", 0), "1 or more")
}

// What may be left out keeps to the part of the window that is over, so that the rest has tokens.
func TestPace(t *testing.T) {
	r := newLedgerTest(t)
	l := r.process()
	require.True(t, l.OnPace(0), "nothing is used")
	require.True(t, l.OnPace(7), "another partition")
	begin := r.clock.Now().UTC().Truncate(24 * time.Hour)
	r.clock.move(begin.Add(30 * time.Hour).Sub(r.clock.Now())) // six hours into the next window
	used := r.granted(l, "a", r.opts.Budget.TokensPerWindow/4)
	require.True(t, l.OnPace(0))
	r.granted(l, "b", 1)
	require.False(t, l.OnPace(0))
	used.ReportUsage(0)
	require.True(t, l.OnPace(0), "it was returned")
	r.granted(l, "a", r.opts.Budget.TokensPerWindow/2)
	require.False(t, l.OnPace(0))
	r.clock.move(24 * time.Hour)
	require.True(t, l.OnPace(0), "a new window")
}
