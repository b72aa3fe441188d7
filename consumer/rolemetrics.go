package consumer

import (
	"github.com/prometheus/client_golang/prometheus"

	"confab/consumer/hold"
)

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

// UnreadableReasons are the reasons of partitions that cannot be read.
func unreadableReasons() []string {
	return []string{unknownTopic, readDenied, openTransaction, fetchError}
}

// forRole returns the metrics of one loop, without the label role, and creates its series.
func (o *Options[T]) forRole() *Metrics {
	role := prometheus.Labels{"role": o.Role}
	m := *o.Metrics
	for _, vec := range []**prometheus.CounterVec{
		&m.Fetched, &m.Interactions, &m.Processed, &m.Retries, &m.Panics, &m.Stale, &m.Commits, &m.Rebalances, &m.Unclean, &m.Released,
	} {
		*vec = (*vec).MustCurryWith(role)
	}
	for _, vec := range []**prometheus.GaugeVec{&m.Circuits, &m.Unreadable, &m.Held} {
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
	for topic := range o.Hold {
		m.Held.WithLabelValues(topic)
		for _, why := range hold.Reasons() {
			m.Released.WithLabelValues(topic, string(why))
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
	m.Probes.WithLabelValues(topic, probePassed)
	m.Probes.WithLabelValues(topic, probeFailed)
}

// countOutcome counts n durable values; none is not counted.
func (m *Metrics) countOutcome(outcome string, n int) {
	if n > 0 {
		m.Interactions.WithLabelValues().Add(float64(n))
		m.Processed.WithLabelValues(outcome).Add(float64(n))
	}
}
