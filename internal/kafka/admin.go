package kafka

import "context"

// Admin asks a cluster about itself and creates topics.
type Admin struct{}

// NewAdmin opens an admin client. It does not wait for the network: see Ping.
func NewAdmin(cfg Config) (*Admin, error) { return &Admin{}, nil }

// Close closes the client.
func (a *Admin) Close() {}

// Ping waits for one broker to answer.
func (a *Admin) Ping(ctx context.Context) error { return nil }

// ClusterID is the cluster's id.
func (a *Admin) ClusterID(ctx context.Context) (string, error) { return "", nil }

// PartitionCounts is the number of partitions by topic; a topic that does not exist is missing from the answer.
func (a *Admin) PartitionCounts(ctx context.Context, topics ...string) (map[string]int, error) {
	return nil, nil
}

// TopicSpec is how a topic should be.
type TopicSpec struct {
	Name              string
	Partitions        int
	ReplicationFactor int               // 0 lets the cluster choose
	Configs           map[string]string // for example cleanup.policy: compact
}

// TopicDiff is what would have to change for one topic.
type TopicDiff struct {
	Topic   string
	Missing bool
	Create  TopicSpec    // the wish
	Changes []TopicDelta // of an existing topic, sorted by property
}

// TopicDelta is one property that differs.
type TopicDelta struct {
	Property string // partitions, replication_factor or a configuration key
	Have     string
	Want     string
}

// PlanTopics compares the cluster with the wishes and changes nothing. Topics that are as wished are left out.
func (a *Admin) PlanTopics(ctx context.Context, specs []TopicSpec) ([]TopicDiff, error) {
	return nil, nil
}

// ApplyTopics creates the topics that are missing and returns what it did not change: existing topics that differ.
func (a *Admin) ApplyTopics(ctx context.Context, specs []TopicSpec) (created []string, left []TopicDiff, err error) {
	return nil, nil, nil
}
