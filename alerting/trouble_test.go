package alerting

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestOneChannelWaits: it holds up no other.
func TestOneChannelWaits(t *testing.T) {
	policy := NewPolicy(PolicyOptions{Tenants: map[string]TenantOptions{
		"a": {Alerting: RuleOptions{Channel: "C0A"}}, "b": {Alerting: RuleOptions{Channel: "C0B"}},
	}})
	play(t, deskOptions{policy: policy}, func(t *testing.T, d *desk) {
		var down atomic.Bool
		down.Store(true)
		d.wall.fail = func(_ string, a *schemas.Alert) error {
			if down.Load() && a.Channel == "C0A" {
				return &Error{Class: Operator, Reason: ReasonNotFound, Op: "post to Slack", Detail: "Slack answered is_archived", Remedy: "restore it"}
			}
			return nil
		}
		for i := range 30 {
			f := alike(i, 0)
			f.Tenant = []string{"a", "b"}[i%2]
			d.join(0, f)
			wait(10 * time.Second)
		}
		for _, a := range d.wall.alerts() {
			require.Equal(t, "C0B", a.Channel)
		}
		require.NotEmpty(t, d.wall.alerts())
		require.False(t, d.Idle())
		require.Greater(t, d.sizes().overdue, 200.0)
		require.LessOrEqual(t, d.failures(ReasonNotFound), 5+6, "soon once a minute")
		require.LessOrEqual(t, strings.Count(d.output.String(), "\n"), 6, "one line a minute")
		require.Contains(t, d.output.String(), "level=ERROR")
		require.Contains(t, d.output.String(), "restore it")
		down.Store(false)
		wait(5 * time.Minute)
		told, _ := d.wall.told()
		require.EqualValues(t, 30, told)
	})
}

// TestARefusedMessage waits alone: others pass it.
func TestARefusedMessage(t *testing.T) {
	play(t, deskOptions{}, func(t *testing.T, d *desk) {
		d.wall.fail = func(_ string, a *schemas.Alert) error {
			if a.Flag.Service == "service-1" && time.Since(d.t0) < 10*time.Minute {
				return &Error{Class: Operator, Reason: ReasonRefused, Op: "post to Slack", Detail: "Slack answered invalid_blocks"}
			}
			return nil
		}
		for n := 1; n < 5; n++ {
			d.join(0, alike(n, 0))
		}
		synctest.Wait()
		require.Len(t, d.wall.alerts(), 3)
		wait(12 * time.Minute)
		require.Len(t, d.wall.alerts(), 4)
		require.Equal(t, 10, d.failures(ReasonRefused), "once a minute")
	})
}

// TestADeletedMessage has told what it showed; what comes later is told anew.
func TestADeletedMessage(t *testing.T) {
	play(t, deskOptions{partitions: 2}, func(t *testing.T, d *desk) {
		d.join(0, alike(1, 0))
		d.join(1, alike(1, 1))
		wait(2 * time.Minute)
		d.wall.mu.Lock()
		d.wall.posts[0].gone = true
		d.wall.mu.Unlock()
		d.join(1, alike(1, 2))
		wait(2 * time.Minute)
		require.Len(t, d.wall.alerts(), 2)
		require.EqualValues(t, 1, d.wall.alerts()[1].Count)
		require.EqualValues(t, 2, d.wall.alerts()[1].Earlier)
		require.False(t, d.wall.alerts()[1].MayRepeat)
	})
}

// TestAnUnclearEnd: the message is tried again under its id and found, or repeated with the mark.
func TestAnUnclearEnd(t *testing.T) {
	for _, blind := range []bool{false, true} {
		w := &wall{blind: blind}
		play(t, deskOptions{wall: w}, func(t *testing.T, d *desk) {
			left := 2
			w.lose = func(*schemas.Alert) error {
				if left--; left >= 0 {
					return errLost
				}
				return nil
			}
			d.join(0, alike(1, 0))
			wait(2 * time.Minute)
			if blind {
				require.Len(t, w.alerts(), 3)
				require.True(t, w.posts[1].first.MayRepeat && w.posts[2].first.MayRepeat)
			} else {
				require.Len(t, w.alerts(), 1)
			}
			require.False(t, w.posts[0].first.MayRepeat)
			told, unmarked := w.told()
			require.EqualValues(t, 1, told)
			require.Zero(t, unmarked)
			got, _ := d.logs[0].Get(w.posts[0].alert.Group)
			require.Equal(t, blind, got.MayRepeat, "what is found again repeats nothing")
		})
	}
}

