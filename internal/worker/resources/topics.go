package resources

import (
	"strconv"
	"time"

	"confab/internal/kafka"
	"confab/internal/worker/config"
)

// Sizing holds the settings of topics that operators choose.
type Sizing struct {
	Partitions        int // of the topics of interactions; start with twice the peak number of consumers
	ReplicationFactor int // 0 lets the cluster choose
}

// IncidentPartitions is the number of partitions of the topics of flags, alert state and labels, which have few records.
const IncidentPartitions = 3

const (
	kafkaMessageBytes = 1048588 // Kafka's default of max.message.bytes
	day               = 24 * time.Hour
)

// TopicSpecs are the topics that the configuration needs, with the settings that the documented guarantees require.
func TopicSpecs(c *config.Config, size Sizing) []kafka.TopicSpec {
	t, maxBytes := c.Kafka.Topics, int(c.Kafka.MaxRecordBytes)
	spec := func(name string, partitions int, configs map[string]string) kafka.TopicSpec {
		return kafka.TopicSpec{Name: name, Partitions: partitions, ReplicationFactor: size.ReplicationFactor, Configs: configs}
	}
	specs := make([]kafka.TopicSpec, 0, len(c.Kafka.Inputs)+8)
	for _, in := range c.Kafka.Inputs {
		specs = append(specs, spec(in.Topic, size.Partitions, keepFor(7*day, maxBytes+config.CopyHeaderBytes)))
	}
	specs = append(specs,
		spec(t.Sampled, size.Partitions, keepFor(7*day, maxBytes+2*config.CopyHeaderBytes)),
		// Not compacted: a duplicated fast flag must not replace the deep one of the same incident.
		spec(t.Incidents, IncidentPartitions, keepFor(90*day, max(kafkaMessageBytes, flagBytes(c)))),
		spec(t.DLQ, size.Partitions, keepFor(14*day, maxBytes+2*config.CopyHeaderBytes)),
		spec(t.Alerts, IncidentPartitions, map[string]string{
			"cleanup.policy": "compact", "max.message.bytes": strconv.Itoa(max(kafkaMessageBytes, stateBytes(c))), maxCompactionLag: millis(keepDeleted),
		}),
		spec(t.Feedback, IncidentPartitions, labelConfigs()),
		spec(t.Votes, IncidentPartitions, labelConfigs()),
		spec(t.Budget, size.Partitions, map[string]string{"cleanup.policy": "compact"}),
	)
	if c.Observations.Enabled {
		specs = append(specs, spec(t.Observations, IncidentPartitions, map[string]string{
			"cleanup.policy": "compact", maxCompactionLag: millis(keepDeleted),
		}))
	}
	if c.Tuning.Learns() { // one partition, so that versions and choices between them have an order
		specs = append(specs, spec(t.Calibrations, 1, map[string]string{"cleanup.policy": "compact"}))
	}
	if c.Export.Evaluations {
		specs = append(specs, spec(t.Evaluations, IncidentPartitions, keepFor(30*day, max(kafkaMessageBytes, flagBytes(c)))))
	}
	return specs
}

// keepDeleted bounds how long a compacted topic keeps records that a later one of their key replaces.
const (
	keepDeleted      = 7 * day
	maxCompactionLag = "max.compaction.lag.ms"
)

// labelConfigs are those of labels and votes: the last record of a key counts and is kept, so that a label can be deleted.
func labelConfigs() map[string]string {
	configs := keepFor(400*day, 0)
	configs["cleanup.policy"], configs[maxCompactionLag] = "compact,delete", millis(keepDeleted)
	return configs
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

// keepFor is the configuration of a topic that deletes records after d. maxBytes 0 keeps the cluster's limit of a record.
func keepFor(d time.Duration, maxBytes int) map[string]string {
	configs := map[string]string{"cleanup.policy": "delete", "retention.ms": millis(d)}
	if maxBytes > 0 {
		configs["max.message.bytes"] = strconv.Itoa(maxBytes)
	}
	return configs
}
