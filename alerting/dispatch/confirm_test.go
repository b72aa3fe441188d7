package dispatch

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// confirming is a policy whose alerts by text detectors alone wait, but not those of the tenant private.
func confirming() *alerting.Policy {
	return alerting.NewPolicy(alerting.PolicyOptions{
		TextDetectors: []string{"citation", "grounding", "facts"},
		Default:       alerting.RuleOptions{Confirm: alerting.ConfirmJudge},
		Tenants:       map[string]alerting.TenantOptions{"private": {Alerting: alerting.RuleOptions{Confirm: alerting.ConfirmOff}}},
	})
}

// asked is a fast flag on which two text detectors fired, and whose answer went to the judge.
func asked(n, id int) schemas.Flag {
	f := similarFlag(n, id)
	f.Sampled, f.SampleReason = true, "confirm"
	return f
}

// judged is the deep flag after f, stamped by the policy, with the outcome of the judge.
func judged(f schemas.Flag, outcome schemas.Outcome) schemas.Flag {
	f.Pass, f.Signals, f.Fired = schemas.PassDeep, slices.Clone(f.Signals), slices.Clone(f.Fired)
	f.Signals = append(f.Signals, schemas.Signal{Detector: schemas.JudgeDetector, Outcome: outcome, Reason: "the judge's reason"})
	if outcome == schemas.Fired {
		f.Fired = append(f.Fired, schemas.JudgeDetector)
	}
	confirming().Stamp(&f)
	return f
}

func TestConfirm(t *testing.T) {
	const within = 2 * time.Minute
	fast := asked(1, 1)
	with := func(f schemas.Flag, edit func(*schemas.Flag)) schemas.Flag { edit(&f); return f }
	confirm, clears := judged(fast, schemas.Fired), judged(fast, schemas.Clear)
	label := &schemas.Feedback{IncidentID: fast.IncidentID, Verdict: schemas.Fine, User: "U1"}
	tests := []struct {
		name    string
		flags   []schemas.Flag // one a second
		label   *schemas.Feedback
		silence bool
		early   int // messages before the deadline
		late    int // messages after it
		mark    string
		edits   int
		cleared int
		status  schemas.AlertStatus
	}{
		{name: "late", flags: []schemas.Flag{fast}, late: 1, mark: schemas.NotConfirmed, status: schemas.AlertSent},
		{name: "repeated while it waits", flags: []schemas.Flag{fast, fast}, late: 1, mark: schemas.NotConfirmed, status: schemas.AlertSent},
		{name: "confirmed", flags: []schemas.Flag{fast, confirm}, early: 1, late: 1, mark: schemas.JudgeDetector, status: schemas.AlertSent},
		{name: "confirmed before the fast flag", flags: []schemas.Flag{confirm, fast}, early: 1, late: 1, mark: schemas.JudgeDetector, status: schemas.AlertSent},
		{name: "cleared", flags: []schemas.Flag{fast, clears, fast}, cleared: 1, status: schemas.AlertCleared},
		{name: "cleared before the fast flag", flags: []schemas.Flag{clears, fast}, cleared: 1, status: schemas.AlertCleared},
		{name: "two workers, the first confirms", flags: []schemas.Flag{fast, confirm, clears}, early: 1, late: 1, mark: schemas.JudgeDetector, status: schemas.AlertSent},
		{name: "two workers, the first clears", flags: []schemas.Flag{fast, clears, confirm}, cleared: 1, status: schemas.AlertCleared},
		{name: "the rule does not hold any more", flags: []schemas.Flag{fast, with(clears, func(f *schemas.Flag) { f.Fired = nil })}, cleared: 1, status: schemas.AlertCleared},
		{name: "no verdict: budget, a judge that is down, injected text", flags: []schemas.Flag{fast, judged(fast, schemas.Skipped)}, early: 1, late: 1, mark: schemas.NotConfirmed, status: schemas.AlertSent},
		{name: "nobody was asked", flags: []schemas.Flag{with(fast, func(f *schemas.Flag) { f.Sampled = false })}, early: 1, late: 1, mark: schemas.NotConfirmed, status: schemas.AlertSent},
		{name: "nobody may be asked", flags: []schemas.Flag{with(fast, func(f *schemas.Flag) { f.Tenant = "private" })}, early: 1, late: 1, status: schemas.AlertSent},
		{name: "another witness than text", flags: []schemas.Flag{with(fast, func(f *schemas.Flag) { f.Fired = []string{"citation", "schema"} })}, early: 1, late: 1, status: schemas.AlertSent},
		{name: "one text detector and the judge", flags: []schemas.Flag{judged(with(fast, func(f *schemas.Flag) { f.Fired = f.Fired[:1] }), schemas.Fired)}, early: 1, late: 1, mark: schemas.JudgeDetector, status: schemas.AlertSent},
		{name: "one text detector, and the judge does not agree", flags: []schemas.Flag{judged(with(fast, func(f *schemas.Flag) { f.Fired = f.Fired[:1] }), schemas.Clear)}},
		{name: "a label while it waits", flags: []schemas.Flag{fast}, label: label, status: schemas.AlertLabelled},
		{name: "a silence while it waits", flags: []schemas.Flag{fast}, silence: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := newHarness(t, harnessOptions{policy: confirming(), groups: GroupOptions{ConfirmWithin: within}}).run()
				for _, f := range tt.flags {
					f.DetectedAt = time.Now()
					d.add(0, f)
					sleepVirtual(time.Second)
				}
				if tt.label != nil {
					tt.label.At = time.Now()
					require.NoError(t, d.Label(t.Context(), *tt.label))
					require.Equal(t, 1, d.suppressed(labelled))
				}
				if tt.silence {
					d.Silence(schemas.Silence{ID: "s", Matchers: schemas.AlertGroupLabels{Service: fast.Service}, Until: time.Now().Add(time.Hour)})
				}
				require.Len(t, d.sink.Alerts(), tt.early)
				sleepVirtual(time.Until(d.t0.Add(within))) // of the first flag
				require.Zero(t, d.totals().waiting)
				require.Len(t, d.sink.Alerts(), tt.late)
				require.InDelta(t, tt.cleared, testutil.ToFloat64(d.Metrics.cleared), 0)
				rec, _ := d.logs[0].Get(fast.IncidentID)
				require.Equal(t, tt.status, rec.Status)
				unconfirmed := 0
				if tt.mark == schemas.NotConfirmed {
					unconfirmed = 1
				}
				require.InDelta(t, unconfirmed, testutil.ToFloat64(d.Metrics.unconfirmed), 0)
				if tt.late > 0 {
					require.Equal(t, tt.mark, d.sink.Alerts()[0].Flag.ConfirmedBy)
				}
				if tt.silence {
					require.Equal(t, 1, d.suppressed(silenced))
				}
			})
		})
	}
}

