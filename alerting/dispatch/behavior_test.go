package dispatch

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// runVirtual runs f with a running dispatcher in virtual time.
func runVirtual(t *testing.T, o harnessOptions, f func(t *testing.T, d *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, o).run()
		f(t, d)
		d.stop()
	})
}

func TestRepeatInterval(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 2}, func(t *testing.T, d *harness) {
		for i := range 9 { // every half an hour, four hours long
			d.add(int32(i%2), similarFlag(1, i))
			sleepVirtual(30 * time.Minute)
		}
		require.Len(t, d.sink.Alerts(), 2)
		first, second := d.sink.Alerts()[0], d.sink.Alerts()[1]
		require.EqualValues(t, 8, first.Count)
		require.EqualValues(t, 1, second.Count)
		require.EqualValues(t, 8, second.EarlierCount)
		require.NotEqual(t, first.Message, second.Message)
		require.Equal(t, first.Group, second.Group)
		require.Equal(t, similarFlag(1, 8).IncidentID, second.Flag.IncidentID, "the buttons are about the new one")
		require.Equal(t, second.First, second.Last)
		require.Equal(t, 4*time.Hour, d.sink.Posts[1].At.Sub(d.t0))
	})
}

func TestResolveTimeout(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 2}, func(t *testing.T, d *harness) {
		for i := range 4 {
			d.add(int32(i%2), similarFlag(1, i))
		}
		sleepVirtual(59 * time.Minute)
		require.Equal(t, 2, d.totals().groups)
		sleepVirtual(2 * time.Minute)
		require.Zero(t, d.totals().groups)
		require.Empty(t, d.store.messages)
		for _, l := range d.logs {
			require.Len(t, l.State, 2, "the group is deleted, its members are not")
		}
		d.add(0, similarFlag(1, 9))
		sleepVirtual(time.Minute)
		require.Equal(t, []int64{1, 4}, sortedCounts(d.sink.Alerts()))
		require.Zero(t, d.sink.Alerts()[1].EarlierCount, "it is a new problem")
		d.stop()
		again := newHarness(t, harnessOptions{partitions: 2, logs: d.logs, fakeSink: d.sink}).run()
		again.add(0, similarFlag(1, 10))
		sleepVirtual(2 * time.Minute)
		require.Equal(t, []int64{2, 4}, sortedCounts(d.sink.Alerts()), "members of the first generation do not count")
	})
}

func TestStaleFlags(t *testing.T) {
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		for n := range 5 {
			f := similarFlag(n, 0)
			f.DetectedAt = d.t0.Add(-2 * time.Hour)
			d.add(0, f)
		}
		d.add(0, similarFlag(7, 0))
		sleepVirtual(2 * time.Minute)
		require.Equal(t, []int64{1, 5}, sortedCounts(d.sink.Alerts()))
		f := similarFlag(8, 0)
		f.DetectedAt = d.t0.Add(24 * time.Hour)
		d.add(0, f)
		sleepVirtual(time.Minute)
		require.False(t, d.sink.Alerts()[2].Last.After(time.Now()), "a detection time in the future is not used")
	})
}

