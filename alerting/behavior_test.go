package alerting

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// play runs f in virtual time at a desk.
func play(t *testing.T, o deskOptions, f func(t *testing.T, d *desk)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, o).run()
		f(t, d)
		d.stop()
	})
}

func TestRepeatInterval(t *testing.T) {
	play(t, deskOptions{partitions: 2}, func(t *testing.T, d *desk) {
		for i := range 9 { // every half an hour, four hours long
			d.join(int32(i%2), alike(1, i))
			wait(30 * time.Minute)
		}
		require.Len(t, d.wall.alerts(), 2)
		first, second := d.wall.alerts()[0], d.wall.alerts()[1]
		require.EqualValues(t, 8, first.Count)
		require.EqualValues(t, 1, second.Count)
		require.EqualValues(t, 8, second.Earlier)
		require.NotEqual(t, first.Message, second.Message)
		require.Equal(t, first.Group, second.Group)
		require.Equal(t, alike(1, 8).IncidentID, second.Flag.IncidentID, "the buttons are about the new one")
		require.Equal(t, second.First, second.Last)
		require.Equal(t, 4*time.Hour, d.wall.posts[1].at.Sub(d.t0))
	})
}

func TestResolveTimeout(t *testing.T) {
	play(t, deskOptions{partitions: 2}, func(t *testing.T, d *desk) {
		for i := range 4 {
			d.join(int32(i%2), alike(1, i))
		}
		wait(59 * time.Minute)
		require.Equal(t, 2, d.sizes().groups)
		wait(2 * time.Minute)
		require.Zero(t, d.sizes().groups)
		require.Zero(t, d.sizes().messages)
		for _, l := range d.logs {
			require.Len(t, l.state, 2, "of the group nothing is left, its members are")
		}
		d.join(0, alike(1, 9))
		wait(time.Minute)
		require.Equal(t, []int64{1, 4}, counts(d.wall.alerts()))
		require.Zero(t, d.wall.alerts()[1].Earlier, "it is a new problem")
		d.stop()
		again := newDesk(t, deskOptions{partitions: 2, logs: d.logs, wall: d.wall}).run()
		again.join(0, alike(1, 10))
		wait(2 * time.Minute)
		require.Equal(t, []int64{2, 4}, counts(d.wall.alerts()), "members of the first life do not count")
	})
}

func TestQuietHours(t *testing.T) { // virtual time begins at midnight of a Saturday, UTC
	policy := NewPolicy(PolicyOptions{Default: RuleOptions{Quiet: []QuietHours{{From: "00:00", To: "07:00", TimeZone: "UTC"}}}})
	play(t, deskOptions{policy: policy}, func(t *testing.T, d *desk) {
		d.join(0, alike(1, 1))
		d.join(0, alike(2, 1))
		d.join(0, alike(2, 2))
		d.join(0, high(alike(3, 1)))
		wait(6*time.Hour + 59*time.Minute)
		require.Len(t, d.wall.alerts(), 1, "what is urgent is told")
		require.Equal(t, schemas.LaneHigh, d.wall.alerts()[0].Lane)
		require.True(t, d.Idle())
		require.Zero(t, d.sizes().overdue, "what is held is not overdue")
		require.EqualValues(t, 3, d.sizes().untold)
		wait(2 * time.Minute)
		require.Len(t, d.wall.alerts(), 2)
		a := d.wall.alerts()[1]
		require.Equal(t, schemas.AlertDigest, a.Kind)
		require.Equal(t, schemas.DigestQuiet, a.Cause)
		require.EqualValues(t, 3, a.Count)
		require.EqualValues(t, 2, a.Groups[0].Count)
		require.Equal(t, "service-2", a.Groups[0].Group.Service)
		d.join(0, alike(4, 1))
		synctest.Wait()
		require.Equal(t, schemas.AlertGroup, d.wall.alerts()[2].Kind)
		require.InDelta(t, 1, testutil.ToFloat64(d.Metrics.digests.WithLabelValues("quiet_hours")), 0)
	})
}

