package consumer

import (
	"github.com/twmb/franz-go/pkg/kgo"
)

// offsetTracker tracks which fetched records of a partition are done. Records get consecutive sequence numbers in fetch
// order, so that gaps between offsets (compaction, transaction markers) and moved positions need no special case. The
// watermark is the offset after the last record of the contiguous done prefix.
type offsetTracker struct {
	ring []trackedRecord // its length is a power of two
	head uint64          // sequence number of the oldest record that is not done
	tail uint64          // of the next record
	mark kgo.EpochOffset
	has  bool
}

type trackedRecord struct {
	offset int64
	epoch  int32
	done   bool
}

// begin sets the watermark of a partition that has none yet to offset.
func (t *offsetTracker) begin(offset int64, epoch int32) {
	if !t.has {
		t.mark, t.has = kgo.EpochOffset{Epoch: epoch, Offset: offset}, true
	}
}

// push adds the next record and returns its sequence number.
func (t *offsetTracker) push(offset int64, epoch int32) uint64 {
	if t.tail-t.head == uint64(len(t.ring)) {
		t.grow()
	}
	seq := t.tail
	*t.at(seq) = trackedRecord{offset: offset, epoch: epoch}
	t.tail++
	return seq
}

// done marks the records from ≤ seq < to. Marking one twice changes nothing.
func (t *offsetTracker) done(from, to uint64) {
	for seq := max(from, t.head); seq < min(to, t.tail); seq++ {
		t.at(seq).done = true
	}
	for t.head < t.tail && t.at(t.head).done {
		s := t.at(t.head)
		t.mark, t.has = kgo.EpochOffset{Epoch: s.epoch, Offset: s.offset + 1}, true
		t.head++
	}
}

// anchor moves the watermark to offset once everything before it is done, without a record.
func (t *offsetTracker) anchor(offset int64) {
	seq := t.push(offset-1, -1)
	t.done(seq, seq+1)
}

// watermark is the offset to commit; false when there is none yet.
func (t *offsetTracker) watermark() (kgo.EpochOffset, bool) { return t.mark, t.has }

func (t *offsetTracker) at(seq uint64) *trackedRecord { return &t.ring[seq&uint64(len(t.ring)-1)] }

func (t *offsetTracker) grow() {
	bigger := offsetTracker{ring: make([]trackedRecord, max(64, 2*len(t.ring)))}
	for seq := t.head; seq < t.tail; seq++ {
		*bigger.at(seq) = *t.at(seq)
	}
	t.ring = bigger.ring
}
