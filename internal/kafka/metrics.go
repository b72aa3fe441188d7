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
	connects  *prometheus.CounterVec
	read      prometheus.Counter
	written   prometheus.Counter
	throttled prometheus.Counter
}

var (
	_ kgo.HookBrokerConnect  = (*ClientMetrics)(nil)
	_ kgo.HookBrokerRead     = (*ClientMetrics)(nil)
	_ kgo.HookBrokerWrite    = (*ClientMetrics)(nil)
	_ kgo.HookBrokerThrottle = (*ClientMetrics)(nil)
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
		connects:  vec("connects_total", "Connection attempts to brokers.", "result"),
		read:      counter("read_bytes_total", "Bytes read from brokers."),
		written:   counter("written_bytes_total", "Bytes written to brokers."),
		throttled: counter("throttled_seconds_total", "Time that brokers asked clients to wait for a quota."),
	}
	for _, result := range []string{"ok", "error"} {
		m.connects.WithLabelValues(result)
	}
	return m
}

// OnBrokerConnect implements kgo.HookBrokerConnect.
func (m *ClientMetrics) OnBrokerConnect(_ kgo.BrokerMetadata, _ time.Duration, _ net.Conn, err error) {
	if err != nil {
		m.connects.WithLabelValues("error").Inc()
		return
	}
	m.connects.WithLabelValues("ok").Inc()
}

// OnBrokerRead implements kgo.HookBrokerRead.
//
//nolint:revive // the library asks for so many arguments
func (m *ClientMetrics) OnBrokerRead(_ kgo.BrokerMetadata, _ int16, n int, _, _ time.Duration, _ error) {
	m.read.Add(float64(n))
}

// OnBrokerWrite implements kgo.HookBrokerWrite.
//
//nolint:revive // the library asks for so many arguments
func (m *ClientMetrics) OnBrokerWrite(_ kgo.BrokerMetadata, _ int16, n int, _, _ time.Duration, _ error) {
	m.written.Add(float64(n))
}

// OnBrokerThrottle implements kgo.HookBrokerThrottle.
func (m *ClientMetrics) OnBrokerThrottle(_ kgo.BrokerMetadata, d time.Duration, _ bool) {
	m.throttled.Add(d.Seconds())
}
