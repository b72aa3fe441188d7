package dispatch

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/schemas"
)

// TestOneChannelWaits: a failing channel delays no other.
func TestOneChannelWaits(t *testing.T) {
	policy := alerting.NewPolicy(alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{
		"a": {Alerting: alerting.RuleOptions{Channel: "C0A"}}, "b": {Alerting: alerting.RuleOptions{Channel: "C0B"}},
	}})
	runVirtual(t, harnessOptions{policy: policy}, func(t *testing.T, d *harness) {
		var down atomic.Bool
		down.Store(true)
		d.sink.Fail = func(_ string, a *schemas.Alert) error {
			if down.Load() && a.Channel == "C0A" {
				return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonNotFound, Op: "post to Slack", Detail: "Slack answered is_archived", Remedy: "restore it"}
			}
			return nil
		}
		for i := range 30 {
			f := similarFlag(i, 0)
			f.Tenant = []string{"a", "b"}[i%2]
			d.add(0, f)
			sleepVirtual(10 * time.Second)
		}
		for _, a := range d.sink.Alerts() {
			require.Equal(t, "C0B", a.Channel)
		}
		require.NotEmpty(t, d.sink.Alerts())
		require.False(t, d.Idle())
		require.Greater(t, d.totals().oldestPending, 200.0)
		require.LessOrEqual(t, d.failures(alerting.ReasonNotFound), 5+6, "soon once a minute")
		require.LessOrEqual(t, strings.Count(d.output.String(), "\n"), 6, "one line a minute")
		require.Contains(t, d.output.String(), "level=ERROR")
		require.Contains(t, d.output.String(), "restore it")
		down.Store(false)
		sleepVirtual(5 * time.Minute)
		sent, _ := d.sink.Delivered()
		require.EqualValues(t, 30, sent)
	})
}

// TestRefusedMessage: a refused message delays no other.
func TestRefusedMessage(t *testing.T) {
	runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
		d.sink.Fail = func(_ string, a *schemas.Alert) error {
			if a.Flag.Service == "service-1" && time.Since(d.t0) < 10*time.Minute {
				return &alerting.Error{Class: alerting.Operator, Reason: alerting.ReasonRefused, Op: "post to Slack", Detail: "Slack answered invalid_blocks"}
			}
			return nil
		}
		for n := 1; n < 5; n++ {
			d.add(0, similarFlag(n, 0))
		}
		synctest.Wait()
		require.Len(t, d.sink.Alerts(), 3)
		sleepVirtual(12 * time.Minute)
		require.Len(t, d.sink.Alerts(), 4)
		require.Equal(t, 10, d.failures(alerting.ReasonRefused), "once a minute")
	})
}

// TestDeletedMessage: a deleted message counts as delivered; later incidents get a new one.
func TestDeletedMessage(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 2}, func(t *testing.T, d *harness) {
		d.add(0, similarFlag(1, 0))
		d.add(1, similarFlag(1, 1))
		sleepVirtual(2 * time.Minute)
		d.sink.Mutex.Lock()
		d.sink.Posts[0].Gone = true
		d.sink.Mutex.Unlock()
		d.add(1, similarFlag(1, 2))
		sleepVirtual(2 * time.Minute)
		require.Len(t, d.sink.Alerts(), 2)
		require.EqualValues(t, 1, d.sink.Alerts()[1].Count)
		require.EqualValues(t, 2, d.sink.Alerts()[1].EarlierCount)
		require.False(t, d.sink.Alerts()[1].PossiblyDuplicated)
	})
}

// TestUnconfirmedPost: a retry finds the message by its id, or repeats it with the mark.
func TestUnconfirmedPost(t *testing.T) {
	for _, noHistory := range []bool{false, true} {
		sink := &memorySink{NoHistory: noHistory}
		runVirtual(t, harnessOptions{fakeSink: sink}, func(t *testing.T, d *harness) {
			left := 2
			sink.LoseReply = func(*schemas.Alert) error {
				if left--; left >= 0 {
					return errReplyLost
				}
				return nil
			}
			d.add(0, similarFlag(1, 0))
			sleepVirtual(2 * time.Minute)
			if noHistory {
				require.Len(t, sink.Alerts(), 3)
				require.True(t, sink.Posts[1].First.PossiblyDuplicated && sink.Posts[2].First.PossiblyDuplicated)
			} else {
				require.Len(t, sink.Alerts(), 1)
			}
			require.False(t, sink.Posts[0].First.PossiblyDuplicated)
			sent, unmarked := sink.Delivered()
			require.EqualValues(t, 1, sent)
			require.Zero(t, unmarked)
			got, _ := d.logs[0].Get(sink.Posts[0].Alert.Group)
			require.Equal(t, noHistory, got.PossiblyDuplicated, "a found message is not a duplicate")
		})
	}
}

