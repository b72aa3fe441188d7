package consumer

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/consumer/loopmetrics"
)

// Metrics are the metrics of all loops of a process.
type Metrics = loopmetrics.Metrics

// NewMetrics registers the metrics of loops with reg. Call it once per registry.
func NewMetrics(reg prometheus.Registerer) *Metrics { return loopmetrics.New(reg) }

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *Loop[T]) Ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joined.Load() && !l.draining
}

// Progress is the state that a liveness probe needs.
type Progress struct {
	Busy  bool      // a codec or handler is running
	Since time.Time // start of the oldest such record; zero when not Busy

	Topic     string // of the oldest such work
	Partition int32
	Offset    int64
}

// Progress returns the record that a codec or handler has worked on for longest. Waits for brokers, slots or the next
// attempt do not count: a restart would not end them.
func (l *Loop[T]) Progress() Progress {
	var pr Progress
	for _, p := range l.partitions() {
		if offset, busy := p.CurrentRecord(); !busy.IsZero() && (!pr.Busy || busy.Before(pr.Since)) {
			pr = Progress{Busy: true, Since: busy, Topic: p.ID.Topic, Partition: p.ID.Partition, Offset: offset}
		}
	}
	return pr
}

// stuckFor returns the age of the oldest batch in work.
func (l *Loop[T]) stuckFor() time.Duration {
	var oldest time.Duration
	for _, p := range l.partitions() {
		if head := p.BatchStart(); !head.IsZero() {
			oldest = max(oldest, time.Since(head))
		}
	}
	return oldest
}
