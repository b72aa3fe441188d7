package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/retry"
)

// propagation is how long ApplyTopics waits until every broker knows new topics.
const propagation = 30 * time.Second

// TopicSpec is the required state of a topic.
type TopicSpec struct {
	Name              string
	Partitions        int               // 0: the cluster's default, and any number of an existing topic
	ReplicationFactor int               // likewise
	Configs           map[string]string // for example cleanup.policy: compact
}

// TopicDiff is the difference between one topic and its spec.
type TopicDiff struct {
	Topic   string
	Missing bool
	Want    TopicSpec
	Changes []TopicChange // of an existing topic, sorted by property
}

// TopicChange is one property that differs.
type TopicChange struct {
	Property string // partitions, replication.factor or a configuration key
	Have     string
	Want     string
}

// PlanTopics compares the cluster with the specs and changes nothing. Topics without differences are left out.
func (a *Admin) PlanTopics(ctx context.Context, specs []TopicSpec) ([]TopicDiff, error) {
	names := make([]string, 0, len(specs))
	for _, s := range specs {
		names = append(names, s.Name)
	}
	found, err := a.describe(ctx, names)
	if err != nil {
		return nil, err
	}
	var diffs []TopicDiff
	for _, s := range specs {
		t, ok := found[s.Name]
		d := TopicDiff{Topic: s.Name, Missing: !ok, Want: s}
		if ok {
			configs, err := a.settings(ctx, s.Name)
			for tries := 0; errors.Is(err, kerr.UnknownTopicOrPartition) && tries < 20 && retry.Sleep(ctx, 100*time.Millisecond) == nil; tries++ {
				configs, err = a.settings(ctx, s.Name) // a broker may learn of a new topic after another has named it
			}
			if err != nil {
				return nil, fmt.Errorf("describe configuration of topic %s: %w", s.Name, err)
			}
			d.Changes = s.changes(t, configs)
		}
		if d.Missing || len(d.Changes) > 0 {
			diffs = append(diffs, d)
		}
	}
	return diffs, nil
}

// ApplyTopics creates missing topics, waits until every broker knows them, and returns their names and the remaining
// differences. It never changes an existing topic, since more partitions move keys and another policy may delete records.
func (a *Admin) ApplyTopics(ctx context.Context, specs []TopicSpec) (created []string, left []TopicDiff, err error) {
	diffs, err := a.PlanTopics(ctx, specs)
	if err != nil {
		return nil, nil, err
	}
	var errs []error
	for _, d := range diffs {
		if !d.Missing {
			left = append(left, d)
			continue
		}
		if err := a.create(ctx, d.Want); err != nil {
			errs = append(errs, fmt.Errorf("create topic %s: %w", d.Topic, err))
			left = append(left, d)
			continue
		}
		created = append(created, d.Topic)
	}
	if err := a.awaitTopics(ctx, created); err != nil {
		errs = append(errs, err)
	}
	return created, left, errors.Join(errs...)
}

// awaitTopics waits until every broker knows the topics: a worker that starts earlier may ask one that does not.
func (a *Admin) awaitTopics(ctx context.Context, topics []string) error {
	if len(topics) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, propagation)
	defer cancel()
	for {
		err := a.knownTopics(ctx, topics)
		if err == nil {
			return nil
		}
		if retry.Sleep(ctx, 100*time.Millisecond) != nil {
			return fmt.Errorf("topics are created, but not every broker knows them after %s: %w", propagation, err)
		}
	}
}

// knownTopics asks each broker. An error names a topic that one of them does not know.
func (a *Admin) knownTopics(ctx context.Context, topics []string) error {
	cluster, err := a.metadata(ctx, nil)
	if err != nil {
		return err
	}
	for _, b := range cluster.Brokers {
		resp, err := metadataRequest(topics).RequestWith(ctx, a.client.Broker(int(b.NodeID)))
		if err != nil {
			return fmt.Errorf("ask broker %d: %w", b.NodeID, err)
		}
		for _, t := range resp.Topics {
			if err := kerr.ErrorForCode(t.ErrorCode); err != nil {
				return fmt.Errorf("broker %d: topic %s: %w", b.NodeID, *t.Topic, err)
			}
		}
	}
	return nil
}

func (a *Admin) create(ctx context.Context, s TopicSpec) error {
	configs := make(map[string]*string, len(s.Configs))
	for k, v := range s.Configs {
		configs[k] = &v
	}
	partitions := cmp.Or(int32(s.Partitions), -1)
	replicas := cmp.Or(int16(s.ReplicationFactor), -1)
	resp, err := a.adm.CreateTopic(ctx, partitions, replicas, configs, s.Name)
	if errors.Is(err, kerr.TopicAlreadyExists) { // created concurrently
		return nil
	}
	if err == nil || resp.ErrMessage == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, resp.ErrMessage)
}

func configValues(r kadm.ResourceConfig) map[string]string {
	values := make(map[string]string, len(r.Configs))
	for _, c := range r.Configs {
		values[c.Key] = c.MaybeValue()
	}
	return values
}

func (s TopicSpec) changes(t kmsg.MetadataResponseTopic, configs map[string]string) []TopicChange {
	var changes []TopicChange
	compare := func(property, have, want string) {
		if have != want {
			changes = append(changes, TopicChange{Property: property, Have: have, Want: want})
		}
	}
	if s.Partitions > 0 {
		compare("partitions", strconv.Itoa(len(t.Partitions)), strconv.Itoa(s.Partitions))
	}
	if s.ReplicationFactor > 0 && len(t.Partitions) > 0 {
		compare("replication.factor", strconv.Itoa(len(t.Partitions[0].Replicas)), strconv.Itoa(s.ReplicationFactor))
	}
	for key, want := range s.Configs {
		compare(key, configs[key], want)
	}
	slices.SortFunc(changes, func(a, b TopicChange) int { return cmp.Compare(a.Property, b.Property) })
	return changes
}