func TestWhenTheLogFails(t *testing.T) {
	t.Run("adding: offered again", func(t *testing.T) {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.logs[0].SetFail(func([]alerting.StateEntry) error { return errLogWrite })
			f := similarFlag(1, 0)
			_, err := d.Add(t.Context(), 0, &f)
			require.ErrorIs(t, err, errLogWrite)
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: f.IncidentID}))
			synctest.Wait()
			require.Empty(t, d.sink.Alerts())
			d.logs[0].SetFail(nil)
			require.Equal(t, Grouped, d.add(0, f))
			sleepVirtual(time.Minute)
			require.EqualValues(t, 1, d.sink.Alerts()[0].Count)
		})
	})
	t.Run("announcing: no post until it works", func(t *testing.T) {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.logs[0].SetFail(func(e []alerting.StateEntry) error {
				if len(e) == 1 && time.Since(d.t0) < time.Hour {
					return errLogWrite
				}
				return nil
			})
			d.add(0, similarFlag(1, 0))
			sleepVirtual(59 * time.Minute)
			require.Empty(t, d.sink.Alerts())
			sleepVirtual(3 * time.Minute)
			require.Len(t, d.sink.Alerts(), 1)
			require.LessOrEqual(t, strings.Count(d.output.String(), "\n"), 61)
		})
	})
	t.Run("recording: posted once, retried until it works", func(t *testing.T) {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.logs[0].SetFail(func(e []alerting.StateEntry) error {
				if s := e[0].State; s != nil && s.Group != nil && s.Status == schemas.AlertSent && time.Since(d.t0) < time.Hour {
					return errLogWrite
				}
				return nil
			})
			d.add(0, similarFlag(1, 0))
			sleepVirtual(2 * time.Hour)
			require.Len(t, d.sink.Alerts(), 1)
			require.False(t, d.sink.Posts[0].First.PossiblyDuplicated)
		})
	})
	t.Run("resolving: a group is deleted later", func(t *testing.T) {
		runVirtual(t, harnessOptions{}, func(t *testing.T, d *harness) {
			d.add(0, similarFlag(1, 0))
			sleepVirtual(time.Minute)
			d.logs[0].SetFail(func([]alerting.StateEntry) error { return errLogWrite })
			sleepVirtual(2 * time.Hour)
			require.Equal(t, 1, d.totals().groups)
			d.logs[0].SetFail(nil)
			sleepVirtual(time.Minute)
			require.Zero(t, d.totals().groups)
		})
	})
}

// TestShutdown: a message that is under way is remembered all the same.
func TestShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newHarness(t, harnessOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		d.sink.LoseReply = func(*schemas.Alert) error { cancel(); return nil }
		d.add(0, similarFlag(1, 0))
		require.ErrorIs(t, d.Run(ctx), context.Canceled)
		next := newHarness(t, harnessOptions{logs: d.logs, fakeSink: d.sink}).run()
		sleepVirtual(time.Minute)
		require.Len(t, d.sink.Alerts(), 1)
		require.True(t, next.Idle())
	})
}

func TestAddErrors(t *testing.T) {
	runVirtual(t, harnessOptions{partitions: 2, own: []int32{0}}, func(t *testing.T, d *harness) {
		_, err := d.Add(t.Context(), 0, &schemas.Flag{Alert: true})
		require.ErrorIs(t, err, errNoIncident)
		f := similarFlag(1, 0)
		_, err = d.Add(t.Context(), 1, &f)
		require.ErrorIs(t, err, alerting.ErrNotOwned)
		d.Assign(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = d.Add(ctx, 1, &f)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, d.Load(t.Context(), 7, newMemoryLog(), newMemoryLog().Records()), "the partition has no owner")
	})
}
