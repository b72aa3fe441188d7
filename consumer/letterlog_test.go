package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka/deadletter"
	"confab/internal/logtest"
)

func letter(reason string, offset int64) deadletter.Letter {
	return deadletter.Letter{Value: fmt.Appendf(nil, "v%d", offset), Topic: "in", Partition: 2, Offset: offset, Stage: "decode", Reason: reason, Err: fmt.Errorf("at byte %d", offset)}
}

// TestLettersOnceAMinute: the first letter of a reason is logged at once, the others once a minute with their number, and
// the rest at the end.
func TestLettersOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		start := time.Now()
		letters := (&letterLog{

			remedy: func(_, stage, reason string, value []byte) string {
				return stage + " " + reason + ": correct " + string(value)
			},
			log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Duration("at", a.Value.Time().Sub(start).Round(time.Second))
				}
				return a
			}})),
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); letters.Run(ctx) }()

		letters.Add(nil)
		letters.Add([]deadletter.Letter{letter("syntax", 3), letter("syntax", 4), letter("unmapped", 5)})
		time.Sleep(500 * time.Millisecond) //nolint:forbidigo // virtual time
		for i := range 90 {                // one a second, between the looks at what is pending
			letters.Add([]deadletter.Letter{letter("syntax", int64(100+i))})
			time.Sleep(time.Second) //nolint:forbidigo // virtual time
		}
		cancel()
		<-done
		line := func(at, message, reason string, count, offset int) string {
			return fmt.Sprintf(`at=%s level=WARN msg="%s" stage=decode reason=%s count=%d example.topic=in example.partition=2 `+
				`example.offset=%d error="%s: at byte %d" remedy="decode %s: correct v%d"`, at, message, reason, count, offset, reason, offset, reason, offset)
		}
		const first = "records became dead letters"
		require.Equal(t, []string{
			line("0s", first, "syntax", 2, 3), line("0s", first, "unmapped", 1, 5), line("1m0s", first, "syntax", 60, 100),
			line("1m31s", "more records became dead letters, until the stop", "syntax", 30, 160),
		}, strings.Split(strings.TrimSpace(log.String()), "\n"))
	})
}

// A pending letter is logged although no other follows.
func TestLettersArePending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logtest.Buffer
		letters := (&letterLog{dryRun: true, log: slog.New(slog.NewTextHandler(&log, nil))})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); letters.Run(ctx) }()
		letters.Add([]deadletter.Letter{letter("syntax", 1)})
		letters.Add([]deadletter.Letter{letter("syntax", 2)})
		time.Sleep(59 * time.Second) //nolint:forbidigo // virtual time
		require.Equal(t, 1, log.Count("would become dead letters"))
		time.Sleep(7 * time.Second) //nolint:forbidigo // virtual time
		require.Equal(t, 2, log.Count("would become dead letters"))
		require.Zero(t, log.Count("remedy"))
		cancel()
		<-done
		require.Equal(t, 2, log.Count("would become dead letters"), "none is pending")
	})
}

func TestLettersOfAnErrorWithoutDetail(t *testing.T) {
	var log logtest.Buffer
	letters := (&letterLog{log: slog.New(slog.NewTextHandler(&log, nil))})
	one := letter("panic", 1)
	one.Err = errors.New("line one\nline two \x1b[31m")
	letters.Add([]deadletter.Letter{one})
	require.Equal(t, 1, log.Count("\n"), "a value cannot forge a line")
	require.NotContains(t, log.String(), "\x1b")
}
