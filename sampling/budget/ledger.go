package budget

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// Log is one partition of the topic of the budget log, owned by one process at a time. kafka.FencedPartition implements
// it.
type Log interface {
	// Last is the last value by key when the partition was opened.
	Last() map[string][]byte
	// Append writes values by key atomically and returns when they are durable; nil deletes a key. It fails when
	// another process has opened the partition.
	Append(ctx context.Context, values map[string][]byte) error
	Close()
}

// LedgerOptions configure a Ledger.
type LedgerOptions struct {
	Budget  Options
	Tenants map[string]int64 // limits per window of single tenants; 0 grants nothing

	// Partitions is the number of partitions of the sampled topic. Each has its part of every limit. Partitions added
	// later have none until a restart.
	Partitions int32
	// Open opens the log of a partition and fences earlier owners: they can no longer reserve, and Last holds all their
	// reservations.
	Open func(ctx context.Context, partition int32) (Log, error)
	Now  func() time.Time

	MetricTenants []string // labels of metrics; others are "other"
}

func (o *LedgerOptions) validate() error {
	errs := []error{o.Budget.Validate()}
	for name, limit := range o.Tenants {
		if limit < 0 {
			errs = append(errs, fmt.Errorf("tenants.%s.llm.tokens_per_window is %d: set 0 or more", name, limit))
		}
	}
	if o.Partitions < 1 || o.Open == nil || o.Now == nil {
		errs = append(errs, errors.New("budget: the ledger needs the number of partitions, a log and a clock"))
	}
	return errors.Join(errs...)
}

func (o *LedgerOptions) limits(partition int32) partitionLimits {
	part := func(limit int64) int64 { return partOf(limit, partition, o.Partitions) }
	return partitionLimits{
		total: part(o.Budget.TokensPerWindow),
		tenant: func(name string) int64 {
			if limit, ok := o.Tenants[name]; ok {
				return part(limit)
			}
			if limit := o.Budget.TokensPerTenant; limit > 0 {
				return part(limit)
			}
			return math.MaxInt64
		},
	}
}

// Ledger is the Reserver of the partitions that this process owns. Grants are reserved in the budget log first, so
// that the sum of all grants of a window, over all processes, stays within the limits. It is safe for
// concurrent use; reservations of one partition are serialized. It starts no goroutine.
type Ledger struct {
	opts   LedgerOptions
	labels []string

	mu    sync.Mutex
	parts map[int32]*ledgerPart
}

var _ Reserver = (*Ledger)(nil)

// NewLedger returns a ledger without partitions.
func NewLedger(opts LedgerOptions) (*Ledger, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	labels := slices.Sorted(slices.Values(opts.MetricTenants))
	return &Ledger{opts: opts, labels: slices.Compact(labels), parts: make(map[int32]*ledgerPart)}, nil
}

// Assign adds a partition. The first reservation opens its log.
func (l *Ledger) Assign(partition int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts[partition] = newLedgerPart(&l.opts, partition)
}

// Release removes a partition. It returns unused tokens to the budget unless ctx ends first. Grants stay valid.
func (l *Ledger) Release(ctx context.Context, partition int32) {
	l.mu.Lock()
	p := l.parts[partition]
	delete(l.parts, partition)
	l.mu.Unlock()
	if p != nil {
		p.release(ctx)
	}
}

// Close releases every partition.
func (l *Ledger) Close(ctx context.Context) {
	for _, p := range l.owned() {
		l.Release(ctx, p.number)
	}
}

// Reserve implements Reserver. It fails for a partition that is not assigned.
func (l *Ledger) Reserve(ctx context.Context, tenant string, partition int32, tokens int64) (Grant, error) {
	l.mu.Lock()
	p := l.parts[partition]
	l.mu.Unlock()
	switch {
	case tokens < 1:
		return Grant{}, fmt.Errorf("reserve %d tokens: ask for 1 or more", tokens)
	case p == nil:
		return Grant{}, errNotAssigned(partition)
	}
	return p.reserve(ctx, tenant, tokens)
}

func (l *Ledger) owned() []*ledgerPart {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*ledgerPart, 0, len(l.parts))
	for _, p := range l.parts {
		list = append(list, p)
	}
	return list
}

func errNotAssigned(partition int32) error {
	return fmt.Errorf("reserve tokens: partition %d is not assigned to this process", partition)
}