func TestNewMessagesAreLimited(t *testing.T) {
	o := harnessOptions{groups: GroupOptions{NewMessages: BucketOptions{Burst: 2, Every: time.Minute}}}
	storm := func(d *harness) {
		for n := range 20 {
			d.add(0, similarFlag(n, 0))
			d.add(0, asSevere(similarFlag(n, 1)))
			other := similarFlag(n, 2)
			other.Tenant = "other"
			d.add(0, other)
		}
	}
	t.Run("the digest is edited", func(t *testing.T) {
		runVirtual(t, o, func(t *testing.T, d *harness) {
			storm(d)
			sleepVirtual(5 * time.Minute)
			sent, _ := d.sink.Delivered()
			require.EqualValues(t, 60, sent)
			digests := 0
			for _, a := range d.sink.Alerts() {
				if a.Kind == schemas.AlertDigest {
					digests++
					require.Equal(t, schemas.DigestThrottled, a.Cause)
					require.Len(t, a.Groups, listedGroups)
					require.Equal(t, int(a.Count)-listedGroups, a.MoreGroups)
				}
			}
			require.Equal(t, 3, digests, "one for each tenant and severity")
		})
	})
	t.Run("without edits a digest each interval", func(t *testing.T) {
		o := o
		o.fakeSink = &memorySink{}
		o.notifier = postOnlySink{memorySink: o.fakeSink}
		runVirtual(t, o, func(t *testing.T, d *harness) {
			for n := range 40 {
				d.add(0, similarFlag(n, 0))
				sleepVirtual(6 * time.Second)
			}
			sleepVirtual(2 * time.Minute)
			sent, _ := d.sink.Delivered()
			require.EqualValues(t, 40, sent)
			require.LessOrEqual(t, len(d.sink.Posts), 2+5+6, "the burst, a token a minute, a digest a minute")
			require.Zero(t, d.sink.Edits)
		})
	})
}

func TestWebhook(t *testing.T) {
	sink := &memorySink{}
	runVirtual(t, harnessOptions{fakeSink: sink, notifier: postOnlySink{memorySink: sink}}, func(t *testing.T, d *harness) {
		d.add(0, similarFlag(1, 0))
		synctest.Wait()
		for i := 1; i < 4; i++ {
			d.add(0, similarFlag(1, i))
		}
		require.Equal(t, Suppressed, d.add(0, asDeep(similarFlag(1, 0))))
		require.Equal(t, 1, d.suppressed(noEdit))
		sleepVirtual(3 * time.Hour)
		require.Len(t, sink.Alerts(), 1)
		require.Less(t, sink.Alerts()[0].Count, int64(4))
		sleepVirtual(2 * time.Hour)
		sent, _ := sink.Delivered()
		require.Len(t, sink.Alerts(), 2)
		require.EqualValues(t, 4, sent)
		require.Equal(t, sink.Alerts()[0].Count, sink.Alerts()[1].EarlierCount)
		require.Zero(t, d.totals().oldestPending)
	})
}

func TestGroupsAreBounded(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 2, groups: GroupOptions{MaxGroups: 10}}, func(t *testing.T, d *harness) {
		for n := range 500 {
			f := similarFlag(n, 0)
			f.Service += strings.Repeat("x", 10_000)
			d.add(int32(n%2), f)
		}
		require.LessOrEqual(t, d.totals().groups, 10+2)
		sleepVirtual(10 * time.Minute)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, 500, sent)
		for _, a := range d.sink.Alerts() {
			require.LessOrEqual(t, len(a.Flag.Service), keptBytes)
		}
	})
}

