package kafka

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ClientMetrics counts what clients send and receive. Create it once per registry and pass it to every client.
type ClientMetrics struct {
	read      prometheus.Counter
	written   prometheus.Counter
	throttled prometheus.Counter
}

var (
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
	return &ClientMetrics{
		read:      counter("read_bytes_total", "Bytes read from brokers."),
		written:   counter("written_bytes_total", "Bytes written to brokers."),
		throttled: counter("throttled_seconds_total", "Time that brokers asked clients to wait for a quota."),
	}
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
