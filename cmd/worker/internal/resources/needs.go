package resources

import (
	"slices"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/config/serving"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
)

// Minimum retention for the documented guarantees. `topics apply` sets longer ones.
const (
	keepInput     = 3 * day
	keepIncidents = 30 * day
	keepLetters   = 14 * day
	keepFeedback  = 90 * day // thresholds are calibrated on labels, which are few
)

// maxRecordKey is the setting that bounds the sizes of copied records.
const maxRecordKey = "kafka.max_record_bytes"

// Bounds of the parts of a flag.
const (
	rowBytes  = 2 << 10  // three quotes of detectors.MaxExcerpt characters, a source id and the numbers
	headBytes = 64 << 10 // ids, tags, attributes, measures and the headers of the record
)

// flagBytes is the size of the largest typical flag: every detector fires with all rows of evidence, and the ungrounded
// claims are listed. Flags with larger ids and tags, which the payload sets, are shortened to the topic's limit.
func flagBytes(c *config.Config) int {
	fast := c.SelectDetectors(standard.Fast(standard.Dependencies{}))
	all := len(fast)
	if c.LLM.Enabled() {
		deep := c.SelectDetectors(standard.Deep(standard.Dependencies{}))
		all += len(deep)
	}
	return (all+1)*detectors.MaxEvidence*rowBytes + headBytes
}

// stateBytes is the largest record of an alert group: four flags, each with less than a third of its evidence.
func stateBytes(c *config.Config) int { return flagBytes(c) * 4 / 3 }

// TopicNeeds are the requirements of the active roles on their topics, in the order of the data flow.
func TopicNeeds(c *config.Config) []kafka.TopicRequirement {
	t, size := c.Kafka.Topics, int(c.Kafka.MaxRecordBytes)
	var all []kafka.TopicRequirement
	for _, in := range c.Kafka.Inputs {
		all = append(all, kafka.TopicRequirement{
			Name: in.Topic, MinRetention: keepInput, MinMessageBytes: size,
			TooSmall: "the brokers reject longer interactions before Confab can read them", OrLower: maxRecordKey,
		})
	}
	all = append(all,
		kafka.TopicRequirement{
			Name: t.Sampled, MinRetention: keepInput, MinMessageBytes: size + config.CopyHeaderBytes,
			TooSmall: "a longer interaction is not forwarded for deep evaluation", OrLower: maxRecordKey,
		},
		kafka.TopicRequirement{
			Name: t.Incidents, MinRetention: keepIncidents, MinMessageBytes: flagBytes(c),
			TooSmall: "a larger flag loses evidence, and one whose ids alone are larger becomes a dead letter",
		},
		kafka.TopicRequirement{
			Name: t.DLQ, MinRetention: keepLetters, MinMessageBytes: size + config.CopyHeaderBytes,
			TooSmall: "only a digest of a longer record is kept, which cannot be replayed", OrLower: maxRecordKey,
		},
		kafka.TopicRequirement{
			Name: t.Alerts, Compacted: true, SamePartitions: t.Incidents, MinMessageBytes: stateBytes(c),
			TooSmall: "alerts of larger groups show less evidence after a restart",
		},
		kafka.TopicRequirement{Name: t.Feedback, MinRetention: keepFeedback, MayCompact: true},
		kafka.TopicRequirement{Name: t.Evaluations, MinRetention: keepInput, MinMessageBytes: flagBytes(c), TooSmall: "the events of a larger flag become a dead letter"},
		kafka.TopicRequirement{Name: t.Budget, Compacted: true, SamePartitions: t.Sampled},
	)
	var used []string
	for _, role := range c.ActiveRoles() {
		used = append(used, RoleTopics(c, role)...)
	}
	return slices.DeleteFunc(all, func(n kafka.TopicRequirement) bool { return !slices.Contains(used, n.Name) })
}

// RoleTopics are the topics that a role requires.
func RoleTopics(c *config.Config, role config.Role) []string {
	t := c.Kafka.Topics
	switch role { //nolint:exhaustive // the others are below
	case config.RoleServe:
		return serveTopics(c)
	case config.RoleUI:
		return []string{t.Incidents, t.Alerts, t.Feedback}
	}
	if role == config.RoleSample {
		return []string{t.Sampled, t.Incidents, t.Budget, t.DLQ}
	}
	if role == config.RoleAlert {
		return []string{t.Incidents, t.Alerts, t.Feedback, t.DLQ}
	}
	topics := []string{t.Incidents, t.DLQ}
	if role == config.RoleExport {
		if c.Export.Evaluations {
			topics = append(topics, t.Evaluations)
		}
		return topics
	}
	for _, in := range c.Kafka.Inputs {
		topics = append(topics, in.Topic)
	}
	if c.SamplingEnabled() {
		topics = append(topics, t.Sampled)
	}
	return topics
}

