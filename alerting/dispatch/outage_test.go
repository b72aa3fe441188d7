package dispatch

import (
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestOutage: six hours without Slack. Memory stays bounded; afterwards there is one digest of stale incidents for each tenant
// and severity, fresh incidents get other messages, and nothing is lost or counted twice.
func TestOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for _, limit := range []int{600, DefaultGroupOptions().MaxGroups} {
		t.Run(fmt.Sprintf("%d groups", limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { runOutage(t, limit) })
		})
	}
}

func runOutage(t *testing.T, limit int) {
	const tenants, partitions = 3, 12
	const outage, every = 6 * time.Hour, 2 * time.Second
	var down atomic.Bool
	down.Store(true)
	sink := &memorySink{Fail: func(string, *schemas.Alert) error {
		if down.Load() {
			return errSinkDown
		}
		return nil
	}}
	d := newHarness(t, harnessOptions{partitions: partitions, fakeSink: sink, groups: GroupOptions{MaxGroups: limit}}).run()
	most, added := 0, 0
	for start := time.Now(); time.Since(start) < outage; sleepVirtual(every) {
		f := outageFlag(added, tenants, time.Since(start))
		require.Equal(t, Grouped, d.add(int32(added/7%partitions), f))
		added++
		if added%60 == 0 {
			s := d.totals()
			require.LessOrEqual(t, s.groups, limit+2*tenants*partitions)
			require.LessOrEqual(t, len(d.store.messages), limit)
			most = max(most, s.groups)
		}
	}
	require.Equal(t, limit == 600, most >= limit, "one of the tests reaches the limit")
	require.Empty(t, sink.Alerts())
	require.Greater(t, d.totals().oldestPending, 5.9*3600)
	down.Store(false)
	sleepVirtual(30 * time.Minute)
	require.True(t, d.Idle())
	require.Zero(t, d.totals().pending)
	require.Zero(t, d.totals().oldestPending)
	sent, unmarked := sink.Delivered()
	require.EqualValues(t, added, sent)
	require.Zero(t, unmarked)
	stale, other := map[string]int{}, map[string]int{}
	for _, a := range sink.Alerts() {
		require.False(t, a.PossiblyDuplicated)
		severity := fmt.Sprintf("%s %s", a.Tenant, a.Severity)
		if a.Cause == schemas.DigestStale {
			stale[severity]++
			require.Positive(t, a.Count)
			require.LessOrEqual(t, len(a.Groups), listedGroups)
		} else {
			other[severity]++
		}
	}
	require.Len(t, stale, 2*tenants)
	for severity, n := range stale {
		require.Equal(t, 1, n, severity)
		require.Positive(t, other[severity], "fresh incidents get other messages")
	}
	t.Logf("%d flags in %s; at most %d groups in memory (limit %d); sent afterwards: %d stale digests and %d other messages",
		added, outage, most, limit, len(stale), len(sink.Posts)-len(stale))
}

// outageFlag is the i-th flag. The failing services change every ten minutes.
func outageFlag(i, tenants int, at time.Duration) schemas.Flag {
	f := similarFlag(int(at/(10*time.Minute))*10+i%2, i)
	f.Tenant = fmt.Sprintf("tenant-%d", i%tenants)
	if i%5 == 0 {
		f = asSevere(f)
	}
	return f
}
