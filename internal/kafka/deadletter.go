package kafka

import (
	"context"
	"time"
)

// DeadLetterOptions configure a DeadLetter.
type DeadLetterOptions struct {
	Producer *Producer
	Topic    string // where dead letters go
	Name     string // who gave up, written as connector.name: the consumer group
}

// DeadLetter writes records that can never be processed to the dead-letter topic.
type DeadLetter struct {
	opts DeadLetterOptions
}

// NewDeadLetter makes a DeadLetter.
func NewDeadLetter(opts DeadLetterOptions) *DeadLetter { return &DeadLetter{opts: opts} }

// Letter is a record that was given up, with the reason.
type Letter struct {
	Topic     string // where it was read
	Partition int32
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   []Header
	Timestamp time.Time

	Stage   string // decode, validate, detect or publish
	Reason  string // from a closed set
	Err     error  // detail without any of the record's text; may be nil
	NoValue bool   // the value could not be read: coordinates only
}

// Send writes l and waits for the acknowledgement, or for ctx.
func (d *DeadLetter) Send(ctx context.Context, l *Letter) error {
	return nil
}

// Message is the record that Send writes for l.
func (d *DeadLetter) Message(l *Letter) Message { return Message{} }
