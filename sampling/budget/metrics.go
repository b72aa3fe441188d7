package budget

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

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
