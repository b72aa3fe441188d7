package assignment

import (
	"context"
	"errors"
	"sync"

	"confab/internal/kafka"
)

// Outbox is the Producer that a handler sees: it hands messages on at once and remembers what became of them.
type Outbox struct {
	producer *kafka.Producer // nil drops them
	report   func(error)     // o.done, bound once

	mu      sync.Mutex
	pending int
	err     error
	allDone chan struct{} // a token is here when pending became 0
}

// NewOutbox makes an outbox that writes by p; nil drops every message.
func NewOutbox(p *kafka.Producer) *Outbox {
	o := &Outbox{producer: p, allDone: make(chan struct{}, 1)}
	o.report = o.done
	return o
}

// Produce implements Producer.
func (o *Outbox) Produce(m kafka.Message) {
	if o.producer == nil {
		return
	}
	o.mu.Lock()
	o.pending++
	o.mu.Unlock()
	o.producer.Produce(m, o.report)
}

func (o *Outbox) done(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// What can never be written outranks what may succeed next time: it decides what to do with the batch.
	if err != nil && (o.err == nil || errors.Is(err, kafka.ErrTooLarge)) {
		o.err = err
	}
	if o.pending--; o.pending == 0 {
		select {
		case o.allDone <- struct{}{}:
		default:
		}
	}
}

// Wait returns once every message has an outcome: the worst of them. It gives up when ctx ends; the messages still
// belong to the producer then, and the outbox is not to be used again.
func (o *Outbox) Wait(ctx context.Context) error {
	for {
		o.mu.Lock()
		if o.pending == 0 {
			err := o.err
			o.err = nil
			o.mu.Unlock()
			return err
		}
		o.mu.Unlock()
		select {
		case <-o.allDone:
		case <-ctx.Done():
			return ErrAbandoned
		}
	}
}

// ErrAbandoned says that the outcome of a batch will never be known to this assignment.
var ErrAbandoned = errors.New("batch abandoned")
