package app

import (
	"time"

	"confab/alerting"
	"confab/internal/redact"
)

// demoSalt keys the demo's sampling; a real worker's salt is a secret.
const demoSalt = redact.Secret("confab demo")

// DemoConfig is the configuration of the demo: every default but what a stage needs. Quiet verdicts are written too, so
// that the audience sees them, alerts are printed, each on its own, and every high-stakes interaction is sampled.
func DemoConfig() *Config {
	c := DefaultConfig()
	c.Emit = EmitAll
	c.Roles = []Role{RoleDetect, RoleAlert}
	c.Alerting.Console = true
	c.Alerting.Resolve, c.Alerting.Interval = time.Millisecond, time.Millisecond // the next act is another problem
	c.Alerting.NewMessages = alerting.BucketOptions{Burst: 1000, Every: time.Millisecond}
	c.Kafka.StartOffset = OffsetEarliest
	c.Sampling.Rate, c.Sampling.Salt = 1, demoSalt
	c.Admin.Listen = ""
	return c
}

// DemoTopics are the topics that the configuration needs, with their partition counts.
func DemoTopics(c *Config) map[string]int32 {
	topics := map[string]int32{}
	for _, s := range TopicSpecs(c, Sizing{Partitions: 1}) {
		topics[s.Name] = int32(s.Partitions)
	}
	return topics
}
