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
	Aborts       *prometheus.CounterVec
	Unknown      prometheus.Counter
	stuck        *stuckCollector
}

// NewMetrics registers the metrics of loops with reg. Call it once per registry.
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

// Values of the labels phase, in, result, reason and event.
const (
	inCodec   = "codec"
	inHandler = "handler"

	commitOK        = "ok"
	commitRebalance = "rebalance"
	commitFenced    = "fenced"
	commitError     = "error"

	abortProduce   = "produce"
	abortTooLarge  = "too_large"
	abortRebalance = "rebalance"
	abortFenced    = "fenced"

	unknownTopic    = "unknown_topic"    // deleted
	readDenied      = "denied"           // READ was withdrawn
	openTransaction = "open_transaction" // records wait for the end of a producer's transaction
	fetchError      = "fetch_error"

	eventAssigned = "assigned"
	eventRevoked  = "revoked"
	eventLost     = "lost"
)

// unreadableReasons are the reasons of partitions that cannot be read.
func unreadableReasons() []string {
	return []string{unknownTopic, readDenied, openTransaction, fetchError}
}

// forRole returns the metrics of one loop, without the label role, and creates its series.
func (o *Options[T]) forRole() *Metrics {
	role := prometheus.Labels{"role": o.Role}
	m := *o.Metrics
	for _, vec := range []**prometheus.CounterVec{
		&m.Fetched, &m.Interactions, &m.Processed, &m.Retries, &m.Panics, &m.Stale, &m.Commits, &m.Rebalances, &m.Unclean,
	} {
		*vec = (*vec).MustCurryWith(role)
	}
	for _, vec := range []**prometheus.GaugeVec{&m.Circuits, &m.Unreadable} {
		*vec = (*vec).MustCurryWith(role)
	}
	for _, topic := range o.Topics {
		m.addTopic(topic)
	}
	create := func(vec *prometheus.CounterVec, values ...string) {
		for _, v := range values {
			vec.WithLabelValues(v)
		}
	}
	create(m.Processed, append([]string{OutcomeDone, OutcomeDeadLetter, OutcomeTombstone}, o.Outcomes...)...)
	create(m.Retries, string(phaseDecode), string(phaseHandle), string(phasePublish), string(phaseDeadLetter))
	create(m.Panics, inCodec, inHandler)
	create(m.Commits, commitOK, commitRebalance, commitFenced, commitError)
	create(m.Rebalances, eventAssigned, eventRevoked, eventLost)
	letters := map[string][]string{StageDecode: {ReasonTooLarge, ReasonPanic}, StageHandle: {ReasonCrashSuspect}, StagePublish: {ReasonTooLarge}}
	for _, reasons := range []map[string][]string{letters, o.Reasons} {
		for stage, list := range reasons {
			create(m.Letters.MustCurryWith(prometheus.Labels{"stage": stage}), list...)
		}
	}
	m.Interactions.WithLabelValues()
	m.Stale.WithLabelValues()
	m.Unclean.WithLabelValues()
	return &m
}

// addTopic creates the series of one topic.
func (m *Metrics) addTopic(topic string) {
	m.Fetched.WithLabelValues(topic)
	m.Circuits.WithLabelValues(topic)
	m.Lost.WithLabelValues(topic)
	for _, reason := range unreadableReasons() {
		m.Unreadable.WithLabelValues(topic, reason)
	}
}

// countOutcome counts n durable values; none is not counted.
func (m *Metrics) countOutcome(outcome string, n int) {
	if n > 0 {
		m.Interactions.WithLabelValues().Add(float64(n))
		m.Processed.WithLabelValues(outcome).Add(float64(n))
	}
}
