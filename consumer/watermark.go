package consumer

import (
	"context"
	"errors"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// watermark is the offset to commit for a partition, with its metadata.
type watermark struct {
	kgo.EpochOffset
	metadata string
}

// Seal ends the assignment: later completions do not move the watermark, and the context of handlers is canceled.
func (p *assignment) Seal() {
	p.mu.Lock()
	p.sealed = true
	p.mu.Unlock()
	p.Cancel()
}

// FinalWatermark returns the last watermark, if it is not committed yet. Its metadata marks the partition as given back,
// unless the codec or handler has not returned: the process may be about to end for that.
func (p *assignment) FinalWatermark() (watermark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash.stuck = !p.busySince.IsZero()
	p.crash.open = p.crash.open && p.crash.stuck
	return p.toCommit()
}

// PendingWatermark returns the watermark, if it is not committed yet.
func (p *assignment) PendingWatermark() (watermark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.toCommit()
}

func (p *assignment) toCommit() (watermark, bool) {
	at, ok := p.tracker.watermark()
	mark := watermark{at, p.crash.metadata(at.Offset)}
	return mark, ok && (at.Offset != p.committed.Offset || mark.metadata != p.crash.written)
}

// SetCommitted records that the watermark was committed.
func (p *assignment) SetCommitted(mark watermark) {
	p.mu.Lock()
	p.committed, p.crash.written = mark.EpochOffset, mark.metadata
	p.mu.Unlock()
	notify(p.CommitDone)
}

// MarkAt returns the watermark at an offset before which everything is done once a transaction commits.
func (p *assignment) MarkAt(at kgo.EpochOffset) watermark {
	p.mu.Lock()
	defer p.mu.Unlock()
	return watermark{at, p.crash.metadata(at.Offset)}
}

// Advance moves the watermark to one that a transaction has committed. Nothing of it was queued here.
func (p *assignment) Advance(mark watermark) {
	p.mu.Lock()
	p.tracker.mark, p.tracker.has = mark.EpochOffset, true
	p.position = mark.Offset
	p.crash.forget(mark.Offset)
	p.mu.Unlock()
	p.SetCommitted(mark)
}

// watermarks are the watermarks of a commit.
type watermarks map[*assignment]watermark

// Offsets returns the offsets in the client's form, and the assignments by partition.
func (m watermarks) Offsets() (map[string]map[int32]kgo.EpochOffset, map[partitionID]*assignment) {
	offsets := make(map[string]map[int32]kgo.EpochOffset)
	byID := make(map[partitionID]*assignment, len(m))
	for p, mark := range m {
		if offsets[p.ID.Topic] == nil {
			offsets[p.ID.Topic] = make(map[int32]kgo.EpochOffset)
		}
		offsets[p.ID.Topic][p.ID.Partition] = mark.EpochOffset
		byID[p.ID] = p
	}
	return offsets, byID
}

// errRemoved means that the group has removed this member and taken it back under another id. Meanwhile other members may have
// processed records of its partitions. The client does not say so if it learns of the removal as it joins again: partitions that
// are assigned to it once more go on where they were (franz-go 1.22.2, handleJoinResp; docs/upstream.md).
var errRemoved = errors.New("the group removed this member and took it back under another id")

// checkMember returns errRemoved unless the partitions are assigned to the member with the id.
func (m watermarks) checkMember(id string) error {
	for p := range m {
		if p.Member != id {
			return errRemoved
		}
	}
	return nil
}

// Attach sets each partition's offset and metadata in the request of a transaction, and adds partitions that it lacks. It may
// return errRemoved.
func (m watermarks) Attach(req *kmsg.TxnOffsetCommitRequest) error {
	for p, mark := range m {
		at := requestPartition(req, p.ID)
		at.Offset, at.LeaderEpoch, at.Metadata = mark.Offset, mark.Epoch, new(mark.metadata)
	}
	return m.checkMember(req.MemberID)
}

// requestPartition returns the partition of the request.
func requestPartition(req *kmsg.TxnOffsetCommitRequest, id partitionID) *kmsg.TxnOffsetCommitRequestTopicPartition {
	i := slices.IndexFunc(req.Topics, func(t kmsg.TxnOffsetCommitRequestTopic) bool { return t.Topic == id.Topic })
	if i < 0 {
		topic := kmsg.NewTxnOffsetCommitRequestTopic()
		topic.Topic = id.Topic
		i, req.Topics = len(req.Topics), append(req.Topics, topic)
	}
	t := &req.Topics[i]
	j := slices.IndexFunc(t.Partitions, func(p kmsg.TxnOffsetCommitRequestTopicPartition) bool { return p.Partition == id.Partition })
	if j < 0 {
		at := kmsg.NewTxnOffsetCommitRequestTopicPartition()
		at.Partition = id.Partition
		j, t.Partitions = len(t.Partitions), append(t.Partitions, at)
	}
	return &t.Partitions[j]
}

// commit commits the watermarks outside of a transaction. unanswered is the error of the request: it may still take effect. refused is
// that of partitions.
func (m watermarks) commit(ctx context.Context, cl *kgo.Client) (unanswered, refused error) {
	offsets, byID := m.Offsets()
	ctx = kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error { return m.AttachMetadata(req, byID) })
	cl.CommitOffsetsSync(ctx, offsets, func(_ *kgo.Client, req *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
		if unanswered = err; err != nil {
			return
		}
		eachCommit(req, resp, func(id partitionID, err error) {
			if p := byID[id]; err == nil && p != nil {
				p.SetCommitted(m[p])
			}
			refused = errors.Join(refused, err)
		})
	})
	return unanswered, refused
}

// AttachMetadata sets each partition's metadata in the request. It may return errRemoved.
func (m watermarks) AttachMetadata(req *kmsg.OffsetCommitRequest, byID map[partitionID]*assignment) error {
	for i := range req.Topics {
		t := &req.Topics[i]
		for j := range t.Partitions {
			if p := byID[partitionID{t.Topic, t.Partitions[j].Partition}]; p != nil {
				t.Partitions[j].Metadata = new(m[p].metadata)
			}
		}
	}
	return m.checkMember(req.MemberID)
}

// Committed returns the offset that was committed last; -1 when there is none.
func (p *assignment) Committed() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.committed.Offset
}
