package logging

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"
)

// repeatEvery is how often a warning or error that repeats is written.
const repeatEvery = time.Minute

// New makes the worker's logger: text on a terminal and JSON elsewhere unless configured, and no more than one
// line a minute of a warning or error that repeats. Changing level changes what is written from then on.
func New(minLevel, format string, w io.Writer, terminal bool) (log *slog.Logger, level *slog.LevelVar) {
	level = &slog.LevelVar{}
	if err := level.UnmarshalText([]byte(minLevel)); err != nil {
		level.Set(slog.LevelInfo) // an empty level; Load refuses any other that is unknown
	}
	opts := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(w, opts)
	if format == "text" || format != "json" && terminal {
		h = slog.NewTextHandler(w, opts)
	}
	return slog.New(LimitRepeats(repeatEvery, h)), level
}

// LimitRepeats passes records on to next, but of the warnings and errors that repeat only one within the interval; that one counts, as
// "suppressed", those before it that were left out. Records repeat each other when level, message, role, topic and
// partition are the same, so a failing partition does not hide another. Time is the records' own.
func LimitRepeats(interval time.Duration, next slog.Handler) slog.Handler {
	return &repeatLimiter{next: next, shared: &repeatTable{interval: interval, seen: map[repeatKey]*repeatEntry{}}}
}

// repeatLimiter is the handler of one logger; all loggers derived from it share what was seen.
type repeatLimiter struct {
	next   slog.Handler
	key    repeatKey // of the attributes bound so far
	group  bool      // inside a group, attributes of these names mean something else
	shared *repeatTable
}

type repeatKey struct {
	level                  slog.Level
	message                string
	role, topic, partition string
}

// maxRepeats bounds the memory of distinct messages; beyond it everything is forgotten, and at worst written once more.
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

// pass says whether a record is written now, and how many like it were left out since the last.
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

// Enabled reports what the next handler does.
func (l *repeatLimiter) Enabled(ctx context.Context, level slog.Level) bool {
	return l.next.Enabled(ctx, level)
}

// Handle passes the record on or counts it.
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

// WithAttrs binds attributes.
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

// WithGroup opens a group.
func (l *repeatLimiter) WithGroup(name string) slog.Handler {
	bound := *l
	bound.next, bound.group = l.next.WithGroup(name), true
	return &bound
}

func (k *repeatKey) add(a slog.Attr) {
	switch a.Key {
	case "role":
		k.role = fmt.Sprint(a.Value.Any())
	case "topic":
		k.topic = fmt.Sprint(a.Value.Any())
	case "partition":
		k.partition = fmt.Sprint(a.Value.Any())
	}
}