func TestStaleFlags(t *testing.T) {
	play(t, deskOptions{}, func(t *testing.T, d *desk) {
		for n := range 5 {
			f := alike(n, 0)
			f.DetectedAt = d.t0.Add(-2 * time.Hour)
			d.join(0, f)
		}
		d.join(0, alike(7, 0))
		wait(2 * time.Minute)
		require.Equal(t, []int64{1, 5}, counts(d.wall.alerts()))
		f := alike(8, 0)
		f.DetectedAt = d.t0.Add(24 * time.Hour)
		d.join(0, f)
		wait(time.Minute)
		require.False(t, d.wall.alerts()[2].Last.After(time.Now()), "a clock that runs ahead is not believed")
	})
}

func TestNewMessagesAreLimited(t *testing.T) {
	o := deskOptions{groups: GroupOptions{NewMessages: BucketOptions{Burst: 2, Every: time.Minute}}}
	storm := func(d *desk) {
		for n := range 20 {
			d.join(0, alike(n, 0))
			d.join(0, high(alike(n, 1)))
			other := alike(n, 2)
			other.Tenant = "other"
			d.join(0, other)
		}
	}
	t.Run("the digest is edited", func(t *testing.T) {
		play(t, o, func(t *testing.T, d *desk) {
			storm(d)
			wait(5 * time.Minute)
			told, _ := d.wall.told()
			require.EqualValues(t, 60, told)
			digests := 0
			for _, a := range d.wall.alerts() {
				if a.Kind == schemas.AlertDigest {
					digests++
					require.Equal(t, schemas.DigestThrottled, a.Cause)
					require.Len(t, a.Groups, listedGroups)
					require.Equal(t, int(a.Count)-listedGroups, a.More)
				}
			}
			require.Equal(t, 3, digests, "one for each tenant and lane")
		})
	})
	t.Run("without edits a digest each interval", func(t *testing.T) {
		o := o
		o.wall = &wall{}
		o.sink = plainWall{wall: o.wall}
		play(t, o, func(t *testing.T, d *desk) {
			for n := range 40 {
				d.join(0, alike(n, 0))
				wait(6 * time.Second)
			}
			wait(2 * time.Minute)
			told, _ := d.wall.told()
			require.EqualValues(t, 40, told)
			require.LessOrEqual(t, len(d.wall.posts), 2+5+6, "the burst, a token a minute, a digest a minute")
			require.Zero(t, d.wall.edits)
		})
	})
}

func TestWebhook(t *testing.T) {
	w := &wall{}
	play(t, deskOptions{wall: w, sink: plainWall{wall: w}}, func(t *testing.T, d *desk) {
		d.join(0, alike(1, 0))
		synctest.Wait()
		for i := 1; i < 4; i++ {
			d.join(0, alike(1, i))
		}
		require.Equal(t, Suppressed, d.join(0, deep(alike(1, 0))))
		require.Equal(t, 1, d.suppressed(NoEdit))
		wait(3 * time.Hour)
		require.Len(t, w.alerts(), 1)
		require.Less(t, w.alerts()[0].Count, int64(4))
		wait(2 * time.Hour)
		told, _ := w.told()
		require.Len(t, w.alerts(), 2)
		require.EqualValues(t, 4, told)
		require.Equal(t, w.alerts()[0].Count, w.alerts()[1].Earlier)
		require.Zero(t, d.sizes().overdue)
	})
}

func TestGroupsAreBounded(t *testing.T) {
	play(t, deskOptions{partitions: 2, groups: GroupOptions{MaxGroups: 10}}, func(t *testing.T, d *desk) {
		for n := range 500 {
			f := alike(n, 0)
			f.Service += strings.Repeat("x", 10_000)
			d.join(int32(n%2), f)
		}
		require.LessOrEqual(t, d.sizes().groups, max(10, reservedForTenant)+2)
		wait(10 * time.Minute)
		told, _ := d.wall.told()
		require.EqualValues(t, 500, told)
		for _, a := range d.wall.alerts() {
			require.LessOrEqual(t, len(a.Flag.Service), keptBytes)
		}
	})
}

