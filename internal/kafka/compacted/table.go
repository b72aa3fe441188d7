package compacted

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"confab/internal/kafka"
)

// DefaultTableBytes is the default of TableOptions.MaxBytes.
const DefaultTableBytes = 32 << 20

// entryBytes is the memory of an entry without its key and value.
const entryBytes = 250

// replayFetchBytes bounds one fetch of a replay: partitions are read concurrently.
const replayFetchBytes = 1 << 20

// TableOptions configure a Table.
type TableOptions struct {
	Config   kafka.Config
	Producer *kafka.Producer
	Topic    string // compacted
	MaxBytes int    // in memory over all partitions; DefaultTableBytes when zero
}

// Table is the last value per key of a compacted topic, read partition by partition. The caller ensures that a partition
// has one writer, its owner. A Table is safe for concurrent use.
type Table struct {
	opts TableOptions

	mu    sync.Mutex
	cache *simplelru.LRU[tableKey, []byte]
	bytes int
}

// tableKey is a key of a partition. A reopened partition does not see the values of its earlier owner.
type tableKey struct {
	partition *TablePartition
	key       string
}

// NewTable returns a table. It reads nothing until Replay.
func NewTable(opts TableOptions) (*Table, error) {
	if err := opts.Config.Validate(); err != nil {
		return nil, err
	}
	if opts.Topic == "" || opts.Producer == nil || opts.MaxBytes < 0 {
		return nil, errors.New("kafka: a table needs a topic, a producer and a limit of 0 bytes (the default) or more")
	}
	opts.MaxBytes = cmp.Or(opts.MaxBytes, DefaultTableBytes)
	t := &Table{opts: opts}
	cache, err := simplelru.NewLRU(opts.MaxBytes, func(k tableKey, value []byte) { t.bytes -= entrySize(k.key, value) })
	t.cache = cache
	if err != nil {
		return nil, fmt.Errorf("kafka: table: %w", err)
	}
	return t, nil
}

func entrySize(key string, value []byte) int { return entryBytes + len(key) + len(value) }

// Open returns partition p without values. Replay loads it.
func (t *Table) Open(p int32) *TablePartition { return &TablePartition{table: t, number: p} }

// Replay reads the partition up to its current end and passes every record to each, in log order; a nil value deletes the
// key. The partition keeps a value in memory, within MaxBytes, if each returns true.
func (p *TablePartition) Replay(ctx context.Context, each func(key string, value []byte) (remember bool)) error {
	err := replayPartition(ctx, p.table.opts.Config, p.table.opts.Topic, p.number, func(key string, value []byte) {
		if !each(key, value) {
			value = nil
		}
		p.apply(key, value)
	})
	if err != nil {
		return fmt.Errorf("load table %s partition %d: %w", p.table.opts.Topic, p.number, err)
	}
	return nil
}

// TableEntry is a key and its value; nil deletes the key.
type TableEntry struct {
	Key       string
	Value     []byte
	SkipCache bool // not kept in memory, so that Get does not find it
}

// replayPartition passes the committed records of a partition to apply, from its start to its current end. apply owns the
// key and the value; a nil value deletes the key.
func replayPartition(ctx context.Context, cfg kafka.Config, topic string, p int32, apply func(key string, value []byte)) error {
	of := kafka.ReaderOptions{Config: cfg, Topics: []string{topic}, Partitions: []int32{p}, StopAtEnd: true, FetchBytes: replayFetchBytes}
	return kafka.Read(ctx, of, func(r *kafka.FetchedRecord) error {
		apply(string(r.Key), bytes.Clone(r.Value))
		return nil
	})
}

// TablePartition is one partition of a Table.
type TablePartition struct {
	table  *Table
	number int32
}

// Get returns the last value of key; read-only. A key that was never written, was deleted or was evicted is not found.
func (p *TablePartition) Get(key string) ([]byte, bool) {
	p.table.mu.Lock()
	defer p.table.mu.Unlock()
	return p.table.cache.Get(tableKey{p, key})
}

// Put writes the entries to this partition, in order, and returns once all are durable. After an error any of them may
// have been written; none is in memory.
func (p *TablePartition) Put(ctx context.Context, entries ...TableEntry) error {
	messages := make([]kafka.Message, len(entries))
	for i, e := range entries {
		messages[i] = kafka.Message{
			Topic: p.table.opts.Topic, Partition: p.number, Key: []byte(e.Key), Value: bytes.Clone(e.Value),
		}
	}
	if err := p.table.opts.Producer.ProduceSync(ctx, messages...); err != nil {
		return fmt.Errorf("write table %s partition %d: %w", p.table.opts.Topic, p.number, err)
	}
	for i, e := range entries {
		value := messages[i].Value
		if e.SkipCache {
			value = nil
		}
		p.apply(e.Key, value)
	}
	return nil
}

// apply stores a value, or deletes the key for nil. It evicts the least recently used keys of all partitions.
func (p *TablePartition) apply(key string, value []byte) {
	t, k := p.table, tableKey{p, key}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cache.Remove(k)
	if value == nil {
		return
	}
	t.cache.Add(k, value)
	for t.bytes += entrySize(key, value); t.bytes > t.opts.MaxBytes; {
		if _, _, ok := t.cache.RemoveOldest(); !ok {
			return
		}
	}
}
