package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// repeatEvery is the interval at which a repeated warning or error is written.
const repeatEvery = time.Minute

// New makes the worker's logger: text on a terminal and JSON elsewhere unless configured. A repeated warning or error is
// written at most once a minute. The level may be changed at any time.
func New(minLevel, format string, w io.Writer, terminal bool) (log *slog.Logger, level *slog.LevelVar) {
	level = &slog.LevelVar{}
	if err := level.UnmarshalText([]byte(minLevel)); err != nil {
		level.Set(slog.LevelInfo) // an empty level: the configuration allows no unknown ones
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewTextHandler(w, opts)
	if IsJSON(format, terminal) {
		h = slog.NewJSONHandler(w, opts)
	}
	return slog.New(LimitRepeats(repeatEvery, h)), level
}

// IsJSON reports whether the logger of New writes JSON.
func IsJSON(format string, terminal bool) bool {
	return format == "json" || format != "text" && !terminal
}

// LimitRepeats passes records to next, but repeated warnings and errors only once per interval, with the number of dropped
// ones as attribute "suppressed". Records are repeated if level, message, role, topic, partition, stage, reason and detector are
// equal, so a failing partition does not hide another. The interval is measured by the records' time.
func LimitRepeats(interval time.Duration, next slog.Handler) slog.Handler {
	return &repeatLimiter{next: next, shared: &repeatTable{interval: interval, seen: map[repeatKey]*repeatEntry{}}}
}

// repeatLimiter is the handler of one logger. All loggers derived from it share the table.
type repeatLimiter struct {
	next   slog.Handler
	key    repeatKey // of the attributes bound so far
	group  bool      // inside a group attributes are not part of the key
	shared *repeatTable
}

type repeatKey struct {
	level   slog.Level
	message string
	attrs   [6]string
}

// maxRepeats bounds the number of distinct messages. Beyond it the table is cleared, and messages may be written early.
const maxRepeats = 1024

type repeatTable struct {
	interval time.Duration
	mu       sync.Mutex
	seen     map[repeatKey]*repeatEntry
}

type repeatEntry struct {
	written    time.Time
	suppressed int
}

// pass reports whether a record is written now, and how many equal ones were dropped since the last one.
func (r *repeatTable) pass(key repeatKey, now time.Time) (ok bool, suppressed int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.seen[key]
	if last != nil && !now.Before(last.written) && now.Sub(last.written) < r.interval {
		last.suppressed++
		return false, 0
	}
	if last == nil {
		if len(r.seen) >= maxRepeats {
			clear(r.seen)
		}
		last = &repeatEntry{}
		r.seen[key] = last
	}
	suppressed = last.suppressed
	last.written, last.suppressed = now, 0
	return true, suppressed
}

// Enabled implements slog.Handler.
func (l *repeatLimiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

// Handle implements slog.Handler: it passes the record on or counts it.
func (l *repeatLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return l.next.Handle(ctx, r)
	}
	key := l.key
	key.level, key.message = r.Level, r.Message
	if !l.group {
		r.Attrs(func(a slog.Attr) bool { key.add(a); return true })
	}
	ok, suppressed := l.shared.pass(key, r.Time)
	if !ok {
		return nil
	}
	if suppressed > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("suppressed", suppressed))
	}
	return l.next.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *repeatLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	bound := *l
	bound.next = l.next.WithAttrs(attrs)
	if !l.group {
		for _, a := range attrs {
			bound.key.add(a)
		}
	}
	return &bound
}

// WithGroup implements slog.Handler.
func (l *repeatLimiter) WithGroup(name string) slog.Handler {
	bound := *l
	bound.next, bound.group = l.next.WithGroup(name), true
	return &bound
}

func (k *repeatKey) add(a slog.Attr) {
	if at := slices.Index([]string{"role", "topic", "partition", "stage", "reason", "detector"}, a.Key); at >= 0 {
		k.attrs[at] = fmt.Sprint(a.Value.Any())
	}
}
