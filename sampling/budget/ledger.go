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

// blocksPerShare keeps the loss of a block small beside a partition's share: an eighth at most.
const blocksPerShare = 8

// Log is one partition of the topic that holds the budget's books, owned by one process at a time.
// kafka.FencedPartition is one.
type Log interface {
	// Last is the last value by key at the time when the partition was taken over.
	Last() map[string][]byte
	// Append writes values by key, all or none, and returns once they are durable; nil deletes a key. It fails when
	// another process has taken the partition over.
	Append(ctx context.Context, values map[string][]byte) error
	Close()
}

// LedgerOptions set up a Ledger.
type LedgerOptions struct {
	Budget  Options
	Tenants map[string]int64 // limits per window of single tenants; 0 grants nothing

	// Partitions is the number of partitions of the sampled topic. Each has its part of every limit, so that its owner
	// needs to ask nobody. One that is added later has none until the process starts anew.
	Partitions int32
	// Open takes a partition over: from then on no earlier owner can reserve anything, and Last holds what all of them
	// have reserved.
	Open func(ctx context.Context, partition int32) (Log, error)
	Now  func() time.Time

	MetricTenants []string // that are labels of metrics; the rest is "other"
}

func (o *LedgerOptions) validate() error {
	errs := []error{o.Budget.Validate()}
	for name, limit := range o.Tenants {
		if limit < 0 {
			errs = append(errs, fmt.Errorf("tenants.%s.llm.tokens_per_window is %d: set 0 or more", name, limit))
		}
	}
	if o.Partitions < 1 || o.Open == nil || o.Now == nil {
		errs = append(errs, errors.New("budget: the ledger needs the number of partitions, books and a clock"))
	}
	return errors.Join(errs...)
}

// limits are those of one partition.
func (o *LedgerOptions) limits(partition int32) partitionLimits {
	part := func(limit int64) int64 { return partOf(limit, partition, o.Partitions) }
	total := part(o.Budget.TokensPerWindow)
	return partitionLimits{
		total: total,
		block: min(o.Budget.BlockTokens, total/blocksPerShare),
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

// Ledger is the Budget of the partitions that this process owns. What it grants is reserved in the books before, in
// blocks, so the sum of all grants of a window, by whatever processes, stays within the limits. It is safe for concurrent
// use; reservations of one partition take turns. It starts no goroutine.
type Ledger struct {
	opts   LedgerOptions
	labels []string

	mu    sync.Mutex
	parts map[int32]*ledgerPart
}

var _ Reserver = (*Ledger)(nil)

// NewLedger makes a ledger that owns no partition.
func NewLedger(opts LedgerOptions) (*Ledger, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	labels := slices.Sorted(slices.Values(opts.MetricTenants))
	return &Ledger{opts: opts, labels: slices.Compact(labels), parts: make(map[int32]*ledgerPart)}, nil
}

// Assign says that this process is to own a partition from now on. It is quick: the books are opened by the first
// reservation.
func (l *Ledger) Assign(partition int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts[partition] = newLedgerPart(&l.opts, partition)
}

// Release says that this process owns a partition no more. What is left of its blocks is given back if that is possible
// until ctx ends. Grants that were made stay good.
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

// Reserve implements Budget. Without an assignment it fails.
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