// serveTopics are the topics that the role serve writes.
func serveTopics(c *config.Config) []string {
	switch c.Serve.Publish {
	case serving.PublishFlags:
		return []string{c.Kafka.Topics.Incidents}
	case serving.PublishAll:
		return []string{c.Kafka.Inputs[0].Topic}
	}
	return nil
}

// GroupStarts says where the groups of the active roles start.
func GroupStarts(c *config.Config) []kafka.GroupStart {
	var all []kafka.GroupStart
	for _, role := range c.ActiveRoles() {
		switch role { //nolint:exhaustive // the others are below
		case config.RoleExport:
			all = append(all, exportStarts(c)...)
			continue
		case config.RoleServe, config.RoleUI: // they have no group
			continue
		}
		start := kafka.GroupStart{Group: c.Group(role), FromEnd: c.StartOffset(role) == config.OffsetLatest}
		switch role {
		case config.RoleDetect:
			for _, in := range c.Kafka.Inputs {
				start.Topics = append(start.Topics, in.Topic)
			}
		case config.RoleSample:
			start.Topics = []string{c.Kafka.Topics.Sampled}
		case config.RoleAlert:
			start.Topics = []string{c.Kafka.Topics.Incidents}
		case config.RoleExport, config.RoleServe, config.RoleUI: // above
		}
		all = append(all, start)
	}
	return all
}

// exportStarts are those of the destinations.
func exportStarts(c *config.Config) (all []kafka.GroupStart) {
	for _, member := range c.Members(config.RoleExport) {
		all = append(all, kafka.GroupStart{
			Group: c.Group(member), FromEnd: c.StartOffset(member) == config.OffsetLatest, Topics: []string{c.Kafka.Topics.Incidents},
		})
	}
	return all
}

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
		switch role { //nolint:exhaustive // the others are above
		case config.RoleDetect:
			for _, in := range c.Kafka.Inputs {
				grant(kafka.ResourceTopic, in.Topic, opDescribe, opRead)
			}
			grant(kafka.ResourceTopic, t.Incidents, opDescribe, opWrite)
			if c.SamplingEnabled() {
				grant(kafka.ResourceTopic, t.Sampled, opDescribe, opWrite)
			}
		case config.RoleSample:
			grant(kafka.ResourceTopic, t.Sampled, opDescribe, opRead)
			grant(kafka.ResourceTopic, t.Incidents, opDescribe, opWrite)
			grant(kafka.ResourceTopic, t.Budget, opDescribe, opRead, opWrite)
			all = append(all, kafka.ACL{
				Role: string(role), Resource: kafka.ResourceTransactionalID, Name: compacted.FencedPrefix(t.Budget), Prefix: true,
				Operations: []string{opDescribe, opWrite},
			})
		case config.RoleAlert:
			grant(kafka.ResourceTopic, t.Incidents, opDescribe, opRead)
			grant(kafka.ResourceTopic, t.Alerts, opDescribe, opRead, opWrite)
			grant(kafka.ResourceTopic, t.Feedback, feedbackOps(c)...)
		case config.RoleExport:
			grant(kafka.ResourceTopic, t.Incidents, opDescribe, opRead)
			if c.Export.Evaluations {
				grant(kafka.ResourceTopic, t.Evaluations, opDescribe, opWrite)
			}
		}
		grant(kafka.ResourceTopic, t.DLQ, opDescribe, opWrite)
		for _, member := range c.Members(role) {
			grant(kafka.ResourceGroup, c.Group(member), opDescribe, opRead)
		}
	}
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
		for _, topic := range serveTopics(c) {
			grant(topic, opDescribe, opWrite)
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
	if c.Serve.Publish != serving.PublishNone {
		roles = append(roles, config.RoleServe)
	}
	all := append(append(Grants(c, roles...), forgetGrants(c)...),
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Incidents, Operations: []string{opDescribe, opRead}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Alerts, Operations: []string{opDescribe, opRead, opWrite}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Feedback, Operations: []string{opDescribe, opRead, opWrite}})
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
