package alerting

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestDecide(t *testing.T) {
	state := func(s schemas.AlertStatus, p schemas.Pass) schemas.AlertState {
		return schemas.AlertState{Status: s, Pass: p}
	}
	const fast, deep = schemas.PassFast, schemas.PassDeep
	tests := []struct {
		name string
		was  schemas.AlertState
		pass schemas.Pass
		want step
	}{
		{"none, fast", schemas.AlertState{}, fast, step{do: post}},
		{"none, deep", schemas.AlertState{}, deep, step{do: post}},
		{"sent fast, fast", state(schemas.AlertSent, fast), fast, step{keep, AlreadyTold}},
		{"sent fast, deep", state(schemas.AlertSent, fast), deep, step{advance, NoEdit}},
		{"sent by an unknown pass, deep", state(schemas.AlertSent, ""), deep, step{advance, NoEdit}},
		{"sent deep, deep", state(schemas.AlertSent, deep), deep, step{keep, AlreadyTold}},
		{"sent deep, fast", state(schemas.AlertSent, deep), fast, step{keep, AlreadyTold}},
		{"labelled, fast", state(schemas.AlertLabelled, fast), fast, step{keep, Labelled}},
		{"labelled, deep", state(schemas.AlertLabelled, fast), deep, step{keep, Labelled}},
		{"pending fast, fast", state(schemas.AlertPending, fast), fast, step{do: repost}},
		{"pending fast, deep", state(schemas.AlertPending, fast), deep, step{do: repost}},
		{"pending deep, fast", state(schemas.AlertPending, deep), fast, step{do: repost}},
		{"a status of a newer version", state("digested", deep), fast, step{do: repost}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			require.Equal(t, tt.want, decide(tt.was, &schemas.Flag{Pass: tt.pass, Alert: true}))
			require.Equal(t, step{do: ignore}, decide(tt.was, &schemas.Flag{Pass: tt.pass}), "what does not alert changes nothing")
		})
	}
}

func TestTellOnce(t *testing.T) {
	r := newRig()
	var order []string
	r.sink.order, r.state.order = &order, &order
	require.Equal(t, NotAlerting, r.tell(t, flagOf(schemas.PassFast, false)))
	require.Empty(t, r.state.log)
	require.Equal(t, Sent, r.tell(t, flagOf(schemas.PassFast, true)))
	require.Equal(t, []string{"pending", "notify", "sent"}, order, "announced before, remembered after")
	require.Equal(t, "for-acme", r.sink.got[0].Channel)
	require.False(t, r.sink.got[0].MayRepeat)

	require.Equal(t, Suppressed, r.tell(t, flagOf(schemas.PassFast, true)))
	require.Equal(t, Suppressed, r.tell(t, flagOf(schemas.PassDeep, true)))
	require.Equal(t, Suppressed, r.tell(t, flagOf(schemas.PassDeep, true)))
	require.Equal(t, Suppressed, r.tell(t, flagOf(schemas.PassFast, true)))
	require.Len(t, r.sink.got, 1, "told once")

	got, _ := r.state.Get(incident)
	require.Equal(t, schemas.AlertSent, got.Status)
	require.Equal(t, schemas.PassDeep, got.Pass)
	require.Equal(t, "C042", got.Channel)
	require.Equal(t, "1.0", got.Timestamp, "the receipt survives the advance")
	require.Equal(t, 1, got.Attempt)
	require.Len(t, r.state.log, 3, "pending, sent, sent by deep")
	require.InDelta(t, 3, r.suppressed(AlreadyTold), 0)
	require.InDelta(t, 1, r.suppressed(NoEdit), 0)
	require.InDelta(t, 1, testutil.ToFloat64(r.Metrics.sent.WithLabelValues("bot")), 0)
	require.Zero(t, testutil.ToFloat64(r.Metrics.ambiguous))
}

