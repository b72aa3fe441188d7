package resources

import (
	"slices"

	"confab/cmd/worker/internal/config"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
)

// How long records must be kept for the promises to survive an outage. What `topics apply` makes is more generous.
const (
	keepInput     = 3 * day
	keepIncidents = 30 * day
	keepLetters   = 14 * day
	keepFeedback  = 90 * day // labels are few and become thresholds
)

// maxRecordKey is the setting by which the sizes of copied records go.
const maxRecordKey = "kafka.max_record_bytes"

// Bounds of what a flag holds.
const (
	rowBytes  = 2 << 10  // three quotes of detectors.MaxExcerpt characters, a source id and the numbers
	headBytes = 64 << 10 // ids, tags, attributes, measures and the headers of the record
)

// flagBytes is the largest flag that the roles write: every detector fires with all rows of evidence, and the ungrounded
// claims are listed. Ids and tags, which the payload chooses, may be larger than what is reckoned for them: such a flag is
// shortened where its topic demands it.
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

// TopicNeeds are what the active roles need of their topics, in the order of the flow.
func TopicNeeds(c *config.Config) []kafka.TopicRequirement {
	t, size := c.Kafka.Topics, int(c.Kafka.MaxRecordBytes)
	var all []kafka.TopicRequirement
	for _, in := range c.Kafka.Inputs {
		all = append(all, kafka.TopicRequirement{
			Name: in.Topic, MinRetention: keepInput, MinMessageBytes: size,
			TooSmall: "the brokers refuse longer interactions before Confab can see them", OrLower: maxRecordKey,
		})
	}
	all = append(all,
		kafka.TopicRequirement{
			Name: t.Sampled, MinRetention: keepInput, MinMessageBytes: size + config.CopyHeaderBytes,
			TooSmall: "a longer interaction is not forwarded for the deep look", OrLower: maxRecordKey,
		},
		kafka.TopicRequirement{
			Name: t.Incidents, MinRetention: keepIncidents, MinMessageBytes: flagBytes(c),
			TooSmall: "a larger flag loses evidence, and one whose ids alone are larger becomes a dead letter",
		},
		kafka.TopicRequirement{
			Name: t.DLQ, MinRetention: keepLetters, MinMessageBytes: size + config.CopyHeaderBytes,
			TooSmall: "of a longer record only a digest is kept, which cannot be replayed", OrLower: maxRecordKey,
		},
		kafka.TopicRequirement{
			Name: t.Alerts, Compacted: true, SamePartitions: t.Incidents, MinMessageBytes: stateBytes(c),
			TooSmall: "alerts of larger groups show less evidence after a restart",
		},
		kafka.TopicRequirement{Name: t.Feedback, MinRetention: keepFeedback},
		kafka.TopicRequirement{Name: t.Budget, Compacted: true, SamePartitions: t.Sampled},
	)
	var used []string
	for _, role := range c.ActiveRoles() {
		used = append(used, RoleTopics(c, role)...)
	}
	return slices.DeleteFunc(all, func(n kafka.TopicRequirement) bool { return !slices.Contains(used, n.Name) })
}

// RoleTopics are the topics that a role cannot do without.
func RoleTopics(c *config.Config, role config.Role) []string {
	t := c.Kafka.Topics
	if role == config.RoleSample {
		return []string{t.Sampled, t.Incidents, t.Budget, t.DLQ}
	}
	if role == config.RoleAlert {
		return []string{t.Incidents, t.Alerts, t.Feedback, t.DLQ}
	}
	topics := []string{t.Incidents, t.DLQ}
	for _, in := range c.Kafka.Inputs {
		topics = append(topics, in.Topic)
	}
	if c.SamplingEnabled() {
		topics = append(topics, t.Sampled)
	}
	return topics
}

// Operations as brokers name them.
const (
	opRead            = "READ"
	opWrite           = "WRITE"
	opCreate          = "CREATE"
	opDescribe        = "DESCRIBE"
	opDescribeConfigs = "DESCRIBE_CONFIGS"
)

// Grants are what the roles need at the brokers, and nothing more.
func Grants(c *config.Config, roles ...config.Role) []kafka.ACL {
	var all []kafka.ACL
	t := c.Kafka.Topics
	for _, role := range roles {
		grant := func(resource, name string, ops ...string) {
			all = append(all, kafka.ACL{Role: string(role), Resource: resource, Name: name, Operations: ops})
		}
		switch role {
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
			if c.Alerting.Slack.Buttons() {
				grant(kafka.ResourceTopic, t.Feedback, opDescribe, opRead, opWrite)
			} else {
				grant(kafka.ResourceTopic, t.Feedback, opDescribe, opRead)
			}
		}
		grant(kafka.ResourceTopic, t.DLQ, opDescribe, opWrite)
		grant(kafka.ResourceGroup, c.Group(role), opDescribe, opRead)
	}
	return all
}

// Who else needs something of the cluster, in a plan of access rules.
const (
	setupRole  = "setup"  // prepares it
	peopleRole = "people" // label and silence at the command line
)

// AllGrants are what every role of this version needs, and what people need besides: for `confab label` and `confab
// silence`, and for `confab topics apply` and `confab doctor`.
func AllGrants(c *config.Config) []kafka.ACL {
	t := &c.Kafka.Topics
	all := append(Grants(c, config.RoleDetect, config.RoleSample, config.RoleAlert),
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Incidents, Operations: []string{opDescribe, opRead}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Alerts, Operations: []string{opDescribe, opRead, opWrite}},
		kafka.ACL{Role: peopleRole, Resource: kafka.ResourceTopic, Name: t.Feedback, Operations: []string{opDescribe, opRead, opWrite}})
	for _, need := range []struct {
		role  config.Role
		topic string
	}{{config.RoleDetect, t.Incidents}, {config.RoleDetect, t.Sampled}, {config.RoleSample, t.Incidents}, {config.RoleAlert, t.Alerts}} {
		all = append(all, kafka.ACL{ // to know what does not fit; roles do without
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
