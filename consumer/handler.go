package consumer

import (
	"context"
	"slices"
	"time"

	"confab/internal/kafka"
)

// Record is one decoded value beside the bytes and the place it came from. A Kafka record that holds several values
// yields several Records which differ in Index.
type Record[T any] struct {
	Value     T
	Raw       []byte // the Kafka record's value, shared by all Records cut from it; read-only
	Key       []byte
	Headers   []kafka.Header
	Topic     string
	Partition int32
	Offset    int64
	Index     int
	Timestamp time.Time // the Kafka record's; untrusted

	work interface{ Begin(offset int64) } // the partition; nil in tests of handlers

	// Outcome is the handler's word for what became of the value, from a closed set such as flagged or quiet. The loop
	// counts it once the batch is durable.
	Outcome string
}

// Begin says that the handler begins with the record. A handler of batches calls it for each: the watchdog counts from
// there, and a record that ends the process is told from its neighbors.
func (r *Record[T]) Begin() {
	if r.work != nil {
		r.work.Begin(r.Offset)
	}
}

// Header is the value of the last header with that key, nil when there is none.
func (r *Record[T]) Header(key string) []byte {
	for _, h := range slices.Backward(r.Headers) {
		if h.Key == key {
			return h.Value
		}
	}
	return nil
}

// Producer takes the records that a handler wants written. It does not block and does not fail: what becomes of them
// is the loop's business.
type Producer interface {
	Produce(m kafka.Message)
}

// Handler does a role's work on a batch, which holds records of one partition in offset order.
//
// Nil means that every effect outside out is durable; the loop makes what was given to out durable before it commits
// the offsets. An error means that nothing may be assumed, and the same batch is offered again. Handle must therefore
// be idempotent, and it cannot tell the delivery mode. It keeps no reference to the batch after it returns.
type Handler[T any] interface {
	Handle(ctx context.Context, batch []Record[T], out Producer) error
}

// Codec turns a Kafka record's value into the values that a handler works on. Release takes a value back once its
// batch is done, so that decoders can reuse it.
type Codec[T any] interface {
	// Decode appends the record's values to dst. A *PoisonError sends the record to the dead-letter topic; any other
	// error is the world's, and the record is offered again.
	Decode(ctx context.Context, r *Raw, dst []T) ([]T, error)
	Release(value T)
}

// Raw is a fetched Kafka record, before decoding.
type Raw struct {
	Topic     string
	Partition int32
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   []kafka.Header
	Timestamp time.Time
}

// PoisonError says that a record can never be decoded or accepted.
type PoisonError struct {
	Stage  string // decode or validate
	Reason string // from a closed set, such as unknown_format: a metric label
	Err    error  // detail without any of the record's text
}

func (e *PoisonError) Error() string {
	if e.Err == nil {
		return e.Stage + ": " + e.Reason
	}
	return e.Stage + ": " + e.Reason + ": " + e.Err.Error()
}

func (e *PoisonError) Unwrap() error { return e.Err }
