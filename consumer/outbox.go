package consumer

import (
	"context"
	"errors"
	"sync"

	"confab/internal/kafka"
)

// outbox is the Producer that a handler gets. It passes messages on immediately and collects their results.
type outbox struct {
	producer *kafka.Producer // nil drops them
	report   func(error)     // o.done, bound once to avoid allocations

	mu      sync.Mutex
	pending int
	err     error
	allDone chan struct{} // signaled when pending becomes 0
}

// newOutbox returns an outbox that writes with p; nil drops every message.
func newOutbox(p *kafka.Producer) *outbox {
	o := &outbox{producer: p, allDone: make(chan struct{}, 1)}
	o.report = o.done
	return o
}

// Produce implements Producer.
func (o *outbox) Produce(m kafka.Message) {
	if o.producer == nil {
		return
	}
	o.mu.Lock()
	o.pending++
	o.mu.Unlock()
	o.producer.Produce(m, o.report)
}

func (o *outbox) done(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// ErrTooLarge is permanent: it outranks errors that a retry may resolve.
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

// Wait returns once every message has a result, with the worst of them. It returns errAbandoned when ctx ends; the
// messages then still belong to the producer, and the outbox must not be used again.
func (o *outbox) Wait(ctx context.Context) error {
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
			return errAbandoned
		}
	}
}

// errAbandoned means that the result of a batch will never be known to this assignment.
var errAbandoned = errors.New("batch abandoned")