func TestTellAfterACrash(t *testing.T) {
	r := newRig()
	r.state.now[incident] = schemas.AlertState{Status: schemas.AlertPending, Pass: schemas.PassFast, Attempt: 2}
	require.Equal(t, Sent, r.tell(t, flagOf(schemas.PassFast, true)))
	require.True(t, r.sink.got[0].MayRepeat)
	got, _ := r.state.Get(incident)
	require.Equal(t, 3, got.Attempt)
	require.True(t, got.MayRepeat)
	require.InDelta(t, 1, testutil.ToFloat64(r.Metrics.ambiguous), 0)
}

func TestTellRetries(t *testing.T) {
	const s = time.Second
	limited := &Error{Class: Retryable, Reason: ReasonRateLimited, After: 30 * s}
	dial := &Error{Class: Retryable, Reason: ReasonConnection}
	server := &Error{Class: Retryable, Reason: ReasonServer, Ambiguous: true}
	revoked := &Error{Class: Operator, Reason: ReasonAuth, Detail: "Slack answered token_revoked", Remedy: "do this"}
	repeat := func(e error, n int) []error {
		out := make([]error, n)
		for i := range out {
			out[i] = e
		}
		return out
	}
	tests := []struct {
		name  string
		fails []error
		at    []time.Duration // of every attempt, with the largest jitter
		may   bool            // the last attempt is marked
		lines int
	}{
		{"rate limit is honoured", []error{limited}, []time.Duration{0, 30*s + 500*time.Millisecond}, false, 1},
		{"backoff grows", repeat(dial, 4), []time.Duration{0, s / 2, 3 * s / 2, 7 * s / 2, 15 * s / 2}, false, 1},
		{"an unclear end is marked", []error{dial, server, dial}, []time.Duration{0, s / 2, 3 * s / 2, 7 * s / 2}, true, 1},
		{"an unknown error is marked", []error{errors.New("?")}, []time.Duration{0, s / 2}, true, 1},
		{"operator errors are retried slowly", repeat(revoked, 3), []time.Duration{0, 60 * s, 120 * s, 180 * s}, false, 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(tt.fails...)
				require.Equal(t, Sent, r.tell(t, flagOf(schemas.PassFast, true)))
				require.Equal(t, tt.at, r.sink.at)
				last := r.sink.got[len(r.sink.got)-1]
				require.Equal(t, tt.may, last.MayRepeat)
				got, _ := r.state.Get(incident)
				require.Equal(t, tt.may, got.MayRepeat)
				require.Equal(t, tt.lines, strings.Count(r.logs.String(), "\n"), r.logs.String())
			})
		})
	}
}

// TestTellOutage holds a day without Slack: nothing is skipped, waiting is visible, the log stays readable.
func TestTellOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := &Error{Class: Retryable, Reason: ReasonConnection, Op: "post to Slack", Detail: "the connection was refused"}
		const attempts = 24*60 + 7 // backoff reaches a minute after seven
		fails := make([]error, attempts)
		for i := range fails {
			fails[i] = down
		}
		r := newRig(fails...)
		quietest, last := time.Duration(0), time.Now()
		r.Waiting = func() {
			quietest, last = max(quietest, time.Since(last)), time.Now()
		}
		require.Equal(t, Sent, r.tell(t, flagOf(schemas.PassFast, true)))
		require.Len(t, r.sink.got, attempts+1)
		took := r.sink.at[attempts]
		require.InDelta(t, 24*60, took.Minutes(), 3)
		require.LessOrEqual(t, quietest, heartbeat)
		require.LessOrEqual(t, strings.Count(r.logs.String(), "\n"), int(took.Minutes())+1, "one line a minute")
		require.InDelta(t, attempts, r.failed(ReasonConnection), 0)
		require.False(t, r.sink.got[attempts].MayRepeat, "nothing was ever sent")
	})
}

func TestOnePartitionsLogSpeaksForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked := &Error{Class: Operator, Reason: ReasonAuth, Op: "post to Slack", Detail: "x", Remedy: "set the token"}
		fails := make([]error, 8)
		for i := range fails {
			fails[i] = revoked
		}
		r := newRig(fails...)
		r.Waiting = func() {}
		var wg sync.WaitGroup
		for i := range len(fails) {
			f := flagOf(schemas.PassFast, true)
			f.IncidentID = strconv.Itoa(i)
			wg.Go(func() { _, _ = r.Tell(context.Background(), &f, r.state) })
		}
		wg.Wait()
		require.Equal(t, 1, strings.Count(r.logs.String(), "\n"))
		require.Contains(t, r.logs.String(), "level=ERROR")
		require.Contains(t, r.logs.String(), "set the token")
	})
}

func TestTellEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		revoked := &Error{Class: Operator, Reason: ReasonAuth}
		r := newRig(revoked, revoked, revoked, revoked)
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		f := flagOf(schemas.PassFast, true)
		start := time.Now()
		out, err := r.Tell(ctx, &f, r.state)
		require.Empty(t, out)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 90*time.Second, time.Since(start), "at once")
		require.Len(t, r.sink.got, 2)
		got, _ := r.state.Get(incident)
		require.Equal(t, schemas.AlertPending, got.Status, "the next owner knows that it was tried")
	})
}

func TestTellWhenTheStateFails(t *testing.T) {
	broken := errors.New("broker down")
	t.Run("announcing: nothing is told", func(t *testing.T) {
		r := newRig()
		r.state.fail = func(schemas.AlertState) error { return broken }
		f := flagOf(schemas.PassFast, true)
		_, err := r.Tell(t.Context(), &f, r.state)
		require.ErrorIs(t, err, broken)
		require.Empty(t, r.sink.got)
	})
	t.Run("advancing: offered again", func(t *testing.T) {
		r := newRig()
		r.tell(t, flagOf(schemas.PassFast, true))
		r.state.fail = func(schemas.AlertState) error { return broken }
		f := flagOf(schemas.PassDeep, true)
		_, err := r.Tell(t.Context(), &f, r.state)
		require.ErrorIs(t, err, broken)
		r.state.fail = nil
		require.Equal(t, Suppressed, r.tell(t, f))
	})
	t.Run("remembering: tried until it works, told once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig()
			left := 20
			r.state.fail = func(s schemas.AlertState) error {
				if s.Status == schemas.AlertSent && left > 0 {
					left--
					return broken
				}
				return nil
			}
			require.Equal(t, Sent, r.tell(t, flagOf(schemas.PassFast, true)))
			require.Len(t, r.sink.got, 1)
			require.Positive(t, r.beats)
		})
	})
	t.Run("remembering: one more chance after the end", func(t *testing.T) {
		r := newRig()
		ctx, cancel := context.WithCancel(t.Context())
		r.state.fail = func(s schemas.AlertState) error {
			if s.Status == schemas.AlertPending {
				cancel() // the process is told to stop while the message is under way
			}
			return nil
		}
		f := flagOf(schemas.PassFast, true)
		out, err := r.Tell(ctx, &f, r.state)
		require.NoError(t, err)
		require.Equal(t, Sent, out)
		got, _ := r.state.Get(incident)
		require.Equal(t, schemas.AlertSent, got.Status)
	})
	t.Run("remembering: gives up with its context", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			r := newRig()
			r.state.fail = func(s schemas.AlertState) error {
				if s.Status == schemas.AlertSent {
					return broken
				}
				return nil
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			f := flagOf(schemas.PassFast, true)
			_, err := r.Tell(ctx, &f, r.state)
			require.ErrorIs(t, err, broken)
			require.Len(t, r.sink.got, 1)
		})
	})
}

func TestTellRefusesAFlagWithoutIncident(t *testing.T) {
	r := newRig()
	_, err := r.Tell(t.Context(), &schemas.Flag{Alert: true}, r.state)
	require.ErrorIs(t, err, ErrNoIncident)
}