func TestSilences(t *testing.T) {
	key := func(d *desk, f schemas.Flag) string { k := d.book.kindOf(&f); return k.key() }
	play(t, deskOptions{}, func(t *testing.T, d *desk) {
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
			{"a detector beside", by(func(s *schemas.Silence) { s.Matchers.Detectors = []string{"citation", "schema"} }), false},
			{"its group", by(func(s *schemas.Silence) { s.Group = key(d, alike(1, 0)) }), true},
			{"another group", by(func(s *schemas.Silence) { s.Group = key(d, alike(2, 0)) }), false},
			{"nothing at all", hour, false},
			{"later", by(func(s *schemas.Silence) { s.Group, s.From = key(d, alike(1, 0)), d.t0.Add(time.Minute) }), false},
			{"expired", by(func(s *schemas.Silence) { s.Group, s.Until = key(d, alike(1, 0)), d.t0 }), false},
		}
		for i, tt := range tests {
			d.Silence(tt.s)
			want := Grouped
			if tt.want {
				want = Suppressed
			}
			require.Equal(t, want, d.join(0, alike(1, i)), tt.name)
			_, known := d.logs[0].Get(alike(1, i).IncidentID)
			require.Equal(t, !tt.want, known, "%s: it is no member", tt.name)
		}
		require.Equal(t, 5, d.suppressed(Silenced))
		d.Silence(by(func(s *schemas.Silence) { s.Matchers.Service = "service-1" }))
		wait(time.Hour)
		require.Equal(t, Grouped, d.join(0, alike(1, 100)), "it has ended")
		wait(time.Minute)
		require.Empty(t, d.book.silences)
	})
}

func TestSilencesOfTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newPaper()
		s := schemas.Silence{ID: "s1", Matchers: schemas.AlertGroupLabels{Tenant: "acme"}, Until: time.Now().Add(time.Hour)}
		require.NoError(t, log.Put(t.Context(), Entry{Key: s.ID, State: &schemas.AlertState{Status: schemas.AlertSilence, Silence: &s}}))
		d := newDesk(t, deskOptions{logs: []*paper{log}})
		require.Equal(t, Suppressed, d.join(0, alike(1, 1)))
		s.Until = time.Now()
		d.Silence(s)
		require.Equal(t, Grouped, d.join(0, alike(1, 1)))
	})
}

func TestLabels(t *testing.T) {
	play(t, deskOptions{}, func(t *testing.T, d *desk) {
		d.join(0, alike(1, 0))
		d.join(0, alike(1, 1))
		wait(2 * time.Minute)
		label := func(id int, user string, v schemas.HumanVerdict) {
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: alike(1, id).IncidentID, Verdict: v, User: user, At: time.Now()}))
		}
		edits := d.wall.edits
		label(0, "U1", schemas.Confirmed)
		synctest.Wait()
		require.Equal(t, edits+1, d.wall.edits, "at once")
		wait(time.Minute)
		label(0, "U1", schemas.FalsePositive)
		label(0, "U2", schemas.Confirmed)
		synctest.Wait()
		said := d.wall.alerts()[0].Feedback
		require.Len(t, said, 2, "of each person the last one")
		require.Equal(t, schemas.FalsePositive, said[0].Verdict)
		written := len(d.logs[0].journal)
		for range 3 {
			require.NoError(t, d.Label(t.Context(), said[0]))
		}
		label(77, "U1", schemas.Confirmed)
		require.Len(t, d.logs[0].journal, written, "repeats and strangers change nothing")
		label(1, "U1", schemas.Confirmed)
		got, _ := d.logs[0].Get(alike(1, 1).IncidentID)
		require.Equal(t, schemas.AlertLabelled, got.Status)
		for i := range 2 * keptIncidents {
			label(1000+i, "U1", schemas.Confirmed)
		}
		require.Len(t, d.book.labels.by, keptIncidents)
	})
}

