package kafka

import (
	"net"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ClientMetrics counts requests and bytes of clients. Create it once per registry and pass it to every client.
type ClientMetrics struct {
	connects    *prometheus.CounterVec
	disconnects prometheus.Counter
	read        prometheus.Counter
	written     prometheus.Counter
	ioErrors    *prometheus.CounterVec
	throttled   prometheus.Counter
	produced    *prometheus.CounterVec
	producedB   *prometheus.CounterVec
	fetched     *prometheus.CounterVec
	fetchedB    *prometheus.CounterVec
}

var (
	_ kgo.HookBrokerConnect       = (*ClientMetrics)(nil)
	_ kgo.HookBrokerDisconnect    = (*ClientMetrics)(nil)
	_ kgo.HookBrokerRead          = (*ClientMetrics)(nil)
	_ kgo.HookBrokerWrite         = (*ClientMetrics)(nil)
	_ kgo.HookBrokerThrottle      = (*ClientMetrics)(nil)
	_ kgo.HookProduceBatchWritten = (*ClientMetrics)(nil)
	_ kgo.HookFetchBatchRead      = (*ClientMetrics)(nil)
)

// NewClientMetrics registers the confab_kafka_* metrics with reg.
func NewClientMetrics(reg prometheus.Registerer) *ClientMetrics {
	f := promauto.With(reg)
	counter := func(name, help string) prometheus.Counter {
		return f.NewCounter(prometheus.CounterOpts{Name: "confab_kafka_" + name, Help: help})
	}
	vec := func(name, help, label string) *prometheus.CounterVec {
		return f.NewCounterVec(prometheus.CounterOpts{Name: "confab_kafka_" + name, Help: help}, []string{label})
	}
	m := &ClientMetrics{
		connects:    vec("connects_total", "Connection attempts to brokers.", "result"),
		disconnects: counter("disconnects_total", "Connections to brokers that ended."),
		read:        counter("read_bytes_total", "Bytes read from brokers."),
		written:     counter("written_bytes_total", "Bytes written to brokers."),
		ioErrors:    vec("io_errors_total", "Reads and writes that failed.", "direction"),
		throttled:   counter("throttled_seconds_total", "Time that brokers asked clients to wait for a quota."),
		produced:    vec("produced_records_total", "Records in batches that brokers accepted.", "topic"),
		producedB:   vec("produced_bytes_total", "Compressed bytes of batches that brokers accepted.", "topic"),
		fetched:     vec("fetched_records_total", "Records in fetched batches.", "topic"),
		fetchedB:    vec("fetched_bytes_total", "Compressed bytes of fetched batches.", "topic"),
	}
	for _, result := range []string{"ok", "error"} {
		m.connects.WithLabelValues(result)
	}
	for _, direction := range []string{"read", "write"} {
		m.ioErrors.WithLabelValues(direction)
	}
	return m
}

// CreateTopics creates the series of topics that will be read or written.
func (m *ClientMetrics) CreateTopics(topics ...string) {
	for _, topic := range topics {
		for _, v := range []*prometheus.CounterVec{m.produced, m.producedB, m.fetched, m.fetchedB} {
			v.WithLabelValues(topic)
		}
	}
}

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (m *ClientMetrics) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		m.connects.WithLabelValues("error").Inc()
		return
	}
	m.connects.WithLabelValues("ok").Inc()
}

// OnBrokerDisconnect implements kgo.HookBrokerDisconnect.
func (m *ClientMetrics) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { m.disconnects.Inc() }

// OnBrokerRead implements kgo.HookBrokerRead.
//
//nolint:revive // the library asks for so many arguments
func (m *ClientMetrics) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, n int, _, _ time.Duration, err error) {
	m.read.Add(float64(n))
	if err != nil {
		m.ioErrors.WithLabelValues("read").Inc()
	}
}

// OnBrokerWrite implements kgo.HookBrokerWrite.
//
//nolint:revive // the library asks for so many arguments
func (m *ClientMetrics) OnBrokerWrite(_ kgo.BrokerMetadata, _ int16, n int, _, _ time.Duration, err error) {
	m.written.Add(float64(n))
	if err != nil {
		m.ioErrors.WithLabelValues("write").Inc()
	}
}

// OnBrokerThrottle implements kgo.HookBrokerThrottle.
func (m *ClientMetrics) OnBrokerThrottle(_ kgo.BrokerMetadata, d time.Duration, _ bool) {
	m.throttled.Add(d.Seconds())
}

// OnProduceBatchWritten implements kgo.HookProduceBatchWritten.
func (m *ClientMetrics) OnProduceBatchWritten(_ kgo.BrokerMetadata, topic string, _ int32, b kgo.ProduceBatchMetrics) {
	m.produced.WithLabelValues(topic).Add(float64(b.NumRecords))
	m.producedB.WithLabelValues(topic).Add(float64(b.CompressedBytes))
}

// OnFetchBatchRead implements kgo.HookFetchBatchRead.
func (m *ClientMetrics) OnFetchBatchRead(_ kgo.BrokerMetadata, topic string, _ int32, b kgo.FetchBatchMetrics) {
	m.fetched.WithLabelValues(topic).Add(float64(b.NumRecords))
	m.fetchedB.WithLabelValues(topic).Add(float64(b.CompressedBytes))
}
