package kafka

import (
	"slices"
	"time"
)

// TopicRequirement is what a worker requires of a topic.
type TopicRequirement struct {
	Name            string
	Compacted       bool          // the latest record of a key is kept forever; otherwise records have a retention time
	MayCompact      bool          // the latest record of a key is enough, within its retention
	MinRetention    time.Duration // 0: any
	MinMessageBytes int           // 0: any
	TooSmall        string        // the effect on a larger record
	OrLower         string        // a setting that may be lowered instead of raising the topic's limit; "" for none
	SamePartitions  string        // another topic that must have as many partitions; "" for none
}

// ACL is what a principal needs on one resource.
type ACL struct {
	Role       string   // the role that needs it
	Resource   string   // topic, group or transactional-id
	Name       string   // of the resource
	Prefix     bool     // every name with the prefix Name
	Operations []string // in capitals, such as DESCRIBE_CONFIGS
}

// The resources of a Grant.
const (
	ResourceTopic           = "topic"
	ResourceGroup           = "group"
	ResourceTransactionalID = "transactional-id"
)

// Missing returns the operations of the ACL that are not allowed.
func (g *ACL) Missing(allowed []string) []string {
	var missing []string
	for _, op := range g.Operations {
		if !slices.Contains(allowed, op) {
			missing = append(missing, op)
		}
	}
	return missing
}
