package consumer

import "confab/consumer/hold"

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

// Series are the label values of one loop that are known before it runs.
type metricSeries struct {
	Role     string
	Topics   []string            // that it reads
	Phases   []string            // of a batch
	Outcomes []string            // of values
	Letters  map[string][]string // reasons of dead letters, by stage
	Probes   []string            // results of probes
	Held     []string            // topics whose records may wait
}

// Role are the metrics of one loop.
type roleMetrics struct {
	*Metrics
	role string
}

// addTopic creates the series of one topic.
func (m *Metrics) addTopic(s *metricSeries, topic string) {
	m.Fetched.WithLabelValues(s.Role, topic)
	m.Circuits.WithLabelValues(s.Role, topic)
	m.Lost.WithLabelValues(topic)
	for _, reason := range unreadableReasons() {
		m.Unreadable.WithLabelValues(s.Role, topic, reason)
	}
	for _, result := range s.Probes {
		m.Probes.WithLabelValues(topic, result)
	}
}

// ForRole returns the metrics of one loop and creates its series.
func (m *Metrics) ForRole(s metricSeries) roleMetrics {
	for _, topic := range s.Topics {
		m.addTopic(&s, topic)
	}
	for _, outcome := range s.Outcomes {
		m.Processed.WithLabelValues(s.Role, outcome)
	}
	for stage, reasons := range s.Letters {
		for _, reason := range reasons {
			m.Letters.WithLabelValues(stage, reason)
		}
	}
	for _, phase := range s.Phases {
		m.Retries.WithLabelValues(s.Role, phase)
	}
	for _, in := range []string{inCodec, inHandler} {
		m.Panics.WithLabelValues(s.Role, in)
	}
	for _, result := range []string{commitOK, commitRebalance, commitFenced, commitError} {
		m.Commits.WithLabelValues(s.Role, result)
	}
	for _, event := range []string{eventAssigned, eventRevoked, eventLost} {
		m.Rebalances.WithLabelValues(s.Role, event)
	}
	for _, topic := range s.Held {
		m.Held.WithLabelValues(s.Role, topic)
		for _, why := range hold.Reasons() {
			m.Released.WithLabelValues(s.Role, topic, string(why))
		}
	}
	m.Interactions.WithLabelValues(s.Role)
	m.Stale.WithLabelValues(s.Role)
	m.Unclean.WithLabelValues(s.Role)
	return roleMetrics{Metrics: m, role: s.Role}
}

// CountFetched counts records of a topic.
func (m roleMetrics) CountFetched(topic string, n int) {
	m.Fetched.WithLabelValues(m.role, topic).Add(float64(n))
}

// CountOutcome counts n durable values; none is not counted.
func (m roleMetrics) CountOutcome(outcome string, n int) {
	if n == 0 {
		return
	}
	m.Interactions.WithLabelValues(m.role).Add(float64(n))
	m.Processed.WithLabelValues(m.role, outcome).Add(float64(n))
}

// CountLetter counts a dead letter.
func (m roleMetrics) CountLetter(stage, reason string) {
	m.Letters.WithLabelValues(stage, reason).Inc()
}

// CountRetry counts a batch that is tried again.
func (m roleMetrics) CountRetry(phase string) { m.Retries.WithLabelValues(m.role, phase).Inc() }

// CountPanic counts a recovered panic.
func (m roleMetrics) CountPanic(in string) { m.Panics.WithLabelValues(m.role, in).Inc() }

// CountStale counts finished records that were discarded.
func (m roleMetrics) CountStale(n int) { m.Stale.WithLabelValues(m.role).Add(float64(n)) }

// CountCommit counts a commit by its result.
func (m roleMetrics) CountCommit(result string) { m.Commits.WithLabelValues(m.role, result).Inc() }

// CountRebalance counts a change of the assignment.
func (m roleMetrics) CountRebalance(event string) { m.Rebalances.WithLabelValues(m.role, event).Inc() }

// CountLost counts offsets of a topic that were gone before they were processed.
func (m roleMetrics) CountLost(topic string, n int64) { m.Lost.WithLabelValues(topic).Add(float64(n)) }

// SetUnreadable shows how many partitions of a topic cannot be read for a reason.
func (m roleMetrics) SetUnreadable(topic, reason string, n int) {
	m.Unreadable.WithLabelValues(m.role, topic, reason).Set(float64(n))
}

// CountUnclean counts a partition of an owner that crashed.
func (m roleMetrics) CountUnclean() { m.Unclean.WithLabelValues(m.role).Inc() }

// OpenCircuit counts a halted partition until the returned function is called.
func (m roleMetrics) OpenCircuit(topic string) (closed func()) {
	open := m.Circuits.WithLabelValues(m.role, topic)
	open.Inc()
	return open.Dec
}

// CountProbe counts a probe of a halted partition by its result.
func (m roleMetrics) CountProbe(topic, result string) { m.Probes.WithLabelValues(topic, result).Inc() }

// ForHeld counts the records of a topic that wait for later ones, and why one waits no longer.
func (m roleMetrics) ForHeld(topic string) func(change int, ended hold.Reason) {
	held := m.Held.WithLabelValues(m.role, topic)
	return func(change int, ended hold.Reason) {
		held.Add(float64(change))
		if ended != "" {
			m.Released.WithLabelValues(m.role, topic, string(ended)).Inc()
		}
	}
}

// CountAbort counts a transaction that was not committed.
func (m roleMetrics) CountAbort(reason string) { m.Aborts.WithLabelValues(reason).Inc() }

// CountUnknown counts an end of a transaction whose result is unknown.
func (m roleMetrics) CountUnknown() { m.Unknown.Inc() }
