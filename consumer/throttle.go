package consumer

import (
	"sync"
	"time"
)

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