func TestSilences(t *testing.T) {
	key := func(d *harness, f schemas.Flag) string { k := d.store.kindOf(&f); return k.key() }
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		hour := schemas.Silence{From: d.t0, Until: d.t0.Add(time.Hour)}
		by := func(change func(s *schemas.Silence)) schemas.Silence { s := hour; change(&s); s.ID = "s"; return s }
		tests := []struct {
			name string
			s    schemas.Silence
			want bool
		}{
			{"service", by(func(s *schemas.Silence) { s.Matchers.Service = "service-1" }), true},
			{"another service", by(func(s *schemas.Silence) { s.Matchers.Service = "service-2" }), false},
			{"tenant and model", by(func(s *schemas.Silence) { s.Matchers.Tenant, s.Matchers.Model = "acme", "gpt-4o-mini" }), true},
			{"tenant and another model", by(func(s *schemas.Silence) { s.Matchers.Tenant, s.Matchers.Model = "acme", "x" }), false},
			{"operation and provider", by(func(s *schemas.Silence) {
				s.Matchers.Operation, s.Matchers.Provider = "answer_with_citations", "openai"
			}), true},
			{"one of its detectors", by(func(s *schemas.Silence) { s.Matchers.Detectors = []string{"citation"} }), true},
			{"one detector more", by(func(s *schemas.Silence) { s.Matchers.Detectors = []string{"citation", "schema"} }), false},
			{"its group", by(func(s *schemas.Silence) { s.Group = key(d, similarFlag(1, 0)) }), true},
			{"another group", by(func(s *schemas.Silence) { s.Group = key(d, similarFlag(2, 0)) }), false},
			{"no matcher", hour, false},
			{"later", by(func(s *schemas.Silence) { s.Group, s.From = key(d, similarFlag(1, 0)), d.t0.Add(time.Minute) }), false},
			{"expired", by(func(s *schemas.Silence) { s.Group, s.Until = key(d, similarFlag(1, 0)), d.t0 }), false},
		}
		for i, tt := range tests {
			d.Silence(tt.s)
			want := Grouped
			if tt.want {
				want = Suppressed
			}
			require.Equal(t, want, d.add(0, similarFlag(1, i)), tt.name)
			_, known := d.logs[0].Get(similarFlag(1, i).IncidentID)
			require.Equal(t, !tt.want, known, "%s: it is not a member", tt.name)
		}
		require.Equal(t, 5, d.suppressed(silenced))
		d.Silence(by(func(s *schemas.Silence) { s.Matchers.Service = "service-1" }))
		sleepVirtual(time.Hour)
		require.Equal(t, Grouped, d.add(0, similarFlag(1, 100)), "it has ended")
		sleepVirtual(time.Minute)
		require.Empty(t, d.store.silences)
	})
}

func TestSilencesOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newMemoryLog()
		s := schemas.Silence{ID: "s1", Matchers: schemas.AlertGroupLabels{Tenant: "acme"}, Until: time.Now().Add(time.Hour)}
		require.NoError(t, log.Put(t.Context(), alerting.StateEntry{Key: s.ID, State: &schemas.AlertState{Status: schemas.AlertSilence, Silence: &s}}))
		d := newHarness(t, harnessOptions{logs: []*memoryLog{log}})
		require.Equal(t, Suppressed, d.add(0, similarFlag(1, 1)))
		s.Until = time.Now()
		d.Silence(s)
		require.Equal(t, Grouped, d.add(0, similarFlag(1, 1)))
	})
}

func TestLabels(t *testing.T) {
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		d.add(0, similarFlag(1, 0))
		d.add(0, similarFlag(1, 1))
		sleepVirtual(2 * time.Minute)
		label := func(id int, user string, v schemas.HumanVerdict) {
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: similarFlag(1, id).IncidentID, Verdict: v, User: user, At: time.Now()}))
		}
		edits := d.sink.Edits
		label(0, "U1", schemas.Wrong)
		synctest.Wait()
		require.Equal(t, edits+1, d.sink.Edits, "at once")
		sleepVirtual(time.Minute)
		label(0, "U1", schemas.Fine)
		label(0, "U2", schemas.Wrong)
		synctest.Wait()
		labels := d.sink.Alerts()[0].Feedback
		require.Len(t, labels, 2, "of each person the last one")
		require.Equal(t, schemas.Fine, labels[0].Verdict)
		written := len(d.logs[0].Journal)
		for range 3 {
			require.NoError(t, d.Label(t.Context(), labels[0]))
		}
		label(77, "U1", schemas.Wrong)
		require.Len(t, d.logs[0].Journal, written, "repeated labels and unknown incidents change nothing")
		label(1, "U1", schemas.Wrong)
		got, _ := d.logs[0].Get(similarFlag(1, 1).IncidentID)
		require.Equal(t, schemas.AlertLabelled, got.Status)
		for i := range 2 * keptIncidents {
			label(1000+i, "U1", schemas.Wrong)
		}
		require.Equal(t, keptIncidents, d.store.feedback.Len())
	})
}

