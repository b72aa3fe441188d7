package consumer

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// watermark is what is committed for a partition.
type watermark struct {
	kgo.EpochOffset
	metadata string
}

// seal ends the assignment: what completes from now on moves no watermark, and handlers are asked to return.
func (p *assignment) seal() {
	p.mu.Lock()
	p.sealed = true
	p.mu.Unlock()
	p.cancel()
}

// last is the last watermark, when it is still to be committed. The partition is given back unless its codec or handler
// has not returned: the process may be about to end for that.
func (p *assignment) last() (watermark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash.stuck = !p.busySince.IsZero()
	p.crash.open = p.crash.open && p.crash.stuck
	return p.toCommit()
}

// dirty is the watermark when it is still to be committed.
func (p *assignment) dirty() (watermark, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.toCommit()
}

func (p *assignment) toCommit() (watermark, bool) {
	at, ok := p.tracker.watermark()
	mark := watermark{at, p.crash.metadata(at.Offset)}
	return mark, ok && (at.Offset != p.committed.Offset || mark.metadata != p.crash.written)
}

// setCommitted records that the watermark is committed.
func (p *assignment) setCommitted(mark watermark) {
	p.mu.Lock()
	p.committed, p.crash.written = mark.EpochOffset, mark.metadata
	p.mu.Unlock()
	select {
	case p.noted <- struct{}{}:
	default:
	}
}

// marks are watermarks to be committed.
type marks map[*assignment]watermark

// offsets are the marks as the client takes them, and their assignments by partition.
func (m marks) offsets() (map[string]map[int32]kgo.EpochOffset, map[topicPartition]*assignment) {
	offsets := make(map[string]map[int32]kgo.EpochOffset)
	byID := make(map[topicPartition]*assignment, len(m))
	for p, mark := range m {
		if offsets[p.id.topic] == nil {
			offsets[p.id.topic] = make(map[int32]kgo.EpochOffset)
		}
		offsets[p.id.topic][p.id.partition] = mark.EpochOffset
		byID[p.id] = p
	}
	return offsets, byID
}

// attach puts each partition's metadata beside its offset.
func (m marks) attach(req *kmsg.OffsetCommitRequest, byID map[topicPartition]*assignment) {
	for i := range req.Topics {
		t := &req.Topics[i]
		for j := range t.Partitions {
			if p := byID[topicPartition{t.Topic, t.Partitions[j].Partition}]; p != nil {
				t.Partitions[j].Metadata = new(m[p].metadata)
			}
		}
	}
}
