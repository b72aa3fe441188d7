package consumer

import (
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// Outcomes that the loop counts. A handler that sets none is counted under OutcomeDone.
const (
	OutcomeDeadLetter = "dlq"
	OutcomeTombstone  = "skip_tombstone"
	OutcomeDone       = "done"
)

// Metrics are the metrics of all loops of a process.
type Metrics struct {
	fetched      *prometheus.CounterVec
	interactions *prometheus.CounterVec
	processed    *prometheus.CounterVec
	letters      *prometheus.CounterVec
	retries      *prometheus.CounterVec
	panics       *prometheus.CounterVec
	stale        *prometheus.CounterVec
	commits      *prometheus.CounterVec
	rebalances   *prometheus.CounterVec
	lost         *prometheus.CounterVec
	unclean      *prometheus.CounterVec
	circuits     *prometheus.GaugeVec
	probes       *prometheus.CounterVec
	stuck        *stuckCollector
}

// NewMetrics registers the metrics of loops with reg. Call it once per registry.
func NewMetrics(reg prometheus.Registerer) *Metrics {
	f := promauto.With(reg)
	vec := func(name, help string, labels ...string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: "confab_" + name, Help: help}, labels)
	}
	m := &Metrics{
		fetched:      vec("records_fetched_total", "Kafka records taken from the broker.", "role", "topic"),
		interactions: vec("interactions_total", "Values whose every effect is durable.", "role"),
		processed:    vec("events_processed_total", "Values whose every effect is durable, by outcome.", "role", "outcome"),
		letters:      vec("dlq_records_total", "Records written to the dead-letter topic.", "stage", "reason"),
		retries:      vec("batch_retries_total", "Batches that failed and are tried again.", "role", "phase"),
		panics:       vec("panics_total", "Panics that were recovered.", "role", "in"),
		stale:        vec("generation_stale_discards_total", "Finished records that were discarded, because their partition had been taken away.", "role"),
		commits:      vec("commits_total", "Offset commits by result.", "role", "result"),
		rebalances:   vec("rebalances_total", "Changes of the group's assignment.", "role", "event"),
		lost:         vec("data_loss_offsets_total", "Offsets that were gone before they were processed.", "topic"),
		unclean: vec("unclean_handovers_total", "Partitions taken over from an owner that ended while it may have had records in work.",
			"role"),
		circuits: f.NewGaugeVec(prometheus.GaugeOpts{
			Name: "confab_circuit_open", Help: "Partitions that are halted because most of their records are poison.",
		}, []string{"role", "topic"}),
		probes: vec("poison_circuit_probes_total", "Probes of halted partitions by result: passed lets the partition go on.",
			"topic", "result"),
		stuck: &stuckCollector{
			desc: prometheus.NewDesc("confab_watermark_stuck_seconds",
				"Age of the oldest batch in work: how long a watermark has been waiting for it.", []string{"role"}, nil),
			ages: make(map[string]func() time.Duration),
		},
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

func (c *stuckCollector) add(role string, age func() time.Duration) (remove func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ages[role] = age
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.ages, role)
	}
}

// roleMetrics are the metrics of one loop.
type roleMetrics struct {
	all  *Metrics
	role string
}

func (m roleMetrics) fetched(topic string, n int) {
	m.all.fetched.WithLabelValues(m.role, topic).Add(float64(n))
}

func (m roleMetrics) outcome(outcome string, n int) {
	if n == 0 {
		return
	}
	if outcome == "" {
		outcome = OutcomeDone
	}
	m.all.interactions.WithLabelValues(m.role).Add(float64(n))
	m.all.processed.WithLabelValues(m.role, outcome).Add(float64(n))
}

func (m roleMetrics) letter(stage, reason string) { m.all.letters.WithLabelValues(stage, reason).Inc() }

func (m roleMetrics) retry(ph batchPhase) { m.all.retries.WithLabelValues(m.role, string(ph)).Inc() }
func (m roleMetrics) panicked(in string)  { m.all.panics.WithLabelValues(m.role, in).Inc() }
func (m roleMetrics) stale(n int)         { m.all.stale.WithLabelValues(m.role).Add(float64(n)) }

func (m roleMetrics) commit(result string) { m.all.commits.WithLabelValues(m.role, result).Inc() }

func (m roleMetrics) rebalance(event string) { m.all.rebalances.WithLabelValues(m.role, event).Inc() }

func (m roleMetrics) lost(topic string, n int64) {
	m.all.lost.WithLabelValues(topic).Add(float64(n))
}

func (m roleMetrics) uncleanHandover() { m.all.unclean.WithLabelValues(m.role).Inc() }

// circuitOpened counts a halted partition until the returned function is called.
func (m roleMetrics) circuitOpened(topic string) (closed func()) {
	open := m.all.circuits.WithLabelValues(m.role, topic)
	open.Inc()
	return open.Dec
}

func (m roleMetrics) probed(topic, result string) { m.all.probes.WithLabelValues(topic, result).Inc() }

// Ready reports whether the loop has joined its group and is not shutting down.
func (l *Loop[T]) Ready() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.joined.Load() && !l.draining
}

// Progress is the state that a liveness probe needs.
type Progress struct {
	Busy  bool      // a codec or handler is running
	Since time.Time // start of the oldest such record; zero when not Busy

	Topic     string // of the oldest such work
	Partition int32
	Offset    int64
}

// Progress returns the record that a codec or handler has worked on for longest. Waits for brokers, slots or the next
// attempt do not count: a restart would not end them.
func (l *Loop[T]) Progress() Progress {
	var pr Progress
	for _, p := range l.partitions() {
		if offset, busy := p.CurrentRecord(); !busy.IsZero() && (!pr.Busy || busy.Before(pr.Since)) {
			pr = Progress{Busy: true, Since: busy, Topic: p.ID.Topic, Partition: p.ID.Partition, Offset: offset}
		}
	}
	return pr
}

// stuckFor returns the age of the oldest batch in work.
func (l *Loop[T]) stuckFor() time.Duration {
	var oldest time.Duration
	for _, p := range l.partitions() {
		if head := p.BatchStart(); !head.IsZero() {
			oldest = max(oldest, time.Since(head))
		}
	}
	return oldest
}
