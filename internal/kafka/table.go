package kafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// DefaultTableKeys is how many keys of a partition a Table remembers unless told otherwise.
const DefaultTableKeys = 100_000

// TableOptions configure a Table.
type TableOptions struct {
	Config   Config
	Producer *Producer
	Topic    string        // compacted
	MaxKeys  int           // kept in memory per partition; DefaultTableKeys when zero
	Metrics  *TableMetrics // nil counts nothing
}

// TableMetrics counts what tables could not answer. It is made once per registry.
type TableMetrics struct{ misses *prometheus.CounterVec }

// NewTableMetrics registers confab_table_misses_total{topic} with reg: keys that were not found in a partition that
// had to forget keys, and so may have been written.
func NewTableMetrics(reg prometheus.Registerer) *TableMetrics {
	return &TableMetrics{promauto.With(reg).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_table_misses_total", Help: "Keys not found in a table partition that had to forget some.",
	}, []string{"topic"})}
}

// Table is the last value per key of a compacted topic, read partition by partition. Whoever owns a partition is the
// only one to write to it: that is for the caller to arrange. A Table is safe for concurrent use.
type Table struct{ opts TableOptions }

// NewTable makes a table; nothing is read until Load is called.
func NewTable(opts TableOptions) (*Table, error) {
	if err := opts.Config.Validate(); err != nil {
		return nil, err
	}
	if opts.Topic == "" || opts.Producer == nil || opts.MaxKeys < 0 {
		return nil, errors.New("kafka: a table needs a topic, a producer and a key limit of 0 (the default) or more")
	}
	opts.MaxKeys = orDefault(opts.MaxKeys, DefaultTableKeys)
	return &Table{opts}, nil
}

// Load reads partition p from its start to its present end, and hands out every live record that keep holds for, in the
// order in which they were written: all of them, however few keys the partition remembers. A partition that was loaded
// before knows nothing of the new one.
func (t *Table) Load(
	ctx context.Context, p int32, keep func(key string, value []byte) bool,
) (*TablePartition, []TableEntry, error) {
	part := &TablePartition{table: t, number: p}
	live := liveRecords{byKey: make(map[string]liveRecord)}
	cache, err := lru.New[string, []byte](t.opts.MaxKeys)
	if err == nil {
		part.cache = cache
		err = replay(ctx, t.opts.Config, t.opts.Topic, p, func(key string, value []byte) {
			part.apply(key, value)
			live.apply(key, value, keep)
		})
	}
	if err != nil {
		return nil, nil, fmt.Errorf("load table %s partition %d: %w", t.opts.Topic, p, err)
	}
	return part, live.sorted(), nil
}

// TableEntry is a key and its value; a value of nil deletes the key.
type TableEntry struct {
	Key   string
	Value []byte
}

// liveRecords are the last values of the keys that somebody wants.
type liveRecords struct {
	byKey map[string]liveRecord
	next  int
}

type liveRecord struct {
	at    int // its place in the log
	value []byte
}

func (l *liveRecords) apply(key string, value []byte, keep func(key string, value []byte) bool) {
	if value == nil || !keep(key, value) {
		delete(l.byKey, key)
		return
	}
	l.byKey[key] = liveRecord{l.next, value}
	l.next++
}

func (l *liveRecords) sorted() []TableEntry {
	keys := slices.SortedFunc(maps.Keys(l.byKey), func(a, b string) int { return l.byKey[a].at - l.byKey[b].at })
	entries := make([]TableEntry, len(keys))
	for i, key := range keys {
		entries[i] = TableEntry{key, l.byKey[key].value}
	}
	return entries
}

// replay hands the committed records of a partition to apply, from its start to its present end. The key and the value
// are the receiver's; a value of nil deletes the key.
func replay(ctx context.Context, cfg Config, topic string, p int32, apply func(key string, value []byte)) error {
	// Control records are kept because the last offset of the log may be one.
	cl, err := cfg.NewClient(
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: {p: kgo.NewOffset().AtStart()}}),
		kgo.ConsumeResetOffset(kgo.NoResetOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
	)
	if err != nil {
		return err
	}
	defer cl.Close()
	start, end, err := logRange(ctx, cl, topic, p)
	if err != nil {
		return err
	}
	for next := start; next < end; {
		fetches := cl.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
		fetches.EachError(func(_ string, _ int32, e error) { err = e })
		if err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			next = r.Offset + 1
			if !r.Attrs.IsControl() {
				apply(string(r.Key), bytes.Clone(r.Value))
			}
		})
	}
	return nil
}

// logRange is the first and the next offset of a partition.
func logRange(ctx context.Context, cl *kgo.Client, topic string, p int32) (start, end int64, err error) {
	admin := kadm.NewClient(cl)
	for _, q := range []struct {
		list func(context.Context, ...string) (kadm.ListedOffsets, error)
		to   *int64
	}{{admin.ListStartOffsets, &start}, {admin.ListEndOffsets, &end}} {
		listed, err := q.list(ctx, topic)
		if err != nil {
			return 0, 0, fmt.Errorf("list offsets: %w", err)
		}
		o, ok := listed.Lookup(topic, p)
		if !ok {
			return 0, 0, fmt.Errorf("the partition does not exist: give %s as many partitions as the topic it belongs to", topic)
		}
		if o.Err != nil {
			return 0, 0, fmt.Errorf("list offsets: %w", o.Err)
		}
		*q.to = o.Offset
	}
	return start, end, nil
}

// TablePartition is one partition of a Table, loaded.
type TablePartition struct {
	table   *Table
	number  int32
	cache   *lru.Cache[string, []byte]
	evicted atomic.Bool
}

// Get is the last value under key; read-only. A key that was never written, was deleted or had to be forgotten is not
// found.
func (p *TablePartition) Get(key string) ([]byte, bool) {
	v, ok := p.cache.Get(key)
	if m := p.table.opts.Metrics; !ok && m != nil && p.evicted.Load() {
		m.misses.WithLabelValues(p.table.opts.Topic).Inc()
	}
	return v, ok
}

// Put writes the entries to this very partition, in order, and returns once all are durable. After an error any of them
// may have been written; none is in memory.
func (p *TablePartition) Put(ctx context.Context, entries ...TableEntry) error {
	messages := make([]Message, len(entries))
	for i, e := range entries {
		messages[i] = Message{
			Topic: p.table.opts.Topic, Partition: p.number, Key: []byte(e.Key), Value: bytes.Clone(e.Value),
		}
	}
	if err := p.table.opts.Producer.ProduceSync(ctx, messages...); err != nil {
		return fmt.Errorf("write table %s partition %d: %w", p.table.opts.Topic, p.number, err)
	}
	for i, e := range entries {
		p.apply(e.Key, messages[i].Value)
	}
	return nil
}

// Len is the number of keys in memory.
func (p *TablePartition) Len() int { return p.cache.Len() }

func (p *TablePartition) apply(key string, value []byte) {
	if value == nil {
		p.cache.Remove(key)
		return
	}
	if forgot := p.cache.Add(key, value); forgot {
		p.evicted.Store(true)
	}
}