// A verdict after the deadline edits the message, which then says it.
func TestLateVerdictEditsTheMessage(t *testing.T) {
	for outcome, mark := range map[schemas.Outcome]string{schemas.Fired: schemas.JudgeDetector, schemas.Clear: ""} {
		synctest.Test(t, func(t *testing.T) {
			d := newHarness(t, harnessOptions{policy: confirming()}).run()
			d.add(0, asked(1, 1))
			sleepVirtual(3 * time.Minute)
			require.Equal(t, schemas.NotConfirmed, d.sink.Alerts()[0].Flag.ConfirmedBy)
			require.Equal(t, Grouped, d.add(0, judged(asked(1, 1), outcome)))
			sleepVirtual(time.Minute)
			require.Len(t, d.sink.Alerts(), 1)
			lead := d.sink.Alerts()[0].Flag
			require.Equal(t, schemas.PassDeep, lead.Pass)
			require.Equal(t, mark, lead.ConfirmedBy)
			require.Equal(t, outcome == schemas.Fired, lead.Alert)
			require.Zero(t, testutil.ToFloat64(d.Metrics.cleared))
		})
	}
}

// A process that takes over a partition keeps the deadlines, and holds nothing of an incident that was forgotten meanwhile.
func TestWaitingSurvivesRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := newHarness(t, harnessOptions{policy: confirming()}).run()
		first.add(0, asked(1, 1))
		first.add(0, asked(2, 1))
		sleepVirtual(90 * time.Second)
		require.NoError(t, first.Label(t.Context(), schemas.Feedback{IncidentID: asked(2, 1).IncidentID, Verdict: schemas.Forgotten, At: time.Now()}))
		rec, _ := first.logs[0].Get(asked(2, 1).IncidentID)
		require.Equal(t, schemas.AlertWaiting, rec.Status)
		require.Empty(t, rec.Waiting.Question)
		require.Empty(t, rec.Waiting.Signals[0].Evidence)
		first.stop()
		second := newHarness(t, harnessOptions{policy: confirming(), logs: first.logs}).run()
		require.Equal(t, 2, second.totals().waiting)
		require.Empty(t, second.sink.Alerts())
		sleepVirtual(30 * time.Second)
		require.Len(t, second.sink.Alerts(), 2, "two minutes after the flags")
		sleepVirtual(48 * time.Hour)
	})
}

