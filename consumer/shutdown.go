package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/retry"
)

// drain halts all partitions and waits for work in flight, and near the end of the grace period cancels its context.
func (l *Loop[T]) drain(deadline time.Time) error {
	ps := l.owned.Drain()
	haltAll(ps)
	late := reserveOf(l.opts.Grace)
	if awaitIdle(ps, time.Until(deadline)-late) == 0 {
		return nil
	}
	for _, p := range ps {
		p.Cancel()
	}
	if n := awaitIdle(ps, late/2); n > 0 {
		return fmt.Errorf("consumer %s: %d handlers did not return within the grace period", l.opts.Role, n)
	}
	return nil
}

// shutdown commits for the last time, closes the client and leaves the group: a dynamic member always, a static one only
// with LeaveOnExit, since it keeps its partitions over a restart. It returns before the deadline, whatever the brokers
// do: cut ends every request of the client, such as a join, which otherwise waits for the group's other members.
func (l *Loop[T]) shutdown(ctx context.Context, cut context.CancelFunc, cl *kgo.Client, deadline time.Time) {
	ps := l.owned.All()
	l.endAssignments(ps, func(m watermarks) { l.lastCommit(ctx, cl, m, deadline) })
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		cl.CloseAllowingRebalance() // a dynamic member leaves the group, if no join is in flight
	}()
	step := stepTime(l.opts.Grace)
	inTime := awaitClosed(closed, step)
	if !inTime {
		cut()
		if !awaitClosed(closed, time.Until(deadline)-step) {
			l.opts.Logger.Warn("close client timed out: the group waits for this member until its session times out")
			return
		}
	}
	if static := l.opts.InstanceID != ""; static && l.opts.LeaveOnExit || !static && !inTime {
		member, _ := cl.GroupMetadata()
		l.leaveGroup(context.WithoutCancel(ctx), member, min(2*step, time.Until(deadline)))
	}
}

// lastCommit commits the watermarks. During a join the client holds commits back, possibly for longer than there is time.
// Brokers accept commits of members meanwhile, so the request is then sent directly. The caller holds commitMu.
func (l *Loop[T]) lastCommit(ctx context.Context, cl *kgo.Client, marks watermarks, deadline time.Time) {
	if len(marks) == 0 || l.opts.DryRun {
		return
	}
	step := stepTime(l.opts.Grace)
	first, cancel := context.WithTimeout(ctx, step)
	defer cancel()
	if l.commit(first, cl, marks) {
		return
	}
	ctx, cancelDirect := context.WithTimeout(ctx, min(commitTimeout, time.Until(deadline)-3*step))
	defer cancelDirect()
	req := l.membership(cl.GroupMetadata()).CommitRequest()
	for p, mark := range marks {
		addOffset(req, p.ID, l.ids[p.ID.Topic], mark)
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		l.commitFailed(err)
		return
	}
	eachCommit(req, resp, func(_ partitionID, e error) { err = errors.Join(err, e) })
	if err != nil {
		l.commitFailed(err)
		return
	}
	l.metrics.Commits.WithLabelValues(commitOK).Inc()
}

func (l *Loop[T]) leaveGroup(ctx context.Context, member string, limit time.Duration) {
	if member == "" && l.opts.InstanceID == "" {
		return // not a member yet
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := l.membership(member, 0).Leave(ctx, l.opts.Kafka); err != nil {
		l.opts.Logger.Warn("leave group failed: it waits for this member until its session times out", slog.Any("error", err))
	}
}

// awaitClosed reports whether ch is closed within limit.
func awaitClosed(ch <-chan struct{}, limit time.Duration) bool {
	select {
	case <-ch:
		return true
	case <-time.After(limit):
	}
	select {
	case <-ch:
		return true
	default:
		return false
	}
}

// groupMember identifies a group member in requests that the client does not send by itself.
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
	if err == nil {
		defer cl.Close()
		if m.ServerSide {
			err = m.leaveServerSide(ctx, cl)
		}
		if !m.ServerSide || errors.Is(err, kerr.GroupIDNotFound) || errors.Is(err, kerr.UnsupportedVersion) {
			err = m.leaveClassic(ctx, cl)
		}
	}
	if err != nil {
		return fmt.Errorf("leave group %s: %w", m.Group, err)
	}
	return nil
}

func (m groupMember) leaveClassic(ctx context.Context, cl *kgo.Client) error {
	req := kmsg.NewPtrLeaveGroupRequest()
	req.Group, req.MemberID = m.Group, m.Member
	leaving := kmsg.NewLeaveGroupRequestMember()
	if leaving.MemberID = m.Member; m.Instance != "" {
		leaving.InstanceID, leaving.MemberID = &m.Instance, ""
	}
	req.Members = append(req.Members, leaving)
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	errs := []error{kerr.ErrorForCode(resp.ErrorCode)}
	for i := range resp.Members {
		errs = append(errs, kerr.ErrorForCode(resp.Members[i].ErrorCode))
	}
	return errors.Join(errs...)
}

// leaveServerSide removes the member from a server-side group for good (KIP-848).
func (m groupMember) leaveServerSide(ctx context.Context, cl *kgo.Client) error {
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch = m.Group, m.Member, -1
	if m.Instance != "" {
		req.InstanceID = &m.Instance
	}
	resp, err := req.RequestWith(ctx, cl)
	if err != nil {
		return err
	}
	return kerr.ErrorForCode(resp.ErrorCode)
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

// addOffset adds the watermark of a partition to the commit.
func addOffset(req *kmsg.OffsetCommitRequest, id partitionID, topicID [16]byte, mark watermark) {
	at := kmsg.NewOffsetCommitRequestTopicPartition()
	at.Partition, at.Offset, at.LeaderEpoch = id.Partition, mark.Offset, mark.Epoch
	at.Metadata = new(mark.metadata)
	topic := kmsg.NewOffsetCommitRequestTopic()
	topic.Topic, topic.TopicID = id.Topic, topicID
	topic.Partitions = append(topic.Partitions, at)
	req.Topics = append(req.Topics, topic)
}

// eachCommit calls fn for each partition of the response. It resolves topic ids, since newer brokers answer by id alone.
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

// maxReserve bounds reserveOf.
const maxGraceReserve = 8 * time.Second

// WithGrace returns a context that ends grace after ctx ends, or when the returned function is called.
func WithGrace(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	later, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if retry.Sleep(later, grace) == nil {
			cancel()
		}
	})
	return later, func() { stop(); cancel() }
}

// reserveOf is the part of the grace period that is reserved for handlers whose context was canceled and for the final
// steps.
func reserveOf(grace time.Duration) time.Duration { return min(maxGraceReserve, grace/2) }

// stepTime is the least time for each final step: commit, direct commit, close the client, leave the group.
func stepTime(grace time.Duration) time.Duration { return reserveOf(grace) / 8 }
