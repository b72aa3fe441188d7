package loopmetrics

import "confab/consumer/hold"

// Values of the labels phase, in, result, reason and event.
const (
	InCodec   = "codec"
	InHandler = "handler"

	CommitOK        = "ok"
	CommitRebalance = "rebalance"
	CommitFenced    = "fenced"
	CommitError     = "error"

	AbortProduce   = "produce"
	AbortTooLarge  = "too_large"
	AbortRebalance = "rebalance"
	AbortFenced    = "fenced"

	UnknownTopic    = "unknown_topic"    // deleted
	ReadDenied      = "denied"           // READ was withdrawn
	OpenTransaction = "open_transaction" // records wait for the end of a producer's transaction
	FetchError      = "fetch_error"

	Assigned = "assigned"
	Revoked  = "revoked"
	Lost     = "lost"
)

// UnreadableReasons are the reasons of partitions that cannot be read.
func UnreadableReasons() []string {
	return []string{UnknownTopic, ReadDenied, OpenTransaction, FetchError}
}

// Series are the label values of one loop that are known before it runs.
type Series struct {
	Role     string
	Topics   []string            // that it reads
	Phases   []string            // of a batch
	Outcomes []string            // of values
	Letters  map[string][]string // reasons of dead letters, by stage
	Probes   []string            // results of probes
	Held     []string            // topics whose records may wait
}

// Role are the metrics of one loop.
type Role struct {
	*Metrics
	role string
}

// addTopic creates the series of one topic.
func (m *Metrics) addTopic(s *Series, topic string) {
	m.Fetched.WithLabelValues(s.Role, topic)
	m.Circuits.WithLabelValues(s.Role, topic)
	m.Lost.WithLabelValues(topic)
	for _, reason := range UnreadableReasons() {
		m.Unreadable.WithLabelValues(s.Role, topic, reason)
	}
	for _, result := range s.Probes {
		m.Probes.WithLabelValues(topic, result)
	}
}

// ForRole returns the metrics of one loop and creates its series.
func (m *Metrics) ForRole(s Series) Role {
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
	for _, in := range []string{InCodec, InHandler} {
		m.Panics.WithLabelValues(s.Role, in)
	}
	for _, result := range []string{CommitOK, CommitRebalance, CommitFenced, CommitError} {
		m.Commits.WithLabelValues(s.Role, result)
	}
	for _, event := range []string{Assigned, Revoked, Lost} {
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
	return Role{Metrics: m, role: s.Role}
}

// CountFetched counts records of a topic.
func (m Role) CountFetched(topic string, n int) {
	m.Fetched.WithLabelValues(m.role, topic).Add(float64(n))
}

// CountOutcome counts n durable values; none is not counted.
func (m Role) CountOutcome(outcome string, n int) {
	if n == 0 {
		return
	}
	m.Interactions.WithLabelValues(m.role).Add(float64(n))
	m.Processed.WithLabelValues(m.role, outcome).Add(float64(n))
}

// CountLetter counts a dead letter.
func (m Role) CountLetter(stage, reason string) { m.Letters.WithLabelValues(stage, reason).Inc() }

// CountRetry counts a batch that is tried again.
func (m Role) CountRetry(phase string) { m.Retries.WithLabelValues(m.role, phase).Inc() }

// CountPanic counts a recovered panic.
func (m Role) CountPanic(in string) { m.Panics.WithLabelValues(m.role, in).Inc() }

// CountStale counts finished records that were discarded.
func (m Role) CountStale(n int) { m.Stale.WithLabelValues(m.role).Add(float64(n)) }

// CountCommit counts a commit by its result.
func (m Role) CountCommit(result string) { m.Commits.WithLabelValues(m.role, result).Inc() }

// CountRebalance counts a change of the assignment.
func (m Role) CountRebalance(event string) { m.Rebalances.WithLabelValues(m.role, event).Inc() }

// CountLost counts offsets of a topic that were gone before they were processed.
func (m Role) CountLost(topic string, n int64) { m.Lost.WithLabelValues(topic).Add(float64(n)) }

// SetUnreadable shows how many partitions of a topic cannot be read for a reason.
func (m Role) SetUnreadable(topic, reason string, n int) {
	m.Unreadable.WithLabelValues(m.role, topic, reason).Set(float64(n))
}

// CountUnclean counts a partition of an owner that crashed.
func (m Role) CountUnclean() { m.Unclean.WithLabelValues(m.role).Inc() }

// OpenCircuit counts a halted partition until the returned function is called.
func (m Role) OpenCircuit(topic string) (closed func()) {
	open := m.Circuits.WithLabelValues(m.role, topic)
	open.Inc()
	return open.Dec
}

// CountProbe counts a probe of a halted partition by its result.
func (m Role) CountProbe(topic, result string) { m.Probes.WithLabelValues(topic, result).Inc() }

// ForHeld counts the records of a topic that wait for later ones, and why one waits no longer.
func (m Role) ForHeld(topic string) func(change int, ended hold.Reason) {
	held := m.Held.WithLabelValues(m.role, topic)
	return func(change int, ended hold.Reason) {
		held.Add(float64(change))
		if ended != "" {
			m.Released.WithLabelValues(m.role, topic, string(ended)).Inc()
		}
	}
}

// CountAbort counts a transaction that was not committed.
func (m Role) CountAbort(reason string) { m.Aborts.WithLabelValues(reason).Inc() }

// CountUnknown counts an end of a transaction whose result is unknown.
func (m Role) CountUnknown() { m.Unknown.Inc() }
