package consumer

import (
	"github.com/prometheus/client_golang/prometheus"

	"confab/consumer/assignment"
	"confab/consumer/loopmetrics"
	"confab/consumer/position"
)

// Metrics are the metrics of all loops of a process.
type Metrics = loopmetrics.Metrics

// NewMetrics registers the metrics of loops with reg. Call it once per registry.
func NewMetrics(reg prometheus.Registerer) *Metrics { return loopmetrics.New(reg) }

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *Loop[T]) Ready() bool { return l.owned.Ready() }

// Unreadable are partitions of a topic that a loop owns and cannot read.
type Unreadable = position.Unreadable

// Unreadable returns the partitions of this member that cannot be read.
func (l *Loop[T]) Unreadable() []Unreadable { return l.positions.Unreadable() }

// Progress is the state that a liveness probe needs.
type Progress = assignment.Progress

// Progress returns the record that a codec or handler has worked on for longest.
func (l *Loop[T]) Progress() Progress { return l.owned.Progress() }
