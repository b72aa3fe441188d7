package resources

import (
	"slices"
	"strings"

	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/config"
)

// Operations on topics and groups. READ and WRITE imply DESCRIBE, which is therefore listed only without them.
const (
	opRead     = "READ"
	opWrite    = "WRITE"
	opDescribe = "DESCRIBE"
	inspect    = "DESCRIBE_CONFIGS"
)

// grants are permissions of a configuration.
type grants struct {
	*config.Config

	list []kafka.ACL
}

// on adds operations, separated by spaces, on topics.
func (g *grants) on(who, operations string, topics ...string) {
	for _, name := range topics {
		g.list = append(g.list, kafka.ACL{Role: who, Resource: kafka.ResourceTopic, Name: name, Operations: strings.Fields(operations)})
	}
}

// transactions adds the use of transactional ids that start with prefix.
func (g *grants) transactions(who, prefix string) {
	g.list = append(g.list, kafka.ACL{Role: who, Resource: kafka.ResourceTransactionalID, Name: prefix, Prefix: true, Operations: []string{opWrite}})
}

func (g *grants) group(who, operation string, role config.Role) {
	g.list = append(g.list, kafka.ACL{Role: who, Resource: kafka.ResourceGroup, Name: g.Group(role), Operations: []string{operation}})
}

// sampled is the topic of copies if detect writes any.
func (g *grants) sampled() []string { return when(g.WritesCopies(), g.Kafka.Topics.Sampled) }

func when(is bool, topics ...string) []string {
	if is {
		return topics
	}
	return nil
}

// Grants are the permissions that the roles need.
func Grants(c *config.Config, roles ...config.Role) []kafka.ACL {
	g := &grants{Config: c}
	for _, role := range roles {
		g.role(role)
	}
	return g.list
}

func (g *grants) role(role config.Role) {
	t, who := &g.Kafka.Topics, string(role)
	switch role {
	case config.RoleServe: // no group and no dead letters
		g.on(who, inspect+" "+opWrite, publishTopics(g.Config)...)
		g.on(who, opWrite, when(g.Serve.Publish != config.PublishNone, t.Votes)...)
		g.on(who, opRead, when(g.Observations.Enabled, t.Observations)...)
		g.on(who, opRead, when(g.Tuning.Learns(), t.Calibrations)...)
		return
	case config.RoleUI: // the same
		g.on(who, opRead, t.Incidents)
		g.on(who, opRead+" "+opWrite, t.Feedback)
		g.on(who, opRead, g.Kafka.InputTopics()...) // the texts of incidents
		return
	case config.RoleDetect:
		g.on(who, opRead, g.Kafka.InputTopics()...)
		g.on(who, inspect+" "+opWrite, t.Incidents)
		g.on(who, inspect+" "+opWrite, g.sampled()...)
		g.on(who, opRead, when(g.Observations.Enabled, t.Observations)...)
		g.on(who, opRead, when(g.Tuning.Learns(), t.Calibrations)...)
	case config.RoleSample:
		if g.Tuning.Learns() {
			g.on(who, opRead, t.Incidents, t.Feedback, t.Votes)
			g.on(who, opRead+" "+opWrite, t.Calibrations)
		}
		g.on(who, opRead, t.Sampled)
		g.on(who, inspect+" "+opWrite, t.Incidents)
		g.on(who, opRead+" "+opWrite, t.Budget)
		g.transactions(who, compacted.FencedPrefix(t.Budget))
	case config.RoleAlert:
		g.alert(who)
	case config.RoleExport:
		g.on(who, opRead, t.Incidents)
		g.on(who, inspect+" "+opWrite, when(g.Export.Evaluations, t.Evaluations)...)
	}
	if role == config.RoleDetect && g.Kafka.ExactlyOnce() {
		g.transactions(who, g.TransactionPrefix())
		g.on(who, inspect+" "+opWrite, t.DLQ)
	} else {
		g.on(who, opWrite, t.DLQ)
	}
	for _, member := range g.Members(role) {
		g.group(who, opRead, member)
	}
}

// alert adds the topics of the role alert. It writes the labels of clicks, and reads the answers again to keep the claims of
// confirmed incidents.
func (g *grants) alert(who string) {
	t := &g.Kafka.Topics
	g.on(who, opRead, t.Incidents)
	g.on(who, inspect+" "+opRead+" "+opWrite, t.Alerts)
	if g.Alerting.Slack.Buttons() {
		g.on(who, opRead+" "+opWrite, t.Feedback)
	} else {
		g.on(who, opRead, t.Feedback)
	}
	g.on(who, opRead+" "+opWrite, when(g.Tuning.Learns(), t.Calibrations)...)
	if g.Observations.Enabled {
		g.on(who, opRead, g.Kafka.InputTopics()...)
		g.on(who, opRead, g.sampled()...)
		g.on(who, opWrite, t.Observations)
	}
}

// commands adds the permissions of the commands that people run, each under its name.
func (g *grants) commands() {
	t := &g.Kafka.Topics
	const forget, redrive, audit, people, setup = "forget", "redrive", "audit", "people", "setup"
	// forget reads all topics that may hold data of people.
	g.on(forget, inspect+" "+opRead, g.Kafka.InputTopics()...)
	g.on(forget, inspect+" "+opRead, t.Incidents, t.DLQ, t.Alerts)
	g.on(forget, inspect+" "+opRead, g.sampled()...)
	g.on(forget, inspect+" "+opRead, when(g.Export.Evaluations, t.Evaluations)...)
	g.on(forget, inspect+" "+opRead+" "+opWrite, when(g.Observations.Enabled, t.Observations)...)
	g.on(forget, inspect+" "+opRead+" "+opWrite, t.Feedback, t.Votes)
	// redrive sends dead letters back to the topics that roles read.
	g.on(redrive, opRead+" "+opWrite, g.Kafka.InputTopics()...)
	g.on(redrive, opRead+" "+opWrite, g.sampled()...)
	g.on(redrive, opRead+" "+opWrite, t.Incidents)
	g.on(redrive, opRead, t.DLQ)
	// verify and replay measure inputs again and compare them with what the role detect wrote.
	g.on(audit, opRead, g.Kafka.InputTopics()...)
	g.on(audit, inspect+" "+opRead, t.Incidents)
	g.on(audit, opRead, t.DLQ)
	g.group(audit, opDescribe, config.RoleDetect)
	// label, silence and tune
	g.on(people, opRead, t.Incidents, t.Votes)
	g.on(people, opRead+" "+opWrite, t.Alerts, t.Feedback)
	g.on(people, opRead+" "+opWrite, when(g.Observations.Enabled, t.Observations)...)
	g.on(people, opRead+" "+opWrite, when(g.Tuning.Learns(), t.Calibrations)...)
	// topics apply
	var names []string
	for _, s := range TopicSpecs(g.Config, Sizing{}) {
		names = append(names, s.Name)
	}
	slices.Sort(names)
	g.on(setup, "CREATE "+opDescribe+" "+inspect, slices.Compact(names)...)
}

// AllGrants are the permissions of all roles, and of the commands that people run: label, silence, tune, forget,
// redrive, verify, replay and topics apply.
func AllGrants(c *config.Config) []kafka.ACL {
	roles := []config.Role{config.RoleDetect, config.RoleSample, config.RoleAlert}
	if len(c.Export.Destinations()) > 0 {
		roles = append(roles, config.RoleExport)
	}
	g := &grants{Config: c, list: Grants(c, append(roles, config.RoleServe, config.RoleUI)...)}
	g.commands()
	return g.list
}
