package kafka

import "github.com/twmb/franz-go/pkg/kgo"

// Header is one record header.
type Header = kgo.RecordHeader

// AnyPartition lets the record's key choose the partition.
const AnyPartition int32 = -1

// Message is a record to write.
type Message struct {
	Topic     string
	Partition int32 // AnyPartition unless the writer must choose
	Key       []byte
	Value     []byte // nil writes a tombstone
	Headers   []Header
}