// TestFlagsDuringDelivery: an edit shows them soon after.
func TestFlagsDuringDelivery(t *testing.T) {
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		d.sink.LoseReply = func(*schemas.Alert) error {
			d.add(0, asDeep(similarFlag(1, 0)))
			d.add(0, similarFlag(1, 1))
			return nil
		}
		d.add(0, similarFlag(1, 0))
		synctest.Wait()
		require.Equal(t, schemas.PassDeep, d.sink.Alerts()[0].Flag.Pass)
		require.EqualValues(t, 2, d.sink.Alerts()[0].Count)
	})
}

// TestLabelBeforePartitionLoad: the label applies when the partition is loaded.
func TestLabelBeforePartitionLoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{}).run()
		d.add(0, similarFlag(1, 0))
		synctest.Wait()
		d.stop()
		next := newHarness(t, harnessOptions{own: []int32{}, logs: d.logs, fakeSink: d.sink}).run()
		require.NoError(t, next.Label(t.Context(), schemas.Feedback{IncidentID: similarFlag(1, 0).IncidentID, User: "U1", Verdict: schemas.Wrong, At: time.Now()}))
		next.assign(0)
		synctest.Wait()
		require.Len(t, d.sink.Alerts()[0].Feedback, 1)
		require.Len(t, d.sink.Alerts(), 1)
	})
}

// TestForgottenIncidents: texts and labels go from the log and from what is sent next, also if the partition is loaded later.
func TestForgottenIncidents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{}).run()
		lead, top, other := similarFlag(1, 0), similarFlag(1, 1), similarFlag(1, 2)
		for _, f := range []*schemas.Flag{&lead, &top, &other} {
			f.Question, f.ConversationID = "secret of "+f.IncidentID, "conversation-"+f.IncidentID
			d.add(0, *f)
		}
		require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: lead.IncidentID, User: "U1", Comment: "secret label", Verdict: schemas.Wrong, At: time.Now()}))
		sleepVirtual(2 * time.Minute)
		mark := func(d *harness, id string) {
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: id, Verdict: schemas.Forgotten, User: "U1", At: time.Now()}))
		}
		mark(d, lead.IncidentID)
		sleepVirtual(2 * time.Minute)
		sent := d.sink.Alerts()
		require.Len(t, sent, 1, "the message is edited")
		require.Equal(t, lead.IncidentID, sent[0].Flag.IncidentID)
		require.Empty(t, sent[0].Flag.Question)
		require.Empty(t, sent[0].Feedback)
		require.EqualValues(t, 3, sent[0].Count, "it still counts")
		written := len(d.logs[0].Journal)
		mark(d, lead.IncidentID)
		require.Len(t, d.logs[0].Journal, written, "a repeated mark changes nothing")
		d.stop()
		next := newHarness(t, harnessOptions{own: []int32{}, logs: d.logs, fakeSink: d.sink}).run()
		require.NoError(t, next.Label(t.Context(), schemas.Feedback{IncidentID: other.IncidentID, User: "U2", Verdict: schemas.Wrong, At: time.Now().Add(time.Hour)}))
		mark(next, other.IncidentID)
		kept, _ := next.store.feedback.Get(other.IncidentID)
		require.Len(t, kept, 1, "a label of a clock that is ahead does not outlast the mark")
		next.store.feedback.Remove(other.IncidentID)
		mark(next, top.IncidentID)
		mark(next, "not an id")
		next.assign(0)
		synctest.Wait()
		state := ""
		for _, value := range d.logs[0].State {
			state += string(value)
		}
		for _, f := range []*schemas.Flag{&lead, &top} {
			require.NotContains(t, state, "secret of "+f.IncidentID)
			require.NotContains(t, state, "conversation-"+f.IncidentID)
		}
		require.NotContains(t, state, "secret label")
		require.Contains(t, state, "secret of "+other.IncidentID)
	})
}
