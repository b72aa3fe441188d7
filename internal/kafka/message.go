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

// Record returns the message in the client's form. It shares the slices of m.
func (m *Message) Record() *kgo.Record {
	return &kgo.Record{Topic: m.Topic, Key: m.Key, Value: m.Value, Headers: m.Headers, Partition: m.Partition}
}
