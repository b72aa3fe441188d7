package consumer

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
)

// membership names a member in requests of the group protocol that the client does not send by itself.
type membership struct {
	group      string
	member     string // id of the member, as the group gave it
	generation int32
	instance   string // static membership; may be empty
}

// leave takes the member out of the group by a client of its own. A static member leaves under its instance.
func (m membership) leave(ctx context.Context, cfg kafka.Config) error {
	cfg.Context = ctx
	cl, err := cfg.NewClient()
	if err != nil {
		return fmt.Errorf("leave group %s: %w", m.group, err)
	}
	defer cl.Close()
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = m.group, m.member
	leaving := kmsg.NewLeaveGroupRequestMember()
	leaving.MemberID = m.member
	if m.instance != "" {
		leaving.InstanceID, leaving.MemberID = &m.instance, ""
	}
	req.Members = append(req.Members, leaving)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return fmt.Errorf("leave group %s: %w", m.group, err)
	}
	for i := range resp.Members {
		if err := kerr.ErrorForCode(resp.Members[i].ErrorCode); err != nil {
			return fmt.Errorf("leave group %s: %w", m.group, err)
		}
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fmt.Errorf("leave group %s: %w", m.group, err)
	}
	return nil
}

// commitRequest is a commit of no offsets yet.
func (m membership) commitRequest() *kmsg.OffsetCommitRequest {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = m.group, m.member, m.generation
	if m.instance != "" {
		req.InstanceID = &m.instance
	}
	return req
}

// addOffset adds the watermark of a partition to the commit.
func addOffset(req *kmsg.OffsetCommitRequest, id topicPartition, topicID [16]byte, mark watermark) {
	at := kmsg.NewOffsetCommitRequestTopicPartition()
	at.Partition, at.Offset, at.LeaderEpoch = id.partition, mark.Offset, mark.Epoch
	at.Metadata = new(mark.metadata)
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = id.topic, topicID
	topic.Partitions = append(topic.Partitions, at)
	req.Topics = append(req.Topics, topic)
}

// eachCommit pairs the answers with what was asked: newer brokers answer by topic id alone.
func eachCommit(req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, fn func(topicPartition, error)) {
	names := make(map[[16]byte]string, len(req.Topics))
	for _, t := range req.Topics {
		names[t.TopicID] = t.Topic
	}
	for _, t := range resp.Topics {
		topic := t.Topic
		if topic == "" {
			topic = names[t.TopicID]
		}
		for _, p := range t.Partitions {
			fn(topicPartition{topic, p.Partition}, kerr.ErrorForCode(p.ErrorCode))
		}
	}
}
