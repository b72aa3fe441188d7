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
	"confab/internal/retry"
)

// LetterRemedy says what to do about dead letters of a topic, stage and reason. The value is that of the first one, for a hint.
type LetterRemedy func(topic, stage, reason string, value []byte) string

// letterLog warns of dead letters: at once of the first of a stage and reason, then at most once a minute, with the
// number since the last warning and one of them as an example. It is safe for concurrent use.
type letterLog struct {
	log    *slog.Logger
	remedy LetterRemedy // what a person can do; nil: nothing is said
	dryRun bool         // the letters are not written
	mu     sync.Mutex
	seen   map[letterKind]*pendingLetters
}

type letterKind struct{ stage, reason string }

type pendingLetters struct {
	warned time.Time // the last warning; zero: none
	count  int
	first  []any // what the log says of the first since the last warning
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
			if l.seen == nil {
				l.seen = make(map[letterKind]*pendingLetters)
			}
			p = &pendingLetters{}
			l.seen[kind] = p
		}
		if p.count++; p.count > 1 {
			continue
		}
		p.first = []any{
			slog.Group("example", slog.String("topic", one.Topic), slog.Int("partition", int(one.Partition)), slog.Int64("offset", one.Offset)),
			slog.String("error", one.Message()),
		}
		if l.remedy != nil {
			p.first = append(p.first, slog.String("remedy", l.remedy(one.Topic, kind.stage, kind.reason, one.Value)))
		}
	}
	l.warn(false)
}

// Run warns of pending letters when they are due, until ctx ends, and then of all that are left.
func (l *letterLog) Run(ctx context.Context) {
	for last := false; !last; {
		last = retry.Sleep(ctx, logEvery/12) != nil
		l.mu.Lock()
		l.warn(last)
		l.mu.Unlock()
	}
}

// warn warns of the pending kinds that are due, or of all.
func (l *letterLog) warn(all bool) {
	kinds := slices.SortedFunc(maps.Keys(l.seen), func(a, b letterKind) int {
		return cmp.Or(cmp.Compare(a.stage, b.stage), cmp.Compare(a.reason, b.reason))
	})
	for _, kind := range kinds {
		p := l.seen[kind]
		if p.count == 0 || !all && !p.warned.IsZero() && time.Since(p.warned) < logEvery {
			continue
		}
		log := l.log.With(append([]any{
			slog.String("stage", kind.stage), slog.String("reason", kind.reason), slog.Int("count", p.count),
		}, p.first...)...)
		switch { // the last lines have messages of their own: the logger drops equal ones within a minute
		case l.dryRun && all:
			log.Warn("more records would become dead letters, until the stop")
		case l.dryRun:
			log.Warn("records would become dead letters")
		case all:
			log.Warn("more records became dead letters, until the stop")
		default:
			log.Warn("records became dead letters")
		}
		p.count, p.warned = 0, time.Now() // after the line, whose own time a handler may compare
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
