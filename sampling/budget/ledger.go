// Package budget limits the tokens that deep evaluations use, by window, tenant and partition. A [Ledger] reserves
// tokens in a compacted topic before it grants them, so that a crash cannot spend a grant twice. It calls no
// language model.
package budget

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
func NewLedger(opts LedgerOptions) *Ledger {
	labels := slices.Sorted(slices.Values(opts.MetricTenants))
	return &Ledger{opts: opts, labels: slices.Compact(labels), parts: make(map[int32]*ledgerPart)}
}

// Assign adds a partition. The first reservation opens its log.
func (l *Ledger) Assign(partition int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.parts[partition] = &ledgerPart{number: partition, opts: &l.opts, limits: l.opts.limits(partition), lock: make(chan struct{}, 1)}
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

// OnPace implements Reserver.
func (l *Ledger) OnPace(partition int32) bool {
	l.mu.Lock()
	p := l.parts[partition]
	l.mu.Unlock()
	return p == nil || p.onPace()
}

func (l *Ledger) owned() []*ledgerPart {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Collect(maps.Values(l.parts))
}

func errNotAssigned(partition int32) error {
	return fmt.Errorf("reserve tokens: partition %d is not assigned to this process", partition)
}

const otherTenants = "other"

// budgetDesc are the gauges of a ledger.
type budgetDesc struct{ reserved, spent, limit *prometheus.Desc }

func newBudgetDesc() budgetDesc {
	desc := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("confab_budget_"+name+"_tokens", help, labels, nil)
	}
	return budgetDesc{
		reserved: desc("reserved", "Tokens reserved in the present window on the partitions of this worker.", "tenant"),
		spent:    desc("spent", "Tokens of these that language models have reported as used.", "tenant"),
		limit:    desc("limit", "Tokens that the partitions of this worker may reserve in a window, all tenants together."),
	}
}

// Describe implements prometheus.Collector.
func (l *Ledger) Describe(ch chan<- *prometheus.Desc) {
	d := newBudgetDesc()
	ch <- d.reserved
	ch <- d.spent
	ch <- d.limit
}

// Collect implements prometheus.Collector. The sum over all workers is the state of the budget; tenants without a label
// are "other".
func (l *Ledger) Collect(ch chan<- prometheus.Metric) {
	d := newBudgetDesc()
	reserved, spent := make(map[string]int64), make(map[string]int64)
	var limit int64
	for _, p := range l.owned() {
		limit += p.limits.total
		p.report(func(tenant string, of tenantAccount) {
			if !slices.Contains(l.labels, tenant) {
				tenant = otherTenants
			}
			reserved[tenant] += of.reserved
			spent[tenant] += of.spent
		})
	}
	gauge := func(desc *prometheus.Desc, v int64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(v), labels...)
	}
	for _, tenant := range slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(l.labels), otherTenants)))) {
		gauge(d.reserved, reserved[tenant], tenant)
		gauge(d.spent, spent[tenant], tenant)
	}
	gauge(d.limit, limit)
}

// report visits the accounts of the present window.
func (p *ledgerPart) report(visit func(tenant string, of tenantAccount)) {
	at := windowAt(p.opts.Now(), p.opts.Budget.Window)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.account == nil || at.start.After(p.account.window.start) {
		return
	}
	for tenant, of := range p.account.tenants {
		visit(tenant, *of)
	}
}

// Options limit the cost of deep evaluations. Tokens of prompts and of replies count alike.
type Options struct {
	// Window after which every limit starts anew. Windows follow UTC: 24h begins at midnight, 168h on Mondays.
	Window time.Duration `yaml:"window" min:"1m" max:"8784h"`
	// TokensPerWindow is what all tenants together may use in a window.
	TokensPerWindow int64 `yaml:"tokens_per_window" min:"1"`
	// TokensPerTenant is what a tenant without a limit of its own may use in a window. 0 sets none: the total holds.
	TokensPerTenant int64 `yaml:"tokens_per_tenant" min:"0"`
}

// DefaultOptions are a million tokens a day.
func DefaultOptions() Options {
	return Options{Window: 24 * time.Hour, TokensPerWindow: 1_000_000}
}

// Reserver grants tokens before they are spent.
type Reserver interface {
	// Reserve reserves tokens, an upper bound of a call's usage, for a tenant and a partition of the sampled topic. It
	// returns when the grant is durable: a crash cannot spend it twice. Without a grant there must be no call. An error
	// means that the budget log failed; the caller may retry.
	Reserve(ctx context.Context, tenant string, partition int32, tokens int64) (Grant, error)
	// OnPace reports whether the partition has used no larger part of its tokens than of the window. What may be left out keeps to
	// that, so that tokens remain for what may not.
	OnPace(partition int32) bool
}

// Grant is the result of a reservation.
type Grant struct {
	OK      bool
	Refusal Refusal // "" when OK

	reservation *reservation
}

// maxUsage bounds the reported usage, so that sums cannot overflow.
const maxUsage = 1 << 40

// ReportUsage reports the tokens that were used. Unused tokens become available to the tenant again while this process keeps
// the partition and the window lasts. Call it at most once, and not when the usage is unknown: then the whole grant
// counts as used. Usage above the grant counts against the limits.
func (g Grant) ReportUsage(used int64) {
	if g.reservation != nil {
		g.reservation.addUsage(min(max(used, 0), maxUsage))
	}
}

// Refusal is the limit that prevented a grant.
type Refusal string

// The refusals.
const (
	RefusedTenant Refusal = "tenant_limit" // the tenant's part of this partition is used up
	RefusedTotal  Refusal = "total_limit"  // the partition's part is used up
)
