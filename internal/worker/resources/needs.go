package resources

import (
	"slices"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/kafka"
	"confab/internal/worker/config"
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
	all := len(c.FastDetectors())
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
		kafka.TopicRequirement{Name: t.Calibrations, Compacted: true},
		kafka.TopicRequirement{Name: t.Feedback, MinRetention: keepFeedback, MayCompact: true},
		kafka.TopicRequirement{Name: t.Votes, MinRetention: keepFeedback, MayCompact: true},
		kafka.TopicRequirement{Name: t.Observations, Compacted: true},
		kafka.TopicRequirement{Name: t.Evaluations, MinRetention: keepInput, MinMessageBytes: flagBytes(c), TooSmall: "the events of a larger flag become a dead letter"},
		kafka.TopicRequirement{Name: t.Budget, Compacted: true, SamePartitions: t.Sampled},
	)
	var used []string
	for _, role := range c.ActiveRoles() {
		used = append(used, RoleTopics(c, role)...)
	}
	return slices.DeleteFunc(all, func(n kafka.TopicRequirement) bool { return !slices.Contains(used, n.Name) })
}

// RoleTopics are the topics that a role requires: those that it may use, except where the alert role and the page look for
// the texts of an incident.
func RoleTopics(c *config.Config, role config.Role) (topics []string) {
	g := &grants{Config: c}
	g.role(role)
	var optional []string
	if role == config.RoleAlert || role == config.RoleUI {
		optional = append(c.Kafka.InputTopics(), g.sampled()...)
	}
	for _, one := range g.list {
		if one.Resource == kafka.ResourceTopic && !slices.Contains(optional, one.Name) {
			topics = append(topics, one.Name)
		}
	}
	return topics
}

// publishTopics are the topics that the role serve writes.
func publishTopics(c *config.Config) (topics []string) {
	switch c.Serve.Publish {
	case config.PublishFlags:
		topics = append(topics, c.Kafka.Topics.Incidents)
	case config.PublishAll:
		topics = append(topics, c.Kafka.Inputs[0].Topic)
	}
	if c.Serve.OTLPTopic != "" {
		topics = append(topics, c.Serve.OTLPTopic)
	}
	return topics
}
