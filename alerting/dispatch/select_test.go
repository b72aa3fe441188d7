package dispatch

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/dispatch/grouping"
	"confab/alerting/dispatch/state"
	"confab/schemas"
)

// TestSelectionMatchesFullSearch: on random sequences of incidents, deep passes, silences, failures, rebalances and time, the
// index selects what a full search selects.
func TestSelectionMatchesFullSearch(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &randomHarness{T: t, rand: rand.New(rand.NewPCG(seed, 1)), done: map[priority]int{}}
				policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{
					"bank": {}, "shop": {Alerting: alerting.RuleOptions{Quiet: []alerting.QuietHours{{From: "00:20", To: "01:00"}, {From: "02:10", To: "03:00"}}}},
				}})
				sink := &alerttest.FakeSink{Fail: r.fail}
				o := harnessOptions{partitions: 3, policy: policy, fakeSink: sink, groups: grouping.GroupOptions{MaxGroups: 120, Repeat: 30 * time.Minute, StaleAfter: 20 * time.Minute}}
				if seed%3 == 0 {
					o.notifier = alerttest.PostOnlySink{FakeSink: sink}
				}
				r.harness = newHarness(t, o)
				r.store.NewID = func() string { r.ids++; return fmt.Sprintf("%032x", r.ids) }
				for range 700 {
					r.step()
				}
				require.Positive(t, r.done[postHigh]+r.done[postNormal])
				require.Positive(t, r.done[postDigest]+r.done[postHighDigest])
			})
		})
	}
}

type randomHarness struct {
	*testing.T
	*harness
	rand     *rand.Rand
	made     int
	ids      int
	sinkDown bool
	done     map[priority]int
}

func (r *randomHarness) fail(string, *schemas.Alert) error {
	switch {
	case r.sinkDown:
		return alerttest.ErrDown
	case r.rand.IntN(12) == 0:
		return alerttest.ErrReplyLost
	}
	return nil
}

func (r *randomHarness) flag() schemas.Flag {
	f := alerttest.SimilarFlag(r.rand.IntN(40), r.made)
	f.Tenant = []string{"bank", "shop", fmt.Sprint("other-", r.rand.IntN(40))}[r.rand.IntN(3)]
	if r.rand.IntN(3) == 0 {
		f = alerttest.HighSeverity(f)
	}
	if r.rand.IntN(20) == 0 {
		f.Alert, f.AnomalousRates = false, map[string]float64{"citation": 0.9}
	}
	r.made++
	return f
}

func (r *randomHarness) step() {
	sleepVirtual(time.Duration(1+r.rand.IntN(1500)) * time.Millisecond)
	switch n := r.rand.IntN(100); {
	case n < 40:
		f := r.flag()
		r.add(int32(r.rand.IntN(3)), f)
		if r.rand.IntN(5) == 0 {
			r.add(int32(r.rand.IntN(3)), alerttest.DeepPass(f))
		}
	case n < 42:
		sleepVirtual(time.Duration(r.rand.IntN(15)) * time.Minute)
	case n < 43:
		s := schemas.Silence{ID: fmt.Sprint(r.rand.IntN(3)), Matchers: schemas.AlertGroupLabels{Service: fmt.Sprint("service-", r.rand.IntN(40))}}
		s.From = time.Now().Add(time.Duration(r.rand.IntN(3)) * time.Minute)
		s.Until = s.From.Add(time.Duration(r.rand.IntN(10)) * time.Minute)
		r.Silence(s)
	case n < 44:
		r.sinkDown = !r.sinkDown
	case n < 45:
		p := int32(r.rand.IntN(3))
		r.Revoke(p)
		r.assign(p)
	case n < 46:
		r.cleanUp(r.Context())
		r.shrinkState(r.Context())
	default:
		r.runOnce()
	}
	for _, ch := range r.store.Channels {
		r.compare(ch)
	}
}

// runOnce does the next work of each channel.
func (r *randomHarness) runOnce() {
	for _, ch := range r.store.Channels {
		todo, _ := r.nextWork(ch)
		if todo.priority == noWork {
			continue
		}
		r.done[todo.priority]++
		ch.Busy, ch.Failures = false, ch.Failures+1
		if e := r.perform(r.Context(), &todo); e == nil {
			ch.Failures = 0
		}
	}
}

func (r *randomHarness) compare(ch *state.Channel) {
	r.Helper()
	now := time.Now()
	r.planner.advance(ch, now)
	got := r.planner.selectWork(ch, now)
	o := &fullSearch{workPlanner: r.planner, Store: r.store}
	want := o.selectWork(ch, now)
	require.Equal(r, want.best.priority, got.best.priority)
	require.Equal(r, want.best.unconfirmed(), got.best.unconfirmed())
	require.Equal(r, want.best.configured, got.best.configured)
	if got.best.priority != detachMessage {
		require.Equal(r, want.best.since, got.best.since)
	}
	if q := got.best.digest.queue; q != nil && got.best.msg == nil {
		k := state.DigestKey{Pool: q.key.Pool, Severity: q.key.Severity, Cause: got.best.cause}
		require.ElementsMatch(r, keysOf(o.digests[k]), keysOf(r.planner.groupsOf(&got.best)))
	}
	if u := got.best.priority; u == postHigh || u == postNormal {
		require.Equal(r, want.best.msg == nil, got.best.msg == nil)
		if got.best.msg == nil {
			require.Equal(r, keysOf(want.best.groups), keysOf(r.planner.groupsOf(&got.best)))
		}
	}
	if got.best.priority == noWork && !want.wake.IsZero() {
		require.False(r, got.wake.IsZero(), "no wake time")
		require.False(r, got.wake.After(want.wake), "late wake time")
	}
}

func keysOf(groups []*state.Group) (keys []string) {
	for _, g := range groups {
		keys = append(keys, g.Key)
	}
	return keys
}

// TestSelectionCostIsIndependentOfGroups counts the groups and messages that are classified while new groups arrive.
func TestSelectionCostIsIndependentOfGroups(t *testing.T) {
	cost := func(groups int) (visits int) {
		synctest.Test(t, func(t *testing.T) {
			sink := &alerttest.FakeSink{Fail: func(string, *schemas.Alert) error { return alerttest.ErrDown }}
			d := newHarness(t, harnessOptions{fakeSink: sink})
			for i := range groups {
				d.add(0, alerttest.SimilarFlag(i, i))
				d.planner.advance(d.store.Channel(""), time.Now())
				d.planner.selectWork(d.store.Channel(""), time.Now())
			}
			before := d.planner.index(d.store.Channel("")).visits
			for i := range 100 {
				d.add(0, alerttest.SimilarFlag(groups+i, i))
				d.planner.advance(d.store.Channel(""), time.Now())
				d.planner.selectWork(d.store.Channel(""), time.Now())
			}
			visits = d.planner.index(d.store.Channel("")).visits - before
		})
		return visits
	}
	few, many := cost(200), cost(4000)
	require.Equal(t, few, many)
	require.LessOrEqual(t, many, 200)
}
