package logging

import (
	"bytes"
	"context"
	"log/slog"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestNewLoggerFormat(t *testing.T) {
	for _, tc := range []struct {
		format   string
		terminal bool
		json     bool
	}{
		{"auto", false, true},
		{"auto", true, false},
		{"json", true, true},
		{"text", false, false},
		{"", false, true},
	} {
		var out bytes.Buffer
		log, _ := New("info", tc.format, &out, tc.terminal)
		log.Info("hello", "key", "a\nb")
		require.Equal(t, tc.json, strings.HasPrefix(out.String(), "{"), "%s %v", tc.format, tc.terminal)
		require.Equal(t, 1, strings.Count(out.String(), "\n"), "a value cannot forge a line")
	}
}

func TestNewLoggerLevel(t *testing.T) {
	var out bytes.Buffer
	log, level := New("warn", "", &out, false)
	log.Info("one")
	require.Empty(t, out.String())
	level.Set(slog.LevelInfo)
	log.Info("two")
	require.Contains(t, out.String(), "two")
}

// logLines logs through the limiter and returns messages and suppressed counts of the output.
func logLines(log func(h slog.Handler)) []string {
	var out bytes.Buffer
	log(LimitRepeats(time.Minute, slog.NewTextHandler(&out, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})))
	return strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
}

func handleRecord(h slog.Handler, at time.Time, level slog.Level, message string, attrs ...slog.Attr) {
	r := slog.NewRecord(at, level, message, 0)
	r.AddAttrs(attrs...)
	_ = h.Handle(context.Background(), r)
}

func TestLimitRepeats(t *testing.T) {
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	got := logLines(func(h slog.Handler) {
		for i := range 100 { // one a second
			handleRecord(h, start.Add(time.Duration(i)*time.Second), slog.LevelError, "broken", slog.Int("try", i))
		}
		handleRecord(h, start, slog.LevelInfo, "info")
		handleRecord(h, start, slog.LevelInfo, "info")
	})
	require.Equal(t, []string{
		`level=ERROR msg=broken try=0`,
		`level=ERROR msg=broken try=60 suppressed=59`,
		`level=INFO msg=info`,
		`level=INFO msg=info`,
	}, got)
}

func TestLimitRepeatsSeparatesPartitions(t *testing.T) {
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	got := logLines(func(h slog.Handler) {
		detect := h.WithAttrs([]slog.Attr{slog.String("role", "detect")})
		for range 3 {
			handleRecord(detect, start, slog.LevelWarn, "stuck", slog.Int("partition", 1))
			handleRecord(detect, start, slog.LevelWarn, "stuck", slog.Int("partition", 2))
			handleRecord(h, start, slog.LevelWarn, "stuck", slog.Int("partition", 2))
			handleRecord(h.WithGroup("g"), start, slog.LevelWarn, "grouped", slog.Int("partition", 2))
		}
	})
	require.Equal(t, []string{
		`level=WARN msg=stuck role=detect partition=1`,
		`level=WARN msg=stuck role=detect partition=2`,
		`level=WARN msg=stuck partition=2`,
		`level=WARN msg=grouped g.partition=2`,
	}, got)
}

// Dead letters of one reason do not hide those of another.
func TestLimitRepeatsSeparatesReasons(t *testing.T) {
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	got := logLines(func(h slog.Handler) {
		for range 2 {
			handleRecord(h, start, slog.LevelWarn, "letters", slog.String("stage", "decode"), slog.String("reason", "syntax"))
			handleRecord(h, start, slog.LevelWarn, "letters", slog.String("stage", "decode"), slog.String("reason", "unmapped"))
			handleRecord(h, start, slog.LevelWarn, "letters", slog.String("stage", "publish"), slog.String("reason", "syntax"))
		}
	})
	require.Equal(t, []string{
		`level=WARN msg=letters stage=decode reason=syntax`,
		`level=WARN msg=letters stage=decode reason=unmapped`,
		`level=WARN msg=letters stage=publish reason=syntax`,
	}, got)
}

// When the clock goes back or the table is full, lines may be repeated but are not lost.
func TestLimitRepeatsBoundsMemory(t *testing.T) {
	start := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	got := logLines(func(h slog.Handler) {
		handleRecord(h, start, slog.LevelError, "back")
		handleRecord(h, start.Add(-time.Hour), slog.LevelError, "back")
	})
	require.Len(t, got, 2)
	got = logLines(func(h slog.Handler) {
		for i := range 3 * maxRepeats {
			handleRecord(h, start, slog.LevelError, strconv.Itoa(i))
		}
	})
	require.Len(t, got, 3*maxRepeats)
}
