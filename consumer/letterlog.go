package consumer

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"confab/internal/kafka/deadletter"
)

// checksPerInterval is how often per interval pending dead letters are looked at.
const checksPerInterval = 12

// LetterRemedy says what to do about dead letters of a topic, stage and reason. The value is that of the first one, for a hint.
type LetterRemedy func(topic, stage, reason string, value []byte) string

// letterOptions configure a letterLog.
type letterOptions struct {
	Logger *slog.Logger
	Every  time.Duration    // least time between two warnings of one stage and reason
	Now    func() time.Time // the clock
	Remedy LetterRemedy     // what a person can do; nil: nothing is said
	DryRun bool             // the letters are not written
}

// letterLog warns of dead letters: at once of the first of a stage and reason, then at most once per interval, with the
// number since the last warning and one of them as an example. It is safe for concurrent use.
type letterLog struct {
	opts letterOptions
	mu   sync.Mutex
	seen map[letterKind]*pendingLetters
}

type letterKind struct{ stage, reason string }

type pendingLetters struct {
	warned  time.Time // the last warning; zero: none
	count   int
	example deadletter.Letter // the first since the last warning, without its value
	message string
	remedy  string
}

// newLetterLog returns one without pending letters.
func newLetterLog(opts letterOptions) *letterLog {
	return &letterLog{opts: opts, seen: make(map[letterKind]*pendingLetters)}
}

// Add counts letters and warns of the kinds that are due. It keeps no reference to their values.
func (l *letterLog) Add(letters []deadletter.Letter) {
	if len(letters) == 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range letters {
		one := &letters[i]
		kind := letterKind{one.Stage, one.Reason}
		p := l.seen[kind]
		if p == nil {
			p = &pendingLetters{}
			l.seen[kind] = p
		}
		if p.count++; p.count == 1 {
			p.message = one.Message()
			p.example = deadletter.Letter{Topic: one.Topic, Partition: one.Partition, Offset: one.Offset}
			if l.opts.Remedy != nil {
				p.remedy = l.opts.Remedy(one.Topic, kind.stage, kind.reason, one.Value)
			}
		}
	}
	l.warn(false)
}

// Run warns of pending letters when they are due, until ctx ends, and then of all that are left.
func (l *letterLog) Run(ctx context.Context) {
	tick := time.NewTicker(max(l.opts.Every/checksPerInterval, time.Millisecond))
	defer tick.Stop()
	for {
		last := false
		select {
		case <-tick.C:
		case <-ctx.Done():
			last = true
		}
		l.mu.Lock()
		l.warn(last)
		l.mu.Unlock()
		if last {
			return
		}
	}
}

// warn warns of the pending kinds that are due, or of all.
func (l *letterLog) warn(all bool) {
	kinds := slices.SortedFunc(maps.Keys(l.seen), func(a, b letterKind) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.reason, b.reason))
	})
	for _, kind := range kinds {
		p := l.seen[kind]
		if p.count == 0 || !all && !p.warned.IsZero() && l.opts.Now().Sub(p.warned) < l.opts.Every {
			continue
		}
		attrs := []any{
			slog.String("stage", kind.stage), slog.String("reason", kind.reason), slog.Int("count", p.count),
			slog.Group("example", slog.String("topic", p.example.Topic), slog.Int("partition", int(p.example.Partition)),
				slog.Int64("offset", p.example.Offset)),
			slog.String("error", p.message),
		}
		if l.opts.Remedy != nil {
			attrs = append(attrs, slog.String("remedy", p.remedy))
		}
		switch { // the last lines have messages of their own: the logger drops equal ones within a minute
		case l.opts.DryRun && all:
			l.opts.Logger.Warn("more records would become dead letters, until the stop", attrs...)
		case l.opts.DryRun:
			l.opts.Logger.Warn("records would become dead letters", attrs...)
		case all:
			l.opts.Logger.Warn("more records became dead letters, until the stop", attrs...)
		default:
			l.opts.Logger.Warn("records became dead letters", attrs...)
		}
		p.count, p.warned = 0, l.opts.Now() // after the line, whose own time a handler may compare
	}
}

// Throttle admits one event per key and interval. It is safe for concurrent use.
type Throttle[K comparable] struct {
	Every time.Duration

	mu   sync.Mutex
	last map[K]time.Time
}

// Allow reports whether the event is admitted. Keys come from small sets: partitions and fixed words.
func (t *Throttle[K]) Allow(key K) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	if last, ok := t.last[key]; ok && now.Sub(last) < t.Every {
		return false
	}
	if t.last == nil {
		t.last = make(map[K]time.Time)
	}
	t.last[key] = now
	return true
}
