package resources

import (
	"confab/internal/kafka"
	"confab/internal/worker/config"
)

// forgetRole is the name of the grants of `confab forget`.
const forgetRole = "forget"

// forgetGrants are those of the command that deletes data of people: it reads all topics that may hold some.
func forgetGrants(c *config.Config) (all []kafka.ACL) {
	t := c.Kafka.Topics
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: forgetRole, Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opDescribeConfigs, opRead)
	}
	topics := []string{t.Incidents, t.DLQ, t.Alerts}
	if c.SamplingEnabled() {
		topics = append(topics, t.Sampled)
	}
	if c.Export.Evaluations {
		topics = append(topics, t.Evaluations)
	}
	for _, topic := range topics {
		grant(topic, opDescribeConfigs, opRead)
	}
	if c.Observations.Enabled {
		grant(t.Observations, opDescribeConfigs, opRead, opWrite)
	}
	grant(t.Feedback, opDescribeConfigs, opRead, opWrite)
	return all
}
