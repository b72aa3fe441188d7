package kafka

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// ErrDenied means that the cluster's ACLs do not allow the request.
var ErrDenied = errors.New("the access rules do not allow it")

// Cluster describes a cluster.
type Cluster struct {
	ID       string
	Brokers  int
	Version  string // of the oldest broker, guessed from its protocol versions
	Outdated bool   // a broker is older than Kafka 2.5
	// Transactions is the cluster's transaction.version; below 2, which Kafka 4.0 brings, a late request may end the next
	// transaction of its producer.
	Transactions int16
}

// stableFetchVersion is the version of OffsetFetch in Kafka 2.5.
const stableFetchVersion = 7

// Cluster queries every broker.
func (a *Admin) Cluster(ctx context.Context) (Cluster, error) {
	meta, err := a.metadata(ctx, nil)
	if err != nil {
		return Cluster{}, err
	}
	c := Cluster{Brokers: len(meta.Brokers)}
	if meta.ClusterID != nil {
		c.ID = *meta.ClusterID
	}
	versions, err := a.adm.ApiVersions(ctx)
	if err != nil {
		return c, fmt.Errorf("ask for protocol versions: %w", err)
	}
	least := int16(-1)
	for id, v := range versions {
		if v.Err != nil {
			return c, fmt.Errorf("ask broker %d for its protocol versions: %w", id, v.Err)
		}
		for _, feature := range v.Raw().FinalizedFeatures {
			if feature.Name == "transaction.version" {
				c.Transactions = max(c.Transactions, feature.MaxVersionLevel)
			}
		}
		fetch, _ := v.KeyMaxVersion(int16(kmsg.OffsetFetch))
		if least < 0 || fetch < least {
			least, c.Version = fetch, v.VersionGuess()
		}
	}
	c.Outdated = least < stableFetchVersion
	return c, nil
}

// TopicState is how a topic is.
type TopicState struct {
	Name            string
	Exists          bool
	Partitions      int
	Replicas        int   // of the partition with the fewest
	Leaderless      []int // partitions without a leader, sorted
	UnderReplicated []int // partitions with replicas that lag behind, sorted
	Operations      []string
	Configs         map[string]string
	ConfigsErr      error // ErrDenied, or why the settings are unknown
	Err             error // ErrDenied, or why nothing is known
}

// Topics describes topics. The result has every name.
func (a *Admin) Topics(ctx context.Context, names ...string) (map[string]*TopicState, error) {
	resp, err := a.metadata(ctx, names, func(r *kmsg.MetadataRequest) { r.IncludeTopicAuthorizedOperations = true })
	if err != nil {
		return nil, err
	}
	states := make(map[string]*TopicState, len(names))
	for i := range resp.Topics {
		s := topicState(&resp.Topics[i])
		states[s.Name] = s
		if s.Exists {
			s.Configs, s.ConfigsErr = a.settings(ctx, s.Name)
		}
	}
	return states, nil
}

// settings returns the configuration of one topic. In a request for several topics, one refusal would hide all answers.
func (a *Admin) settings(ctx context.Context, topic string) (map[string]string, error) {
	described, err := a.adm.DescribeTopicConfigs(ctx, topic)
	if err == nil {
		_, err = described.On(topic, func(r *kadm.ResourceConfig) error { return r.Err })
	}
	if err != nil {
		return nil, wrapDenied(err)
	}
	return configValues(described[0]), nil
}

func topicState(t *kmsg.MetadataResponseTopic) *TopicState {
	s := &TopicState{Name: *t.Topic, Partitions: len(t.Partitions)}
	switch err := kerr.ErrorForCode(t.ErrorCode); {
	case errors.Is(err, kerr.UnknownTopicOrPartition):
		return s
	case err != nil && len(t.Partitions) == 0:
		s.Err = wrapDenied(err)
		return s
	}
	s.Exists, s.Operations = true, operations(kadm.DecodeACLOperations(t.AuthorizedOperations))
	for i := range t.Partitions {
		p := &t.Partitions[i]
		if i == 0 || len(p.Replicas) < s.Replicas {
			s.Replicas = len(p.Replicas)
		}
		if p.Leader < 0 {
			s.Leaderless = append(s.Leaderless, int(p.Partition))
		} else if len(p.ISR) < len(p.Replicas) {
			s.UnderReplicated = append(s.UnderReplicated, int(p.Partition))
		}
	}
	slices.Sort(s.Leaderless)
	slices.Sort(s.UnderReplicated)
	return s
}

// operations returns the names in capitals, sorted; nil when the broker did not answer.
func operations(ops []kadm.ACLOperation) []string {
	var names []string
	for _, op := range ops {
		names = append(names, op.String())
	}
	slices.Sort(names)
	return names
}

// wrapDenied adds ErrDenied to an authorization error.
func wrapDenied(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kerr.TopicAuthorizationFailed), errors.Is(err, kerr.GroupAuthorizationFailed),
		errors.Is(err, kerr.ClusterAuthorizationFailed), errors.Is(err, kerr.TransactionalIDAuthorizationFailed):
		return fmt.Errorf("%w: %w", ErrDenied, err)
	default:
		return err
	}
}

// GroupState is the state of a consumer group.
type GroupState struct {
	Exists     bool
	State      string // as Kafka calls it, such as Stable
	Members    int
	Lag        int64    // records behind, over all partitions with a committed offset
	Lost       []string // partitions whose committed offset is no longer in the log, as topic/partition, sorted
	Operations []string
	Err        error // ErrDenied, or why nothing is known
}

// Group describes a consumer group.
func (a *Admin) Group(ctx context.Context, name string) GroupState {
	var s GroupState
	described, err := a.adm.DescribeGroups(ctx, name)
	if err != nil {
		s.Err = fmt.Errorf("describe group: %w", wrapDenied(err))
		return s
	}
	d := described[name]
	s.Operations, s.State, s.Members = operations(d.AuthorizedOperations), d.State, len(d.Members)
	switch {
	case errors.Is(d.Err, kerr.GroupIDNotFound), d.Err == nil && d.State == "Dead":
		return s
	case d.Err != nil:
		s.Err = wrapDenied(d.Err)
		return s
	}
	s.Exists = true
	lags, err := a.adm.Lag(ctx, name)
	if err == nil {
		err = lags.Error()
	}
	if err != nil {
		s.Err = fmt.Errorf("ask for the lag: %w", wrapDenied(err))
		return s
	}
	for _, l := range lags[name].Lag.Sorted() {
		s.Lag += max(l.Lag, 0)
		if l.Err == nil && l.Start.Err == nil && l.Commit.At >= 0 && l.Commit.At < l.Start.Offset {
			s.Lost = append(s.Lost, fmt.Sprintf("%s/%d", l.Topic, l.Partition))
		}
	}
	return s
}

// CountRecords formats a number of offsets as records: where records are compacted away, it is a maximum.
func CountRecords(n int64, compacts bool) string {
	text := fmt.Sprintf("%d records", n)
	if n == 1 {
		text = "1 record"
	}
	if compacts && n > 0 {
		return "up to " + text
	}
	return text
}

func hasCommit(partitions map[int32]kadm.OffsetResponse) bool {
	for _, o := range partitions {
		if o.At >= 0 {
			return true
		}
	}
	return false
}
