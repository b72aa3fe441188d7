package consumer

import (
	"context"
	"slices"
	"time"

	"confab/internal/kafka"
)

// Record is one decoded value with its Kafka record's bytes and coordinates. A Kafka record that holds several values
// yields several Records, which differ in Index.
type Record[T any] struct {
	Value     T
	Raw       []byte // the Kafka record's value, shared by all its Records; read-only
	Key       []byte
	Headers   []kafka.Header
	Topic     string
	Partition int32
	Offset    int64
	Index     int
	Timestamp time.Time // of the Kafka record; not trusted

	work interface{ Begin(offset int64) } // the assignment; nil in tests of handlers

	// Outcome is set by the handler, from a closed set such as flagged or quiet. The loop counts it once the batch is
	// durable.
	Outcome string
}

// Begin records that the handler starts with the record. A handler of batches calls it for each record, so that the
// watchdog and the crash guard can identify the record.
func (r *Record[T]) Begin() {
	if r.work != nil {
		r.work.Begin(r.Offset)
	}
}

// Header returns the value of the last header with that key, nil when there is none.
func (r *Record[T]) Header(key string) []byte {
	for _, h := range slices.Backward(r.Headers) {
		if h.Key == key {
			return h.Value
		}
	}
	return nil
}

// Producer writes the records of a handler. It neither blocks nor fails: the loop handles the results.
type Producer interface {
	Produce(m kafka.Message)
}

// Handler processes batches of one partition's records in offset order.
//
// Nil means that every effect outside out is durable; the loop makes what was given to out durable before it commits the
// offsets. After an error nothing is assumed, and the same batch is offered again. Handle must therefore be idempotent.
// It keeps no reference to the batch after it returns.
type Handler[T any] interface {
	Handle(ctx context.Context, batch []Record[T], out Producer) error
}

// Codec decodes a Kafka record's value into the values that a handler processes. Release returns a value once its batch
// is done, so that decoders can reuse it.
type Codec[T any] interface {
	// Decode appends the record's values to dst. After a *PoisonError the record goes to the dead-letter topic; after any
	// other error it is offered again.
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

	// Indexes are the places of the decoded values within the record, where a codec knows them: it appends one per value.
	Indexes []int
	// Rejected are parts of the record that the codec cannot decode. They become dead letters of their own; the other parts
	// are processed.
	Rejected []Part
}

// Part is a part of a Kafka record that cannot be decoded.
type Part struct {
	Index int    // its place within the record
	Value []byte // a record that holds it alone
	Err   *PoisonError
}

// IndexOf is the place of the i-th decoded value within the record.
func (r *Raw) IndexOf(i int) int {
	if i < len(r.Indexes) {
		return r.Indexes[i]
	}
	return i
}

// PoisonError means that a record can never be decoded or accepted.
type PoisonError struct {
	Stage  string // decode, handle or publish
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
