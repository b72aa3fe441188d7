package console

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/internal/golden"
	"confab/schemas"
)

func TestConsoleGolden(t *testing.T) {
	plain := schemas.Alert{Flag: samples.Flag()}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		opts  Options
	}{
		"console_plain.txt":            {plain, Options{}},
		"console_color.txt":            {plain, Options{Color: true}},
		"console_without_excerpts.txt": {plain, Options{RenderOptions: card.RenderOptions{HideExcerpts: true}}},
		"console_group.txt":            {samples.Alerts()[0], Options{RenderOptions: alerttest.RenderAll()}},
		"console_agent.txt":            {samples.AgentAlert(), Options{}},
		"console_notice.txt":           {samples.Notice(), Options{}},
		"console_digest.txt":           {samples.Alerts()[1], Options{}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			tt.opts.Writer = &out
			_, err := New(tt.opts).Notify(t.Context(), tt.alert)
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name, out.String())
		})
	}
}

// exclusiveWriter records a write that starts before another has ended.
type exclusiveWriter struct {
	inside atomic.Int32
	failed atomic.Bool
	writes atomic.Int32
}

func (w *exclusiveWriter) Write(p []byte) (int, error) {
	if w.inside.Add(1) > 1 {
		w.failed.Store(true)
	}
	for range 100 {
		runtime.Gosched()
	}
	w.inside.Add(-1)
	w.writes.Add(1)
	return len(p), nil
}

func TestConsoleWritesWholeAlerts(t *testing.T) {
	out := new(exclusiveWriter)
	c := New(Options{Writer: out})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { _, _ = c.Notify(context.Background(), schemas.Alert{Flag: samples.Flag()}) })
	}
	wg.Wait()
	require.False(t, out.failed.Load(), "two alerts were written at once")
	require.EqualValues(t, 16, out.writes.Load(), "an alert is one write")
}

func TestConsoleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	_, err := New(Options{Writer: &out}).Notify(ctx, schemas.Alert{Flag: samples.Flag()})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, out.String())
}

func TestConsoleFailures(t *testing.T) {
	for _, n := range []int{0, 5} {
		c := New(Options{Writer: brokenWriter(n)})
		_, err := c.Notify(t.Context(), samples.MinimalAlert())
		alerttest.RequireOutcome(t, alerttest.WantOutcome{Class: alerting.Retryable, Reason: alerting.ReasonWrite, Ambiguous: n > 0}, schemas.Receipt{}, err)
	}
}

// brokenWriter fails after the given number of bytes.
type brokenWriter int

func (w brokenWriter) Write([]byte) (int, error) {
	return int(w), errors.New("broken: " + alerttest.EchoedSecrets)
}
