package logging

import (
	"context"
	"io"
	"log/slog"
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
	return &repeatLimiter{Handler: next, shared: &repeatTable{interval: interval, seen: map[string]*repeatEntry{}}}
}

// repeatLimiter is the handler of one logger. All loggers derived from it share the table.
type repeatLimiter struct {
	slog.Handler

	key    string // of the attributes bound so far
	shared *repeatTable
}

// maxRepeats bounds the number of distinct messages. Beyond it the table is cleared, and messages may be written early.
const maxRepeats = 1024

type repeatTable struct {
	interval time.Duration
	mu       sync.Mutex
	seen     map[string]*repeatEntry
}

type repeatEntry struct {
	written    time.Time
	suppressed int
}

// pass reports whether a record is written now, and how many equal ones were dropped since the last one.
func (r *repeatTable) pass(key string, now time.Time) (ok bool, suppressed int) {
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

// Handle implements slog.Handler: it passes the record on or counts it.
func (l *repeatLimiter) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return l.Handler.Handle(ctx, r)
	}
	key := r.Level.String() + "\x00" + r.Message + l.key
	r.Attrs(func(a slog.Attr) bool { key += keyOf(a); return true })
	ok, suppressed := l.shared.pass(key, r.Time)
	if !ok {
		return nil
	}
	if suppressed > 0 {
		r = r.Clone()
		r.AddAttrs(slog.Int("suppressed", suppressed))
	}
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l *repeatLimiter) WithAttrs(attrs []slog.Attr) slog.Handler {
	bound := &repeatLimiter{l.Handler.WithAttrs(attrs), l.key, l.shared}
	for _, a := range attrs {
		bound.key += keyOf(a)
	}
	return bound
}

// WithGroup implements slog.Handler.
func (l *repeatLimiter) WithGroup(name string) slog.Handler {
	return &repeatLimiter{l.Handler.WithGroup(name), l.key, l.shared}
}

// keyOf is what an attribute adds to the key of its record.
func keyOf(a slog.Attr) string {
	switch a.Key {
	case "role", "topic", "partition", "stage", "reason", "detector":
		return "\x00" + a.String()
	}
	return ""
}
