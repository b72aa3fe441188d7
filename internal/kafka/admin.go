package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Admin queries a cluster and creates topics. It is safe for concurrent use.
type Admin struct {
	cfg    Config
	client *kgo.Client
	adm    *kadm.Client
}

// NewAdmin opens an admin client. It does not wait for the network: see Ping.
func NewAdmin(cfg Config) (*Admin, error) {
	cl, err := cfg.NewClient()
	if err != nil {
		return nil, fmt.Errorf("open admin client: %w", err)
	}
	return &Admin{cfg: cfg, client: cl, adm: kadm.NewClient(cl)}, nil
}

// Close closes the client.
func (a *Admin) Close() { a.client.Close() }

// ClusterID returns the cluster's id.
func (a *Admin) ClusterID(ctx context.Context) (string, error) {
	resp, err := a.metadata(ctx, nil)
	if err != nil {
		return "", err
	}
	if resp.ClusterID == nil {
		return "", errors.New("the cluster has no id")
	}
	return *resp.ClusterID, nil
}

// TopicIDs returns the ids of topics: a topic that is deleted and recreated gets another id. A topic that does not exist
// is missing from the result; before Kafka 2.8 all ids are zero.
func (a *Admin) TopicIDs(ctx context.Context, topics ...string) (map[string][16]byte, error) {
	found, err := a.describe(ctx, topics)
	if err != nil {
		return nil, err
	}
	ids := make(map[string][16]byte, len(found))
	for name, t := range found {
		ids[name] = t.TopicID
	}
	return ids, nil
}

// Ranges returns the offsets from one position to another in each partition of a topic, sorted, as far as the log has them.
func (a *Admin) Ranges(ctx context.Context, topic string, from, until Position) (all []Range, err error) {
	var bounds [2]map[int32]kgo.Offset
	for i, at := range []Position{from, until} {
		of := ReaderOptions{Topics: []string{topic}, Start: at}
		offsets, _, err := of.plan(ctx, a.adm)
		if err != nil {
			return nil, wrapDenied(err)
		}
		bounds[i] = offsets[topic]
	}
	for partition, first := range bounds[0] {
		at := first.EpochOffset().Offset
		all = append(all, Range{topic, partition, at, max(at, bounds[1][partition].EpochOffset().Offset)})
	}
	slices.SortFunc(all, func(a, b Range) int { return cmp.Compare(a.Partition, b.Partition) })
	return all, nil
}

// Committed returns the committed offsets of a group in a topic, by partition. Partitions without one are missing or negative.
func (a *Admin) Committed(ctx context.Context, group, topic string) (map[int32]int64, error) {
	committed, err := a.adm.FetchOffsets(ctx, group)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", group, wrapDenied(err))
	}
	at := map[int32]int64{}
	for partition, o := range committed[topic] {
		at[partition] = o.At
	}
	return at, nil
}

// HasCommits says in which of the topics a group has committed an offset. The group need not exist.
func (a *Admin) HasCommits(ctx context.Context, group string, topics ...string) (map[string]bool, error) {
	committed, err := a.adm.FetchOffsets(ctx, group)
	if err != nil && !errors.Is(err, kerr.GroupIDNotFound) {
		return nil, fmt.Errorf("fetch offsets of group %s: %w", group, wrapDenied(err))
	}
	has := make(map[string]bool, len(topics))
	for _, topic := range topics {
		has[topic] = hasCommit(committed[topic])
	}
	return has, nil
}

// PartitionCounts returns the number of partitions by topic; a topic that does not exist is missing from the result.
func (a *Admin) PartitionCounts(ctx context.Context, topics ...string) (map[string]int, error) {
	found, err := a.describe(ctx, topics)
	if err != nil {
		return nil, err
	}
	counts := make(map[string]int, len(found))
	for name, t := range found {
		counts[name] = len(t.Partitions)
	}
	return counts, nil
}

// describe returns the metadata of those topics that exist.
func (a *Admin) describe(ctx context.Context, topics []string) (map[string]kmsg.MetadataResponseTopic, error) {
	resp, err := a.metadata(ctx, topics)
	if err != nil {
		return nil, err
	}
	found := make(map[string]kmsg.MetadataResponseTopic, len(topics))
	for _, t := range resp.Topics {
		switch err := kerr.ErrorForCode(t.ErrorCode); {
		case errors.Is(err, kerr.UnknownTopicOrPartition):
		case err != nil:
			return nil, fmt.Errorf("describe topic %s: %w", *t.Topic, wrapDenied(err))
		default:
			found[*t.Topic] = t
		}
	}
	return found, nil
}

// metadata asks the cluster directly: the library's own listings answer from a cache.
func (a *Admin) metadata(ctx context.Context, topics []string, ask ...func(*kmsg.MetadataRequest)) (*kmsg.MetadataResponse, error) {
	req := metadataRequest(topics)
	for _, more := range ask {
		more(req)
	}
	resp, err := req.RequestWith(ctx, a.client)
	if err != nil {
		return nil, fmt.Errorf("ask for metadata: %w", err)
	}
	return resp, nil
}

func metadataRequest(topics []string) *kmsg.MetadataRequest {
	req := kmsg.NewPtrMetadataRequest()
	req.AllowAutoTopicCreation = false
	req.Topics = []kmsg.MetadataRequestTopic{} // empty asks for no topic, nil would ask for all
	for _, name := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = &name
		req.Topics = append(req.Topics, t)
	}
	return req
}
