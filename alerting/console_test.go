package alerting

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
)

func TestConsoleGolden(t *testing.T) {
	plain := schemas.Alert{Flag: sample()}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		opts  ConsoleOptions
	}{
		"console_plain.txt":            {plain, ConsoleOptions{}},
		"console_color.txt":            {plain, ConsoleOptions{Color: true}},
		"console_without_excerpts.txt": {plain, ConsoleOptions{RenderOptions: RenderOptions{HideExcerpts: true}}},
		"console_group.txt":            {kinds()[0], ConsoleOptions{RenderOptions: everything()}},
		"console_digest.txt":           {kinds()[1], ConsoleOptions{}},
		"console_broken.txt":           {kinds()[2], ConsoleOptions{}},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			tt.opts.Writer = &out
			_, err := NewConsole(tt.opts).Notify(t.Context(), tt.alert)
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name, out.String())
		})
	}
}

// exclusive fails a write that starts before another has ended.
type exclusive struct {
	inside atomic.Int32
	failed atomic.Bool
	writes atomic.Int32
}

func (w *exclusive) Write(p []byte) (int, error) {
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
	out := new(exclusive)
	c := NewConsole(ConsoleOptions{Writer: out})
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() { _, _ = c.Notify(context.Background(), schemas.Alert{Flag: sample()}) })
	}
	wg.Wait()
	require.False(t, out.failed.Load(), "two alerts were written at once")
	require.EqualValues(t, 16, out.writes.Load(), "an alert is one write")
}

func TestConsoleEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out strings.Builder
	_, err := NewConsole(ConsoleOptions{Writer: &out}).Notify(ctx, schemas.Alert{Flag: sample()})
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, out.String())
}
