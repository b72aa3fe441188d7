package kafka

import "context"

// TableOptions configure a Table.
type TableOptions struct {
	Config   Config
	Producer *Producer
	Topic    string
	MaxKeys  int // kept in memory per partition; DefaultTableKeys when zero
	Metrics  *TableMetrics
}

// DefaultTableKeys is how many keys of a partition a Table remembers unless told otherwise.
const DefaultTableKeys = 100_000

// Table is the last value per key of a compacted topic, kept partition by partition.
type Table struct{ opts TableOptions }

// TableMetrics counts what tables could not answer.
type TableMetrics struct{}

// TablePartition is one partition of a Table, loaded.
type TablePartition struct{}

// NewTable makes a table; nothing is read until Partition is called.
func NewTable(opts TableOptions) (*Table, error) { return &Table{opts: opts}, nil }

// Partition is partition p, read from its start to its end on first use.
func (t *Table) Partition(ctx context.Context, p int32) (*TablePartition, error) { return nil, nil }

// Release forgets partition p. Call it when its owner changes.
func (t *Table) Release(p int32) {}

// Close closes the table's client.
func (t *Table) Close() {}

// Get is the last value under key. A key that was never written, was deleted or was evicted is not found.
func (p *TablePartition) Get(key string) ([]byte, bool) { return nil, false }

// Put writes value under key and returns once it is durable.
func (p *TablePartition) Put(ctx context.Context, key string, value []byte) error { return nil }
