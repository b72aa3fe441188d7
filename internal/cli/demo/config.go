package demo

import (
	"fmt"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting/dispatch"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

// demoSalt keys the demo's sampling; a real worker's salt is a secret.
const demoSalt = redact.Secret("confab demo")

// Config is the configuration of the demo. It differs from the default: quiet flags are written, alerts are printed, each
// separately, and every high-stakes interaction is sampled.
func Config() *config.Config {
	c := config.Default()
	c.Emit = config.EmitAll
	c.Roles = []config.Role{config.RoleDetect, config.RoleAlert}
	c.Alerting.Console = true
	c.Alerting.Resolve, c.Alerting.Interval = time.Millisecond, time.Millisecond // each sample is a new problem
	c.Alerting.NewMessages = dispatch.BucketOptions{Burst: 1000, Every: time.Millisecond}
	c.Kafka.StartOffset = config.OffsetEarliest
	c.Sampling.Rate, c.Sampling.Salt = 1, demoSalt
	c.Admin.Listen = ""
	return c
}

// Topics are the topics that the configuration needs, with their partition counts.
func Topics(c *config.Config) map[string]int32 {
	topics := map[string]int32{}
	for _, s := range resources.TopicSpecs(c, resources.Sizing{Partitions: 1}) {
		topics[s.Name] = int32(s.Partitions)
	}
	return topics
}

// pendingMetric counts incidents whose message is not recorded as sent.
const pendingMetric = "confab_alert_pending_incidents"

// AllDelivered reports by the worker's metrics whether it has sent and recorded every alert.
func AllDelivered(metrics prometheus.Gatherer) (bool, error) {
	families, err := metrics.Gather()
	if err != nil {
		return false, fmt.Errorf("read the worker's metrics: %w", err)
	}
	for _, f := range families {
		if f.GetName() == pendingMetric && len(f.GetMetric()) == 1 {
			return f.GetMetric()[0].GetGauge().GetValue() == 0, nil
		}
	}
	return false, fmt.Errorf("the worker has no metric %s", pendingMetric)
}