// A write that fails delays the message, and a full state sends at once.
func TestWaitingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{policy: confirming(), groups: GroupOptions{MaxGroups: 2}}).run()
		for i := range 3 {
			d.add(0, asked(1, i))
		}
		synctest.Wait()
		require.Equal(t, 2, d.totals().waiting)
		require.Len(t, d.sink.Alerts(), 1)
		require.Equal(t, schemas.NotConfirmed, d.sink.Alerts()[0].Flag.ConfirmedBy)
		d.logs[0].SetFail(func([]alerting.StateEntry) error { return errLogWrite })
		sleepVirtual(3 * time.Minute)
		require.Equal(t, 2, d.totals().waiting)
		d.logs[0].SetFail(nil)
		sleepVirtual(2 * time.Minute)
		require.Zero(t, d.totals().waiting)
		require.EqualValues(t, 3, d.sink.Alerts()[0].Count)
	})
}

// confirmEvents cover how a wait ends: confirmed, cleared, late, without a verdict, by another verdict than before.
func confirmEvents(start time.Time) []flagEvent {
	var out []flagEvent
	add := func(after time.Duration, p int32, f schemas.Flag) {
		f.DetectedAt = start.Add(after)
		out = append(out, flagEvent{after, p, f})
	}
	for i := range 6 {
		add(time.Duration(i)*time.Second, int32(i%3), asked(1, i))
	}
	add(10*time.Second, 0, judged(asked(1, 0), schemas.Fired))
	add(11*time.Second, 1, judged(asked(1, 1), schemas.Clear))
	add(12*time.Second, 2, judged(asked(1, 2), schemas.Failed))
	add(13*time.Second, 1, judged(asked(1, 1), schemas.Fired)) // of another worker, later
	add(14*time.Second, 0, judged(asked(1, 3), schemas.Clear)) // before its fast flag is repeated
	add(15*time.Second, 0, asked(1, 3))                        // repeated
	add(4*time.Minute, 1, judged(asked(1, 4), schemas.Clear))  // late
	add(4*time.Minute, 2, judged(asked(1, 5), schemas.Fired))  // late
	add(5*time.Minute, 0, judged(asked(2, 0), schemas.Clear))  // its fast flag comes last
	add(5*time.Minute+time.Second, 0, asked(2, 0))
	return out
}

// TestCrashWhileAlertsWait: after a crash at any record every incident that the judge did not clear in time is delivered once,
// and none that it cleared.
func TestCrashWhileAlertsWait(t *testing.T) {
	want := []string{asked(1, 0).IncidentID, asked(1, 2).IncidentID, asked(1, 4).IncidentID, asked(1, 5).IncidentID}
	total, runs := 0, 0
	for _, dropAfter := range []bool{false, true} {
		for crashAt := 0; crashAt == 0 || crashAt <= total; crashAt++ {
			t.Run(fmt.Sprintf("drop after %v, record %d", dropAfter, crashAt), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					sink := &memorySink{}
					logs := []*memoryLog{newMemoryLog(), newMemoryLog(), newMemoryLog()}
					c := crashRun{logs, sink, sink, time.Now(), dropAfter, confirmEvents, confirming()}
					runUntilCrash(t, c, crashAt)
					total = max(total, runUntilCrash(t, c, -1))
					sent, unmarked := sink.Delivered()
					require.EqualValues(t, len(want), sent, "%+v", sortedCounts(sink.Alerts()))
					require.Zero(t, unmarked)
					for _, a := range sink.Alerts() {
						for _, f := range append(slices.Clone(a.Riskiest), a.Flag) {
							require.Contains(t, want, f.IncidentID)
						}
					}
				})
			})
			runs++
		}
	}
	require.Greater(t, total, 20, "records")
	t.Logf("%d records, each the last one in 2 ways: %d runs", total, runs)
}
