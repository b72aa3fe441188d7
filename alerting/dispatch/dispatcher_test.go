package dispatch

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// sleepVirtual lets virtual time pass and waits until all goroutines are blocked.
func sleepVirtual(d time.Duration) {
	timer := time.NewTimer(d)
	<-timer.C
	synctest.Wait()
}

func TestAGroupIsOneMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{partitions: 3}).run()
		require.Equal(t, Grouped, d.add(0, similarFlag(1, 0)))
		synctest.Wait()
		require.Len(t, d.sink.Alerts(), 1, "the first is posted at once")
		for i := 1; i < 38; i++ {
			f := similarFlag(1, i)
			f.Model = "gpt-4o-mini"
			if i == 20 {
				risk := 0.89
				f.Risk = &risk
			}
			require.Equal(t, Grouped, d.add(int32(i%3), f))
		}
		synctest.Wait()
		require.EqualValues(t, 1, d.sink.Alerts()[0].Count, "edits wait for the interval")
		require.True(t, d.Idle())
		sleepVirtual(time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		a := d.sink.Alerts()[0]
		require.EqualValues(t, 38, a.Count)
		require.Equal(t, 1, d.sink.Edits)
		require.Equal(t, similarFlag(1, 0).IncidentID, a.Flag.IncidentID)
		require.Equal(t, similarFlag(1, 20).IncidentID, a.Riskiest[0].IncidentID)
		require.Len(t, a.Riskiest, 3)
		require.Equal(t, []string{"gpt-4o-mini"}, a.Models)
		require.Len(t, a.Group, 32)
		require.Zero(t, d.totals().pending)
	})
}

// Idle reports that no channel has work, as of its last step. It changes nothing.
func (d *Dispatcher) Idle() (idle bool) {
	d.locked(func() {
		if !d.store.ready() {
			idle = len(d.store.partitions) == 0
			return
		}
		idle = true
		for _, ch := range d.store.channels {
			todo, _ := d.planner.next(ch, d.Now())
			idle = idle && todo.priority == noWork
			for g := range ch.waitingGroups {
				for _, part := range g.parts {
					idle = idle && (!part.unassigned() || !d.store.partSilencedUntil(part, d.Now()).IsZero())
				}
			}
		}
	})
	return idle
}

func TestStateTable(t *testing.T) {
	const fast, deepPass = schemas.PassFast, schemas.PassDeep
	first := similarFlag(1, 1)
	quiet := func(f schemas.Flag) schemas.Flag { f.Alert = false; return f }
	tests := []struct {
		name    string
		before  []schemas.Flag
		was     *schemas.AlertState // the record of the incident in the log
		label   bool
		silence bool
		pause   time.Duration // before the flag
		flag    schemas.Flag
		want    Outcome
		why     suppression
		status  schemas.AlertStatus
		pass    schemas.Pass
		posts   int
		edits   int
		marked  bool
	}{
		{name: "none, fast", flag: first, want: Grouped, status: schemas.AlertSent, pass: fast, posts: 1},
		{name: "none, deep", flag: asDeep(first), want: Grouped, status: schemas.AlertSent, pass: deepPass, posts: 1},
		{name: "none, the rule does not hold", flag: quiet(first), want: NotAlerting},
		{name: "sent fast, a deep one that does not hold", before: []schemas.Flag{first}, flag: quiet(asDeep(first)), want: NotAlerting, status: schemas.AlertSent, pass: fast, posts: 1},
		{name: "quiet fast, deep", before: []schemas.Flag{quiet(first)}, flag: asDeep(first), want: Grouped, status: schemas.AlertSent, pass: deepPass, posts: 1},
		{name: "sent fast, deep: an edit", before: []schemas.Flag{first}, flag: asDeep(first), want: Grouped, status: schemas.AlertSent, pass: deepPass, posts: 1, edits: 1},
		{name: "sent fast, fast", before: []schemas.Flag{first}, flag: first, want: Suppressed, why: alreadyNotified, status: schemas.AlertSent, pass: fast, posts: 1},
		{name: "sent deep, deep", before: []schemas.Flag{asDeep(first)}, flag: asDeep(first), want: Suppressed, why: alreadyNotified, status: schemas.AlertSent, pass: deepPass, posts: 1},
		{name: "sent deep, fast", before: []schemas.Flag{asDeep(first)}, flag: first, want: Suppressed, why: alreadyNotified, status: schemas.AlertSent, pass: deepPass, posts: 1},
		{name: "labelled, fast", before: []schemas.Flag{first}, label: true, flag: first, want: Suppressed, why: labelled, status: schemas.AlertLabelled, pass: fast, posts: 1, edits: 1},
		{name: "labelled, deep", before: []schemas.Flag{first}, label: true, flag: asDeep(first), want: Suppressed, why: labelled, status: schemas.AlertLabelled, pass: fast, posts: 1, edits: 1},
		{name: "labelled before the flag", label: true, flag: first, want: Suppressed, why: labelled},
		{name: "silenced", silence: true, flag: first, want: Suppressed, why: silenced},
		{name: "sent fast, deep, when the group is resolved", before: []schemas.Flag{first}, pause: 48 * time.Hour, flag: asDeep(first), want: Suppressed, why: noEdit, status: schemas.AlertSent, pass: deepPass, posts: 1},
		{name: "a record that cannot be read", was: &schemas.AlertState{Status: schemas.AlertPending, Attempt: 1}, flag: first, want: Grouped, status: schemas.AlertSent, pass: fast, posts: 1, edits: 1, marked: true},
		{name: "a status of a newer version", was: &schemas.AlertState{Status: "digested"}, flag: first, want: Grouped, status: schemas.AlertSent, pass: fast, posts: 1, edits: 1, marked: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				log := newMemoryLog()
				if tt.was != nil {
					require.NoError(t, log.Put(t.Context(), alerting.StateEntry{Key: first.IncidentID, State: tt.was}))
				}
				d := newHarness(t, harnessOptions{logs: []*memoryLog{log}}).run()
				for _, f := range tt.before {
					d.add(0, f)
					synctest.Wait()
				}
				if tt.label {
					l := schemas.Feedback{IncidentID: first.IncidentID, Verdict: schemas.Wrong, User: "U1", At: time.Now()}
					require.NoError(t, d.Label(t.Context(), l))
					require.NoError(t, d.Label(t.Context(), l), "repeated")
				}
				if tt.silence {
					d.Silence(schemas.Silence{ID: "s", Matchers: schemas.AlertGroupLabels{Service: first.Service}, Until: time.Now().Add(time.Hour)})
				}
				sleepVirtual(tt.pause)
				require.Equal(t, tt.want, d.add(0, tt.flag))
				sleepVirtual(2 * time.Minute)
				if tt.why != "" {
					require.Equal(t, 1, d.suppressed(tt.why))
				}
				got, _ := log.Get(first.IncidentID)
				require.Equal(t, tt.status, got.Status)
				require.Equal(t, tt.pass, got.Pass)
				require.Len(t, d.sink.Alerts(), tt.posts)
				require.Equal(t, tt.edits, d.sink.Edits)
				if tt.posts > 0 {
					require.Equal(t, tt.marked, d.sink.Posts[0].First.PossiblyDuplicated)
					require.EqualValues(t, 1, d.sink.Alerts()[0].Count)
					require.Equal(t, tt.label, len(d.sink.Alerts()[0].Feedback) == 1, "the label shows")
				}
				require.True(t, d.Idle())
			})
		})
	}
}