// TestWhatComesWhileAMessageIsUnderWay shows soon after.
func TestWhatComesWhileAMessageIsUnderWay(t *testing.T) {
	play(t, deskOptions{}, func(t *testing.T, d *desk) {
		d.wall.lose = func(*schemas.Alert) error {
			d.join(0, deep(alike(1, 0)))
			d.join(0, alike(1, 1))
			return nil
		}
		d.join(0, alike(1, 0))
		synctest.Wait()
		require.Equal(t, schemas.PassDeep, d.wall.alerts()[0].Flag.Pass)
		require.EqualValues(t, 2, d.wall.alerts()[0].Count)
	})
}

// TestALabelComesBeforeItsPartition: whoever loads the partition later takes note of it.
func TestALabelComesBeforeItsPartition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{}).run()
		d.join(0, alike(1, 0))
		synctest.Wait()
		d.stop()
		next := newDesk(t, deskOptions{own: []int32{}, logs: d.logs, wall: d.wall}).run()
		require.NoError(t, next.Label(t.Context(), schemas.Feedback{IncidentID: alike(1, 0).IncidentID, User: "U1", Verdict: schemas.Confirmed, At: time.Now()}))
		next.own(0)
		synctest.Wait()
		require.Len(t, d.wall.alerts()[0].Feedback, 1)
		require.Len(t, d.wall.alerts(), 1)
	})
}

func TestBrokenDetectors(t *testing.T) {
	play(t, deskOptions{partitions: 3}, func(t *testing.T, d *desk) {
		for i := range 300 {
			f := alike(1, i)
			f.Unusual, f.Alert = map[string]float64{"citation": 0.83}, false
			require.Equal(t, Suppressed, d.join(int32(i%3), f))
			wait(time.Minute)
		}
		require.Equal(t, 300, d.suppressed(DetectorBroken))
		require.Len(t, d.wall.alerts(), 2, "once, and once more after the repeat interval")
		a := d.wall.alerts()[0]
		require.Equal(t, schemas.AlertBroken, a.Kind)
		require.Equal(t, "citation", a.Detector)
		require.InDelta(t, 0.83, a.Share, 0)
		require.Equal(t, schemas.LaneNormal, a.Lane)
		require.NotEmpty(t, a.Flag.IncidentID)

		both := alike(2, 0)
		both.Fired = []string{"citation", "facts", "grounding"}
		both.Unusual = map[string]float64{"citation": 0.9}
		require.Equal(t, Grouped, d.join(0, both), "the others agree without it")
		lone := alike(3, 0)
		lone.Fired, lone.Alert, lone.Unusual = []string{"facts"}, false, map[string]float64{"facts": 0.7}
		require.Equal(t, NotAlerting, d.join(0, lone))
		synctest.Wait()
		require.Len(t, d.wall.alerts(), 4)
		d.Silence(schemas.Silence{ID: "s", Matchers: schemas.AlertGroupLabels{Detectors: []string{"schema"}}, Until: time.Now().Add(time.Hour)})
		lone.Unusual = map[string]float64{"schema": 0.7}
		d.join(0, lone)
		wait(time.Minute)
		require.Len(t, d.wall.alerts(), 4, "silenced")
	})
}

func TestThreads(t *testing.T) {
	w := &wall{}
	w.fail = func(op string, _ *schemas.Alert) error {
		if op == "reply" {
			return errDown
		}
		return nil
	}
	play(t, deskOptions{threads: true, wall: w}, func(t *testing.T, d *desk) {
		d.join(0, alike(1, 0))
		synctest.Wait()
		require.Len(t, w.replies, 1, "what the message has no room for")
		d.join(0, deep(alike(1, 0)))
		synctest.Wait()
		require.Len(t, w.replies, 2)
		require.Equal(t, schemas.PassDeep, w.replies[1].Flag.Pass)
		require.Equal(t, 1, w.edits)
		wait(time.Hour)
		require.Len(t, w.replies, 2, "tried once")
		require.Equal(t, 2, d.failures(ReasonConnection))
		for range 2 * waitingReplies {
			d.book.reply(&notice{kind: schemas.AlertGroup, channel: d.book.channel("")}, &schemas.Flag{})
		}
		require.LessOrEqual(t, len(d.book.channel("").replies), waitingReplies)
	})
}