func TestWhenTheLogFails(t *testing.T) {
	t.Run("joining: offered again", func(t *testing.T) {
		play(t, deskOptions{}, func(t *testing.T, d *desk) {
			d.logs[0].failing(func([]Entry) error { return errPut })
			f := alike(1, 0)
			_, err := d.Join(t.Context(), 0, &f)
			require.ErrorIs(t, err, errPut)
			require.NoError(t, d.Label(t.Context(), schemas.Feedback{IncidentID: f.IncidentID}))
			synctest.Wait()
			require.Empty(t, d.wall.alerts())
			d.logs[0].failing(nil)
			require.Equal(t, Grouped, d.join(0, f))
			wait(time.Minute)
			require.EqualValues(t, 1, d.wall.alerts()[0].Count)
		})
	})
	t.Run("announcing: nothing is told until it works", func(t *testing.T) {
		play(t, deskOptions{}, func(t *testing.T, d *desk) {
			d.logs[0].failing(func(e []Entry) error {
				if len(e) == 1 && time.Since(d.t0) < time.Hour {
					return errPut
				}
				return nil
			})
			d.join(0, alike(1, 0))
			wait(59 * time.Minute)
			require.Empty(t, d.wall.alerts())
			wait(3 * time.Minute)
			require.Len(t, d.wall.alerts(), 1)
			require.LessOrEqual(t, strings.Count(d.output.String(), "\n"), 61)
		})
	})
	t.Run("remembering: told once, tried until it works", func(t *testing.T) {
		play(t, deskOptions{}, func(t *testing.T, d *desk) {
			d.logs[0].failing(func(e []Entry) error {
				if s := e[0].State; s != nil && s.Group != nil && s.Status == schemas.AlertSent && time.Since(d.t0) < time.Hour {
					return errPut
				}
				return nil
			})
			d.join(0, alike(1, 0))
			wait(2 * time.Hour)
			require.Len(t, d.wall.alerts(), 1)
			require.False(t, d.wall.posts[0].first.MayRepeat)
		})
	})
	t.Run("ending: a group is forgotten later", func(t *testing.T) {
		play(t, deskOptions{}, func(t *testing.T, d *desk) {
			d.join(0, alike(1, 0))
			wait(time.Minute)
			d.logs[0].failing(func([]Entry) error { return errPut })
			wait(2 * time.Hour)
			require.Equal(t, 1, d.sizes().groups)
			d.logs[0].failing(nil)
			wait(time.Minute)
			require.Zero(t, d.sizes().groups)
		})
	})
}

// TestTheEndOfAProcess: a message that is under way is remembered all the same.
func TestTheEndOfAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, deskOptions{})
		ctx, cancel := context.WithCancel(t.Context())
		d.wall.lose = func(*schemas.Alert) error { cancel(); return nil }
		d.join(0, alike(1, 0))
		require.ErrorIs(t, d.Run(ctx), context.Canceled)
		next := newDesk(t, deskOptions{logs: d.logs, wall: d.wall}).run()
		wait(time.Minute)
		require.Len(t, d.wall.alerts(), 1)
		require.True(t, next.Idle())
	})
}

func TestJoinRefuses(t *testing.T) {
	play(t, deskOptions{partitions: 2, own: []int32{0}}, func(t *testing.T, d *desk) {
		_, err := d.Join(t.Context(), 0, &schemas.Flag{Alert: true})
		require.ErrorIs(t, err, ErrNoIncident)
		f := alike(1, 0)
		_, err = d.Join(t.Context(), 1, &f)
		require.ErrorIs(t, err, ErrNotOwned)
		d.Assign(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = d.Join(ctx, 1, &f)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NoError(t, d.Load(t.Context(), 7, newPaper(), newPaper().records()), "nobody owns it")
	})
}
