package consumer

import (
	"context"
	"errors"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
)

// Member identifies a group member in requests that the client does not send by itself.
type groupMember struct {
	Group      string
	Member     string // id that the group assigned
	Generation int32
	Instance   string // static membership; may be empty
	ServerSide bool   // of a group whose partitions the brokers assign, unless they cannot
}

// Leave removes the member from the group, through a new client. A static member leaves under its instance.
func (m groupMember) Leave(ctx context.Context, cfg kafka.Config) error {
	cfg.Context = ctx
	cl, err := cfg.NewClient()
	if err != nil {
		return fmt.Errorf("leave group %s: %w", m.Group, err)
	}
	defer cl.Close()
	if m.ServerSide {
		if done, err := m.leaveServerSide(ctx, cl); done {
			return err
		}
	}
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = m.Group, m.Member
	leaving := kmsg.NewLeaveGroupRequestMember()
	leaving.MemberID = m.Member
	if m.Instance != "" {
		leaving.InstanceID, leaving.MemberID = &m.Instance, ""
	}
	req.Members = append(req.Members, leaving)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return fmt.Errorf("leave group %s: %w", m.Group, err)
	}
	for i := range resp.Members {
		if err := kerr.ErrorForCode(resp.Members[i].ErrorCode); err != nil {
			return fmt.Errorf("leave group %s: %w", m.Group, err)
		}
	}
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return fmt.Errorf("leave group %s: %w", m.Group, err)
	}
	return nil
}

// leaveEpoch is the epoch with which a member of a server-side group leaves for good (KIP-848).
const leaveEpoch = -1

// leaveServerSide removes the member from a server-side group; done is false if the group is not one.
func (m groupMember) leaveServerSide(ctx context.Context, cl *kgo.Client) (done bool, err error) {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = m.Group, m.Member, leaveEpoch
	if m.Instance != "" {
		req.InstanceID = &m.Instance
	}
	resp, err := req.RequestWith(ctx, cl)
	if err == nil {
		err = kerr.ErrorForCode(resp.ErrorCode)
	}
	if errors.Is(err, kerr.GroupIDNotFound) || errors.Is(err, kerr.UnsupportedVersion) {
		return false, nil
	}
	if err != nil {
		err = fmt.Errorf("leave group %s: %w", m.Group, err)
	}
	return true, err
}

// CommitRequest returns a commit request without offsets.
func (m groupMember) CommitRequest() *kmsg.OffsetCommitRequest {
	req := kmsg.NewPtrOffsetCommitRequest()
	req.Group, req.MemberID, req.Generation = m.Group, m.Member, m.Generation
	if m.Instance != "" {
		req.InstanceID = &m.Instance
	}
	return req
}

// AddOffset adds the watermark of a partition to the commit.
func addOffset(req *kmsg.OffsetCommitRequest, id partitionID, topicID [16]byte, mark watermark) {
	at := kmsg.NewOffsetCommitRequestTopicPartition()
	at.Partition, at.Offset, at.LeaderEpoch = id.Partition, mark.Offset, mark.Epoch
	at.Metadata = new(mark.metadata)
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = id.Topic, topicID
	topic.Partitions = append(topic.Partitions, at)
	req.Topics = append(req.Topics, topic)
}

// EachCommit calls fn for each partition of the response. It resolves topic ids, since newer brokers answer by id alone.
func eachCommit(req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, fn func(partitionID, error)) {
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
			fn(partitionID{topic, p.Partition}, kerr.ErrorForCode(p.ErrorCode))
		}
	}
}
