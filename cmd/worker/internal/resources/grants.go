package resources

import (
	"slices"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/config/observing"
	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
)

// Names of operations.
const (
	opRead            = "READ"
	opWrite           = "WRITE"
	opCreate          = "CREATE"
	opDescribe        = "DESCRIBE"
	opDescribeConfigs = "DESCRIBE_CONFIGS"
)

// Grants are the permissions that the roles need.
func Grants(c *config.Config, roles ...config.Role) []kafka.ACL {
	var all []kafka.ACL
	t := c.Kafka.Topics
	for _, role := range roles {
		grant := func(resource, name string, ops ...string) {
			all = append(all, kafka.ACL{Role: string(role), Resource: resource, Name: name, Operations: ops})
		}
		if role == config.RoleServe || role == config.RoleUI { // no group and no dead letters
			all = append(all, serverGrants(c, role)...)
			continue
		}
		all = append(all, topicGrants(c, role)...)
		grant(kafka.ResourceTopic, t.DLQ, opDescribe, opWrite)
		for _, member := range c.Members(role) {
			grant(kafka.ResourceGroup, c.Group(member), opDescribe, opRead)
		}
	}
	return all
}

// topicGrants are those of a role with a consumer group, without its dead letters.
func topicGrants(c *config.Config, role config.Role) []kafka.ACL {
	var all []kafka.ACL
	t := c.Kafka.Topics
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: string(role), Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	switch role { //nolint:exhaustive // the others have no group
	case config.RoleDetect:
		for _, in := range c.Kafka.Inputs {
			grant(in.Topic, opDescribe, opRead)
		}
		grant(t.Incidents, opDescribe, opWrite)
		if c.SamplingEnabled() {
			grant(t.Sampled, opDescribe, opWrite)
		}
		if c.Observations.Enabled {
			grant(t.Observations, opDescribe, opRead)
		}
	case config.RoleSample:
		return sampleGrants(c)
	case config.RoleAlert:
		grant(t.Incidents, opDescribe, opRead)
		grant(t.Alerts, opDescribe, opRead, opWrite)
		grant(t.Feedback, feedbackOps(c)...)
		return append(all, keepGrants(c)...)
	case config.RoleExport:
		grant(t.Incidents, opDescribe, opRead)
		if c.Export.Evaluations {
			grant(t.Evaluations, opDescribe, opWrite)
		}
	}
	return all
}

func sampleGrants(c *config.Config) (all []kafka.ACL) {
	t, role := c.Kafka.Topics, string(config.RoleSample)
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: role, Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	grant(t.Sampled, opDescribe, opRead)
	grant(t.Incidents, opDescribe, opWrite)
	if c.Observations.Keeps(observing.KeepDeep) {
		grant(t.Observations, opDescribe, opWrite)
	}
	grant(t.Budget, opDescribe, opRead, opWrite)
	return append(all, kafka.ACL{
		Role: role, Resource: kafka.ResourceTransactionalID, Name: compacted.FencedPrefix(t.Budget), Prefix: true,
		Operations: []string{opDescribe, opWrite},
	})
}

// keepGrants are those of the role alert to keep the claims of confirmed incidents: it reads the answers again.
func keepGrants(c *config.Config) (all []kafka.ACL) {
	if !c.Observations.Keeps(observing.KeepLabels) {
		return nil
	}
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: string(config.RoleAlert), Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opDescribe, opRead)
	}
	if c.SamplingEnabled() {
		grant(c.Kafka.Topics.Sampled, opDescribe, opRead)
	}
	grant(c.Kafka.Topics.Observations, opDescribe, opWrite)
	return all
}

// serverGrants are those of roles that answer requests. The page reads flags, alerts and the texts of incidents, and writes
// labels.
func serverGrants(c *config.Config, role config.Role) (all []kafka.ACL) {
	t := c.Kafka.Topics
	grant := func(name string, ops ...string) {
		all = append(all, kafka.ACL{Role: string(role), Resource: kafka.ResourceTopic, Name: name, Operations: ops})
	}
	if role == config.RoleServe {
		for _, topic := range publishTopics(c) {
			grant(topic, opDescribe, opWrite)
		}
		if c.Observations.Enabled {
			grant(t.Observations, opDescribe, opRead)
		}
		return all
	}
	grant(t.Incidents, opDescribe, opRead)
	grant(t.Alerts, opDescribe, opRead)
	grant(t.Feedback, opDescribe, opRead, opWrite)
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opDescribe, opRead)
	}
	return all
}

// feedbackOps are the operations of the role alert on labels: it writes those of clicks.
func feedbackOps(c *config.Config) []string {
	if c.Alerting.Slack.Buttons() {
		return []string{opDescribe, opRead, opWrite}
	}
	return []string{opDescribe, opRead}
}

// Names of further grants in a plan of access rules.
const (
	setupRole  = "setup"  // `confab topics apply` and `confab doctor`
	peopleRole = "people" // `confab label` and `confab silence`
)

// AllGrants are the permissions of all roles, and of the commands that people run: label, silence, topics apply and
// doctor.
func AllGrants(c *config.Config) []kafka.ACL {
	t := &c.Kafka.Topics
	roles := []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert}
	if len(c.Export.Destinations()) > 0 {
		roles = append(roles, config.RoleExport)
	}
	if len(publishTopics(c)) > 0 || c.Observations.Enabled && slices.Contains(c.ActiveRoles(), config.RoleServe) {
		roles = append(roles, config.RoleServe)
	}
	all := append(append(Grants(c, roles...), forgetGrants(c)...),
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Incidents, Operations: []string{opDescribe, opRead}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Alerts, Operations: []string{opDescribe, opRead, opWrite}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Feedback, Operations: []string{opDescribe, opRead, opWrite}})
	if c.Observations.Enabled {
		all = append(all, kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Observations, Operations: []string{opDescribe, opRead, opWrite}})
	}
	for _, need := range []struct {
		role  config.Role
		topic string
	}{{config.RoleDetect, t.Incidents}, {config.RoleDetect, t.Sampled}, {config.RoleSample, t.Incidents}, {config.RoleAlert, t.Alerts}} {
		all = append(all, kafka.ACL{ // to read size limits; optional
			Role: string(need.role), Resource: kafka.ResourceTopic, Name: need.topic, Operations: []string{opDescribeConfigs},
		})
	}
	var names []string
	for _, s := range TopicSpecs(c, Sizing{}) {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		all = append(all, kafka.ACL{
			Role: setupRole, Resource: kafka.ResourceTopic, Name: name,
			Operations: []string{opCreate, opDescribe, opDescribeConfigs},
		})
	}
	return all
}
