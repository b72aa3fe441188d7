package consumer

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Metrics are the metrics of all loops of a process.
type Metrics struct {
	Fetched      *prometheus.CounterVec
	Interactions *prometheus.CounterVec
	Processed    *prometheus.CounterVec
	Letters      *prometheus.CounterVec
	Retries      *prometheus.CounterVec
	Panics       *prometheus.CounterVec
	Stale        *prometheus.CounterVec
	Commits      *prometheus.CounterVec
	Rebalances   *prometheus.CounterVec
	Lost         *prometheus.CounterVec
	Unclean      *prometheus.CounterVec
	Circuits     *prometheus.GaugeVec
	Unreadable   *prometheus.GaugeVec
	Probes       *prometheus.CounterVec
	Held         *prometheus.GaugeVec
	Released     *prometheus.CounterVec
	Aborts       *prometheus.CounterVec
	Unknown      prometheus.Counter
	stuck        *stuckCollector
}

// New registers the metrics of loops with reg. Call it once per registry.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: "confab_" + name, Help: help}, labels)
	}
	m := &Metrics{
		Fetched:      vec("records_fetched_total", "Kafka records taken from the broker.", "role", "topic"),
		Interactions: vec("interactions_total", "Values whose every effect is durable.", "role"),
		Processed:    vec("events_processed_total", "Values whose every effect is durable, by outcome.", "role", "outcome"),
		Letters:      vec("dlq_records_total", "Records written to the dead-letter topic.", "stage", "reason"),
		Retries:      vec("batch_retries_total", "Batches that failed and are tried again.", "role", "phase"),
		Panics:       vec("panics_total", "Panics that were recovered.", "role", "in"),
		Stale:        vec("generation_stale_discards_total", "Finished records that were discarded, because their partition had been taken away.", "role"),
		Commits:      vec("commits_total", "Offset commits by result.", "role", "result"),
		Rebalances:   vec("rebalances_total", "Changes of the group's assignment.", "role", "event"),
		Lost:         vec("data_loss_offsets_total", "Offsets that were gone before they were processed.", "topic"),
		Unclean: vec("unclean_handovers_total", "Partitions taken over from an owner that ended while it may have had records in work.",
			"role"),
		Circuits: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "confab_circuit_open", Help: "Partitions that are halted because most of their records are poison.",
		}, []string{"role", "topic"}),
		Unreadable: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "confab_partitions_unreadable",
			Help: "Partitions that a role owns and cannot read, by reason: unknown_topic, denied, open_transaction, fetch_error.",
		}, []string{"role", "topic", "reason"}),
		Probes: vec("poison_circuit_probes_total", "Probes of halted partitions by result: passed lets the partition go on.",
			"topic", "result"),
		Held: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "confab_held_records", Help: "Records whose offset waits for later records of their trace.",
		}, []string{"role", "topic"}),
		Released: vec("held_records_released_total", "Records that waited for others of their trace, by why they wait no longer.",
			"role", "topic", "reason"),
		Aborts: vec("txn_aborts_total", "Transactions that were not committed, by cause; their records are processed again.", "reason"),
		Unknown: f.NewCounter(prometheus.CounterOpts{
			Name: "confab_end_unknown_total", Help: "Ends of transactions whose result is unknown: the session was opened again.",
		}),
		stuck: &stuckCollector{
			desc: prometheus.NewDesc("confab_watermark_stuck_seconds",
				"Age of the oldest batch in work: how long a watermark has been waiting for it.", []string{"role"}, nil),
			ages: make(map[string]func() time.Duration),
		},
	}
	for _, reason := range []string{abortProduce, abortTooLarge, abortRebalance, abortFenced} {
		m.Aborts.WithLabelValues(reason)
	}
	reg.MustRegister(m.stuck)
	return m
}

// stuckCollector computes the ages when it is scraped.
type stuckCollector struct {
	desc *prometheus.Desc
	mu   sync.Mutex
	ages map[string]func() time.Duration
}

// Describe implements prometheus.Collector.
func (c *stuckCollector) Describe(ch chan<- *prometheus.Desc) { ch <- c.desc }

// Collect implements prometheus.Collector.
func (c *stuckCollector) Collect(ch chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for role, age := range c.ages {
		ch <- prometheus.MustNewConstMetric(c.desc, prometheus.GaugeValue, age().Seconds(), role)
	}
}

// WatchStuck exports the age of the oldest batch of a role's loop until remove is called.
func (m *Metrics) WatchStuck(role string, age func() time.Duration) (remove func()) {
	c := m.stuck
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ages[role] = age
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.ages, role)
	}
}
