package resources

import (
	"confab/internal/kafka"
	"confab/internal/worker/config"
)

// Names of the grants of commands that examine and repair ranges of topics.
const (
	auditRole   = "audit"   // `confab verify` and `confab replay`
	redriveRole = "redrive" // `confab redrive`
)

// auditGrants are those of commands that measure inputs again and compare them with what the role detect wrote.
func auditGrants(c *config.Config) (all []kafka.ACL) {
	grant := func(resource, name string, ops ...string) {
		all = append(all, kafka.ACL{Role: auditRole, Resource: resource, Name: name, Operations: ops})
	}
	for _, in := range c.Kafka.Inputs {
		grant(kafka.ResourceTopic, in.Topic, opRead)
	}
	grant(kafka.ResourceTopic, c.Kafka.Topics.Incidents, opDescribeConfigs, opRead)
	grant(kafka.ResourceTopic, c.Kafka.Topics.DLQ, opRead)
	grant(kafka.ResourceGroup, c.Group(config.RoleDetect), opDescribe)
	return all
}

// redriveGrants are those of the command that sends dead letters back to the topics that roles read.
func redriveGrants(c *config.Config) (all []kafka.ACL) {
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: redriveRole, Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opRead, opWrite)
	}
	if c.SamplingEnabled() {
		grant(c.Kafka.Topics.Sampled, opRead, opWrite)
	}
	grant(c.Kafka.Topics.Incidents, opRead, opWrite)
	grant(c.Kafka.Topics.DLQ, opRead)
	return all
}
