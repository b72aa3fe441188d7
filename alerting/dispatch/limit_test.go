package dispatch

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/dispatch/alertlog"
	"confab/alerting/dispatch/grouping"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// discardLog keeps nothing, so that the heap grows by the state only.
type discardLog struct{}

func (discardLog) Get(string) (schemas.AlertState, bool)            { return schemas.AlertState{}, false }
func (discardLog) Put(_ context.Context, _ ...alertlog.Entry) error { return nil }

// TestStateBytes compares the estimated size of the state with the heap.
func TestStateBytes(t *testing.T) {
	const groups = 5000
	d := newHarness(t, harnessOptions{own: []int32{}})
	d.Assign(0)
	require.NoError(t, d.Load(t.Context(), 0, discardLog{}, alerttest.NewFakeLog().Records()))
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	for i := range groups {
		require.Equal(t, state.Grouped, d.add(0, alerttest.SimilarFlag(i, i)))
	}
	took, estimate := heap()-before, d.totals().Bytes
	t.Logf("%d bytes of heap a group, estimated %d", took/groups, estimate/groups)
	require.Equal(t, groups, d.totals().Groups)
	require.Less(t, took, 2*estimate)
	require.Less(t, estimate, 2*took)
	require.Less(t, took/groups, 8000)
	runtime.KeepAlive(d)
}

// uniqueFlag is a flag with a tenant, service and model of its own.
func uniqueFlag(i int) schemas.Flag {
	f := alerttest.SimilarFlag(i, i)
	f.Tenant, f.Model = fmt.Sprint("tenant-", i), fmt.Sprint("model-", i)
	if i%2 == 0 {
		f = alerttest.HighSeverity(f)
	}
	return f
}

// TestProducerNamesAreBounded: 3,000 names do not exceed the limit, and a configured tenant still gets messages, before and
// after a restart.
func TestProducerNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const names, limit = 3000, 1 << 20
		policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{"bank": {}}})
		o := harnessOptions{partitions: 3, policy: policy, groups: grouping.GroupOptions{MaxBytes: limit}}
		d := newHarness(t, o).run()
		added, banks := 0, 0
		flood := func(from int) {
			for i := from; i < from+names; i++ {
				require.Equal(t, state.Grouped, d.add(int32(i%3), uniqueFlag(i)))
				added++
				if i%500 == 250 {
					f := alerttest.SimilarFlag(100_000+i, i)
					f.Tenant = "bank"
					require.Equal(t, state.Grouped, d.add(int32(i%3), f))
					added, banks = added+1, banks+1
				}
				sleepVirtual(20 * time.Millisecond)
				require.Less(t, d.totals().Bytes, limit*5/4)
			}
			require.Positive(t, d.suppressed(state.StateLimit))
		}
		sentBanks := func() (n int) {
			for _, a := range d.sink.Alerts() {
				if a.Kind == schemas.AlertGroup && a.Flag.Tenant == "bank" && a.Count == 1 {
					n++
				}
			}
			return n
		}
		flood(0)
		sleepVirtual(time.Second)
		require.Equal(t, banks, sentBanks())
		d.stop()
		o.logs, o.fakeSink = d.logs, d.sink
		d = newHarness(t, o).run()
		flood(names)
		sleepVirtual(time.Second)
		require.Equal(t, banks, sentBanks())
		sleepVirtual(3 * time.Hour)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, added, sent)
		require.Less(t, groupsIn(d.logs), 60, "groups outside the state are not in the log")
	})
}

// TestOnlyConfiguredTenantsHaveReservedGroups: at either limit a configured tenant still gets 20 groups of its own, and a tenant
// that the configuration does not name gets none.
func TestOnlyConfiguredTenantsHaveReservedGroups(t *testing.T) {
	const limit = 40
	probe := newHarness(t, harnessOptions{})
	probe.add(0, uniqueFlag(1))
	for name, groups := range map[string]grouping.GroupOptions{
		"groups": {MaxGroups: limit}, "bytes": {MaxBytes: limit * probe.totals().Bytes},
	} {
		t.Run(name, func(t *testing.T) {
			policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{"bank": {}}})
			d := newHarness(t, harnessOptions{policy: policy, groups: groups})
			next := 0
			add := func(tenant string, n int) (atLimit int) {
				before := d.suppressed(state.StateLimit)
				for range n {
					f := alerttest.SimilarFlag(next, next)
					f.Tenant, next = tenant, next+1
					require.Equal(t, state.Grouped, d.add(0, f))
				}
				return d.suppressed(state.StateLimit) - before
			}
			require.InDelta(t, 5*limit-limit*3/4, add("other", 5*limit), 3, "a quarter is left to configured tenants")
			require.Equal(t, 3, add("another", 3))
			require.Zero(t, add("bank", reservedForTenant))
			require.Equal(t, 3, add("bank", 3))
		})
	}
}

// groupsIn counts the live records of groups.
func groupsIn(logs []*alerttest.FakeLog) (n int) {
	for _, l := range logs {
		for key := range l.State {
			if s, ok := l.Get(key); ok && s.Group != nil {
				n++
			}
		}
	}
	return n
}

// TestLoadBeyondLimit: loaded groups that do not fit are counted together. The counts are exact after a crash at any record.
func TestLoadBeyondLimit(t *testing.T) {
	for crash := range 16 {
		t.Run(fmt.Sprint("crash after ", crash*27), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const names, limit = 1000, 512 << 10
				o := harnessOptions{partitions: 2}
				d := newHarness(t, o)
				for i := range names {
					d.add(int32(i%2), uniqueFlag(i))
				}
				before := len(d.logs[0].Journal)
				o.logs, o.groups = d.logs, grouping.GroupOptions{MaxBytes: limit}
				d = newHarness(t, o)
				require.LessOrEqual(t, d.totals().Bytes, limit*5/4)
				require.EqualValues(t, names, d.totals().Pending)
				d.shrinkState(t.Context()) // counts them together
				require.EqualValues(t, names, d.totals().Pending)
				require.Greater(t, len(o.logs[0].Journal), before+16*27)
				short := alerttest.NewFakeLog()
				for _, w := range o.logs[0].Journal[:before+crash*27] {
					short.Append(w)
				}
				o.logs = []*alerttest.FakeLog{short, o.logs[1]}
				d = newHarness(t, o)
				require.EqualValues(t, names, d.totals().Pending)
				d.run()
				sleepVirtual(4 * time.Hour)
				sent, unmarked := d.sink.Delivered()
				require.EqualValues(t, names, sent)
				require.Zero(t, unmarked)
				require.Less(t, groupsIn(d.logs), 20)
			})
		})
	}
}
