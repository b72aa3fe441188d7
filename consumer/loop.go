package consumer

import (
	"context"
	"time"
)

// Loop is one consumer group member.
type Loop[T any] struct {
	opts Options[T]
}

// New makes a loop. Nothing is opened until Run.
func New[T any](opts Options[T]) (*Loop[T], error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	return &Loop[T]{opts: opts}, nil
}

// Run joins the group and works until ctx ends, then shuts down in order and returns nil. An error means that going on
// is pointless until somebody acts; its message says how. A Loop runs once.
func (l *Loop[T]) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *Loop[T]) Ready() bool { return true }

// Progress is what a liveness probe needs.
type Progress struct {
	Busy  bool      // work is in a handler, which neither returned nor waits in a retry of the loop
	Since time.Time // since when the oldest such work has not moved; zero when not Busy
}

// Progress tells how long the oldest work in a handler has not moved. Waiting for a broker or between two attempts is
// no such work.
func (l *Loop[T]) Progress() Progress { return Progress{} }
