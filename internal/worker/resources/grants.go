package resources

import (
	"fmt"
	"slices"
	"strings"

	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/config"
)

// Names of operations. READ and WRITE imply DESCRIBE, which is therefore listed only without them.
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
		if role == config.RoleDetect && c.Kafka.ExactlyOnce() {
			all = append(all, kafka.ACL{
				Role: string(role), Resource: kafka.ResourceTransactionalID, Name: c.TransactionPrefix(), Prefix: true, Operations: []string{opWrite},
			})
			grant(kafka.ResourceTopic, t.DLQ, opDescribeConfigs, opWrite)
		} else {
			grant(kafka.ResourceTopic, t.DLQ, opWrite)
		}
		for _, member := range c.Members(role) {
			grant(kafka.ResourceGroup, c.Group(member), opRead)
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
			grant(in.Topic, opRead)
		}
		grant(t.Incidents, opDescribeConfigs, opWrite)
		if c.SamplingEnabled() {
			grant(t.Sampled, opDescribeConfigs, opWrite)
		}
		if c.Observations.Enabled {
			grant(t.Observations, opRead)
		}
	case config.RoleSample:
		return sampleGrants(c)
	case config.RoleAlert:
		grant(t.Incidents, opRead)
		grant(t.Alerts, opDescribeConfigs, opRead, opWrite)
		grant(t.Feedback, feedbackOps(c)...)
		return append(all, keepGrants(c)...)
	case config.RoleExport:
		grant(t.Incidents, opRead)
		if c.Export.Evaluations {
			grant(t.Evaluations, opDescribeConfigs, opWrite)
		}
	}
	return all
}

func sampleGrants(c *config.Config) (all []kafka.ACL) {
	t, role := c.Kafka.Topics, string(config.RoleSample)
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: role, Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	grant(t.Sampled, opRead)
	grant(t.Incidents, opDescribeConfigs, opWrite)
	if c.Observations.Keeps(config.KeepDeep) {
		grant(t.Observations, opWrite)
	}
	grant(t.Budget, opRead, opWrite)
	return append(all, kafka.ACL{
		Role: role, Resource: kafka.ResourceTransactionalID, Name: compacted.FencedPrefix(t.Budget), Prefix: true,
		Operations: []string{opWrite},
	})
}

// keepGrants are those of the role alert to keep the claims of confirmed incidents: it reads the answers again.
func keepGrants(c *config.Config) (all []kafka.ACL) {
	if !c.Observations.Keeps(config.KeepLabels) {
		return nil
	}
	grant := func(topic string, ops ...string) {
		all = append(all, kafka.ACL{Role: string(config.RoleAlert), Resource: kafka.ResourceTopic, Name: topic, Operations: ops})
	}
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opRead)
	}
	if c.SamplingEnabled() {
		grant(c.Kafka.Topics.Sampled, opRead)
	}
	grant(c.Kafka.Topics.Observations, opWrite)
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
			grant(topic, opDescribeConfigs, opWrite)
		}
		if c.Observations.Enabled {
			grant(t.Observations, opRead)
		}
		return all
	}
	grant(t.Incidents, opRead)
	grant(t.Alerts, opRead)
	grant(t.Feedback, opRead, opWrite)
	for _, in := range c.Kafka.Inputs {
		grant(in.Topic, opRead)
	}
	return all
}

// feedbackOps are the operations of the role alert on labels: it writes those of clicks.
func feedbackOps(c *config.Config) []string {
	if c.Alerting.Slack.Buttons() {
		return []string{opRead, opWrite}
	}
	return []string{opRead}
}

// Names of further grants in a plan of access rules.
const (
	setupRole  = "setup"  // `confab topics apply`
	peopleRole = "people" // `confab label` and `confab silence`
)

// AllGrants are the permissions of all roles, and of the commands that people run: label, silence, forget,
// redrive, verify, replay and topics apply.
func AllGrants(c *config.Config) []kafka.ACL {
	t := &c.Kafka.Topics
	roles := []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert}
	if len(c.Export.Destinations()) > 0 {
		roles = append(roles, config.RoleExport)
	}
	roles = append(roles, config.RoleServe, config.RoleUI)
	all := slices.Concat(Grants(c, roles...), forgetGrants(c), redriveGrants(c), auditGrants(c))
	all = append(all,
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Incidents, Operations: []string{opRead}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Alerts, Operations: []string{opRead, opWrite}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Feedback, Operations: []string{opRead, opWrite}})
	if c.Observations.Enabled {
		all = append(all, kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Observations, Operations: []string{opRead, opWrite}})
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

// GrantsFor are those of AllGrants for roles and commands by name. The error lists the names.
func GrantsFor(c *config.Config, names []string) (grants []kafka.ACL, err error) {
	var known []string
	for _, g := range AllGrants(c) {
		if !slices.Contains(known, g.Role) {
			known = append(known, g.Role)
		}
		if slices.Contains(names, g.Role) {
			grants = append(grants, g)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("%q needs no permissions with this configuration: use names of %s", name, strings.Join(known, ", "))
		}
	}
	return grants, nil
}
