package llm

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
)

// The wait that a server asks for comes in full, with the jitter of the first pause on top.
func TestWaitsAsLongAsAsked(t *testing.T) {
	inBubble(t, scriptedServer(llmtest.Reply{Status: 503, Header: headerMap("Retry-After", "20")}), func(t *testing.T, c *Client, _ *llmtest.Server) {
		begin := time.Now()
		_, err := c.Chat(t.Context(), askOnce("Why?"))
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(begin), 20*time.Second)
		require.LessOrEqual(t, time.Since(begin), 21*time.Second+time.Nanosecond)
	})
}

// Waits are spread over all of 0 to a limit, which doubles up to 30 s.
func TestWaitsAreJittered(t *testing.T) {
	for i := range 8 {
		low, high := time.Hour, time.Duration(0)
		for range 500 {
			d := retryBackoff().Wait(i, rand.Float64())
			low, high = min(low, d), max(high, d)
		}
		most := min(time.Second<<i, 30*time.Second)
		require.LessOrEqual(t, high, most)
		require.Greater(t, high, most*9/10)
		require.Less(t, low, most/10)
	}
}

func TestNoRetries(t *testing.T) {
	inBubble(t, alwaysReply(llmtest.Reply{Status: 500}), func(t *testing.T, c *Client, s *llmtest.Server) {
		_, err := c.Chat(t.Context(), askOnce("Why?"))
		require.Equal(t, Retryable, ClassOf(err))
		require.Len(t, s.Requests(), 1)
	}, func(o *Options) { o.MaxRetries = -1 })
}

// A caller who gives up ends the call at once, wherever it is: waiting for its turn, for the server, or for a retry.
func TestCallerGivesUp(t *testing.T) {
	for name, server := range map[string]llmtest.Options{
		"while the server hangs":  alwaysReply(llmtest.Reply{Hang: true}),
		"between two attempts":    alwaysReply(llmtest.Reply{Status: 503, Header: headerMap("Retry-After", "60")}),
		"in the middle of a body": alwaysReply(llmtest.Reply{Body: chatBody("x"), Cut: 9, Stall: true}),
	} {
		for how, row := range map[string]struct {
			class Class
			cause error
		}{"cancels": {Canceled, context.Canceled}, "runs out of time": {Timeout, context.DeadlineExceeded}} {
			if name == "between two attempts" && row.class == Timeout {
				continue // there is no such wait: TestNoTimeToWait
			}
			t.Run(name+", "+how, func(t *testing.T) {
				inBubble(t, server, func(t *testing.T, c *Client, s *llmtest.Server) {
					ctx, cancel := context.WithCancel(t.Context())
					if row.class == Timeout {
						ctx, cancel = context.WithTimeout(t.Context(), 5*time.Second)
					} else {
						time.AfterFunc(5*time.Second, cancel)
					}
					defer cancel()
					begin := time.Now()
					_, err := c.Chat(ctx, askOnce("Why?"))
					require.Equal(t, row.class, ClassOf(err))
					require.ErrorIs(t, err, row.cause)
					require.Equal(t, 5*time.Second, time.Since(begin))
					require.Len(t, s.Requests(), 1)
				})
			})
		}
	}
}

// A wait that would end after the caller's time is not begun: the reason comes at once.
func TestNoTimeToWait(t *testing.T) {
	inBubble(t, alwaysReply(llmtest.Reply{Status: 429, Header: headerMap("Retry-After", "60")}), func(t *testing.T, c *Client, s *llmtest.Server) {
		ctx, cancel := context.WithTimeout(t.Context(), 59*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := c.Chat(ctx, askOnce("Why?"))
		require.Equal(t, Retryable, ClassOf(err))
		require.Zero(t, time.Since(begin))
		require.Len(t, s.Requests(), 1)
	})
}

func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{})
		s := llmtest.Memory(t, alwaysReply(llmtest.Reply{Wait: open, Body: chatBody("x")}))
		c, err := New(Options{BaseURL: s.URL + "/v1", Model: "tiny", Redact: identityRedact, Dial: s.Dial, MaxConcurrency: 3, Timeout: time.Hour})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		var all sync.WaitGroup
		var done atomic.Int32
		for range 10 {
			all.Go(func() {
				if _, err := c.Chat(t.Context(), askOnce("Why?")); err == nil {
					done.Add(1)
				}
			})
		}
		synctest.Wait()
		require.Len(t, s.Requests(), 3, "no more than three at a time")

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Chat(ctx, askOnce("Why?"))
		require.Equal(t, Timeout, ClassOf(err))
		require.Len(t, s.Requests(), 3, "who gives up while waiting is not sent")
		close(open)
		all.Wait()
		require.EqualValues(t, 10, done.Load())
	})
}

// A wait between attempts does not hold a slot.
func TestPausesLeaveTheTurn(t *testing.T) {
	script := scriptedServer(llmtest.Reply{Status: 503, Header: headerMap("Retry-After", "30")})
	inBubble(t, script, func(t *testing.T, c *Client, s *llmtest.Server) {
		var all sync.WaitGroup
		all.Go(func() { _, _ = c.Chat(t.Context(), askOnce("first")) })
		synctest.Wait()
		begin := time.Now()
		_, err := c.Chat(t.Context(), askOnce("second"))
		require.NoError(t, err)
		require.Zero(t, time.Since(begin))
		all.Wait()
		require.Len(t, s.Requests(), 3)
	}, func(o *Options) { o.MaxConcurrency = 1 })
}

func TestNothingListens(t *testing.T) {
	inBubble(t, llmtest.Options{}, func(t *testing.T, c *Client, _ *llmtest.Server) {
		_, err := c.Embed(t.Context(), []string{"a"})
		require.Equal(t, Retryable, ClassOf(err))
	}, func(o *Options) {
		o.Dial = func(context.Context, string, string) (net.Conn, error) {
			return nil, errors.New("refused by " + strconv.Itoa(80))
		}
	})
}
