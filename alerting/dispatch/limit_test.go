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

// uniqueFlag is a flag with a tenant, service and model of its own.
func uniqueFlag(i int) schemas.Flag {
	f := similarFlag(i, i)
	f.Tenant, f.Model = fmt.Sprint("tenant-", i), fmt.Sprint("model-", i)
	if i%2 == 0 {
		f = asSevere(f)
	}
	return f
}

// TestProducerNamesAreBounded: 3,000 names do not exceed the limit, every incident is shown, and a configured tenant still gets
// messages of its own, before and after a restart.
func TestProducerNamesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const names, limit = 3000, 300
		policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{"bank": {}}})
		o := harnessOptions{partitions: 3, policy: policy, groups: GroupOptions{MaxGroups: limit}}
		d := newHarness(t, o).run()
		added, banks := 0, 0
		flood := func(from int) {
			for i := from; i < from+names; i++ {
				require.Equal(t, Grouped, d.add(int32(i%3), uniqueFlag(i)))
				added++
				if i%500 == 250 {
					f := similarFlag(100_000+i, i)
					f.Tenant = "bank"
					require.Equal(t, Grouped, d.add(int32(i%3), f))
					added, banks = added+1, banks+1
				}
				sleepVirtual(20 * time.Millisecond)
				require.LessOrEqual(t, d.totals().groups, limit+3*2*(maxPools+2), "and the groups of what is over the limit")
			}
			require.Positive(t, d.suppressed(stateLimit))
		}
		shownBanks := func() (n int64) {
			for _, a := range d.sink.Alerts() {
				if a.Tenant == "bank" {
					n += a.Count
				}
			}
			return n
		}
		flood(0)
		sleepVirtual(time.Minute)
		require.EqualValues(t, banks, shownBanks())
		d.stop()
		o.logs, o.fakeSink = d.logs, d.sink
		d = newHarness(t, o).run()
		flood(names)
		sleepVirtual(time.Minute)
		require.EqualValues(t, banks, shownBanks())
		sleepVirtual(3 * time.Hour)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, added, sent)
		require.Less(t, groupsIn(d.logs), 60, "groups outside the state are not in the log")
		require.Contains(t, d.output.String(), "alert state is full")
	})
}

// TestAtTheLimit: the incidents of new groups are counted in one group of their tenant and severity, which is shown.
func TestAtTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 40
		policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{"bank": {}}})
		sink := &memorySink{}
		sink.SetDown(true)
		d := newHarness(t, harnessOptions{policy: policy, groups: GroupOptions{MaxGroups: limit}, fakeSink: sink}).run()
		for i := range 5 * limit {
			d.add(0, uniqueFlag(i))
		}
		require.Equal(t, 5*limit-limit*3/4, d.suppressed(stateLimit), "a quarter is left to configured tenants")
		for i := range limit {
			f := similarFlag(1000+i, i)
			f.Tenant = "bank"
			d.add(0, f)
		}
		require.LessOrEqual(t, d.totals().groups, limit+2*maxPools+3)
		require.EqualValues(t, 6*limit, d.totals().pending)
		sink.SetDown(false)
		sleepVirtual(3 * time.Hour)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, 6*limit, sent)
		before := d.suppressed(stateLimit)
		d.add(0, uniqueFlag(9999))
		require.Equal(t, before, d.suppressed(stateLimit), "delivered groups have left")
	})
}

// TestLoadBeyondLimit: a lowered limit loses nothing: loaded groups stay until they are delivered.
func TestLoadBeyondLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const names, limit = 400, 100
		o := harnessOptions{partitions: 2}
		d := newHarness(t, o)
		for i := range names {
			d.add(int32(i%2), uniqueFlag(i))
		}
		o.logs, o.groups = d.logs, GroupOptions{MaxGroups: limit}
		d = newHarness(t, o)
		require.EqualValues(t, names, d.totals().pending)
		d.run()
		sleepVirtual(4 * time.Hour)
		sent, unmarked := d.sink.Delivered()
		require.EqualValues(t, names, sent)
		require.Zero(t, unmarked)
		require.Less(t, groupsIn(d.logs), limit)
	})
}

// TestSilencesAreBounded: a silence over the limit is logged and not in force.
func TestSilencesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{})
		silence := func(i int) schemas.Silence {
			return schemas.Silence{ID: fmt.Sprint(i), From: time.Now(), Until: time.Now().Add(time.Hour), Matchers: schemas.AlertGroupLabels{Service: fmt.Sprint("s-", i)}}
		}
		for i := range maxSilences {
			d.Silence(silence(i))
		}
		require.Empty(t, d.output.String())
		d.Silence(silence(maxSilences))
		require.Contains(t, d.output.String(), "silence is not in force")
		d.Silence(silence(0)) // a change of one that is in force
		require.Len(t, d.store.silences, maxSilences)
	})
}

// TestSilencesOutliveARestart: of more silences than the limit the oldest are in force again after a restart.
func TestSilencesOutliveARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{})
		for i := range maxSilences + 500 {
			silence := schemas.Silence{ID: fmt.Sprint(i), From: time.Now(), Until: time.Now().Add(time.Hour), Matchers: schemas.AlertGroupLabels{Service: fmt.Sprint("s-", i)}}
			state := schemas.AlertState{Status: schemas.AlertSilence, Silence: &silence, UpdatedAt: time.Now()}
			require.NoError(t, d.logs[0].Put(t.Context(), alerting.StateEntry{Key: silence.ID, State: &state}))
			sleepVirtual(time.Second)
		}
		d = newHarness(t, harnessOptions{logs: d.logs})
		for i := range maxSilences {
			require.Contains(t, d.store.silences, fmt.Sprint(i))
		}
		require.Len(t, d.store.silences, maxSilences)
	})
}

// TestSilenceOfTheSharedGroup: a silence of the group that counts what does not fit holds back what it would count.
func TestSilenceOfTheSharedGroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const limit = 40
		sink := &memorySink{}
		sink.SetDown(true)
		d := newHarness(t, harnessOptions{groups: GroupOptions{MaxGroups: limit}, fakeSink: sink}).run()
		for i := range 2 * limit {
			d.add(0, uniqueFlag(i))
		}
		for _, severity := range []bool{false, true} {
			k := groupKind{labels: schemas.AlertGroupLabels{Tenant: d.store.pool("new")}}
			f := uniqueFlag(1000)
			if severity {
				f = uniqueFlag(1001)
			}
			k.severity = d.store.kindOf(&f).severity
			d.Silence(schemas.Silence{ID: fmt.Sprint(severity), From: time.Now(), Until: time.Now().Add(time.Hour), Group: k.key()})
		}
		before := d.suppressed(silenced)
		for i := range 10 {
			d.add(0, uniqueFlag(2000+i))
		}
		require.Equal(t, before+10, d.suppressed(silenced))
	})
}

// groupsIn counts the live records of groups.
func groupsIn(logs []*memoryLog) (n int) {
	for _, l := range logs {
		for key := range l.State {
			if s, ok := l.Get(key); ok && s.Group != nil {
				n++
			}
		}
	}
	return n
}
