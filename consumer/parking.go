package consumer

import (
	"bytes"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/hold"
	"confab/internal/kafka"
)

// maxBehind bounds how many records may follow the oldest parked one: after a crash all of them are read again.
const maxBehind = 1 << 16

// parkedBytes is what a parked record needs besides its bytes.
const parkedBytes = 512

// parkingLot is where records of an assignment wait for later ones. They are no load, and the watermark waits for them. Only
// the goroutine that processes the assignment uses it.
type parkingLot struct {
	part    *assignment
	buffer  *hold.Buffer[queueItem]
	asked   []askedTurn // by the batch in work, in its order
	stamp   time.Time   // the latest time of a record, none in the future
	known   int         // records that observe knows of
	observe func(change int, ended hold.Reason)
}

// askedTurn is what the codec asked for an item.
type askedTurn struct {
	seq  uint64
	turn hold.Turn
}

// newParkingLot returns an empty parking of an assignment. It reports to observe how many records there are more or fewer, and
// why one that was not processed waits no longer.
func newParkingLot(p *assignment, limits hold.Limits, observe func(change int, ended hold.Reason)) *parkingLot {
	return &parkingLot{part: p, buffer: hold.NewBuffer[queueItem](limits), observe: observe}
}

// Close forgets all records: the next owner reads them again.
func (k *parkingLot) Close() {
	k.buffer = hold.NewBuffer[queueItem](hold.Limits{})
	k.report("")
}

// Next returns parked records that wait no longer, else waits for records as [assignment.Next] does.
func (k *parkingLot) Next(dst []queueItem) []queueItem {
	for !k.part.Stopped() {
		k.buffer.Advance(time.Now(), k.stamp)
		if dst = k.take(dst); len(dst) > 0 {
			return dst
		}
		if dst = k.await(dst); len(dst) > 0 {
			k.observeStamps(dst)
			return dst
		}
	}
	return dst
}

// observeStamps takes the times of records. One producer whose clock is wrong changes little: times in the future count as
// now, and earlier ones than that of another record do not count.
func (k *parkingLot) observeStamps(items []queueItem) {
	now := time.Now()
	for _, it := range items {
		if it.Rec == nil {
			continue
		}
		at := it.Rec.Timestamp
		if at.After(now) {
			at = now
		}
		if at.After(k.stamp) {
			k.stamp = at
		}
	}
}

// await waits for records until the limit of a parked one ends.
func (k *parkingLot) await(dst []queueItem) []queueItem {
	at, ok := k.buffer.Deadline()
	if !ok {
		return k.part.Next(dst, nil)
	}
	t := time.NewTimer(time.Until(at))
	defer t.Stop()
	return k.part.Next(dst, t.C)
}

// take appends the next batch of records that wait no longer, and completes those that need no processing.
func (k *parkingLot) take(dst []queueItem) []queueItem {
	var done []queueItem
	size := 0
	for it := k.buffer.Next(); it != nil && len(dst) < k.part.opts.MaxBatch; it = k.buffer.Next() {
		alone := !it.Done && k.part.isIsolated(it.Value)
		if size += it.Bytes; len(dst) > 0 && (alone || size > k.part.opts.MaxBatchBytes) {
			break
		}
		k.buffer.Take()
		if it.Done {
			k.buffer.Remove(it)
			done = append(done, it.Value)
		} else if dst = append(dst, it.Value); alone {
			break
		}
	}
	if len(done) > 0 && k.part.settle(nil, done) {
		k.part.opts.OnWatermark()
	}
	k.report("")
	return dst
}

// report reports how many more or fewer records there are, and why one waits no longer.
func (k *parkingLot) report(ended hold.Reason) {
	if n := k.buffer.Len(); n != k.known || ended != "" {
		k.observe(n-k.known, ended)
		k.known = n
	}
}

// Begin forgets what was asked for items: a batch begins.
func (k *parkingLot) Begin() { k.asked = k.asked[:0] }

// Turn is the turn for the decoding of an item.
func (k *parkingLot) Turn(it queueItem) hold.Turn {
	if parked := k.buffer.Find(it.Seq); parked != nil {
		return hold.Turn{Open: parked.Ended == hold.KeyArrived, Ended: parked.Ended}
	}
	return hold.Turn{Open: it.Rec != nil}
}

// Note takes what the codec asked for an item.
func (k *parkingLot) Note(it queueItem, turn hold.Turn) {
	if turn != (hold.Turn{Open: turn.Open, Ended: turn.Ended, Key: turn.Key}) {
		k.asked = append(k.asked, askedTurn{it.Seq, turn})
	}
}

// Complete is [assignment.Complete] for a batch, some of whose items may be parked.
func (k *parkingLot) Complete(items []queueItem) bool {
	fresh, done := make([]queueItem, 0, len(items)), make([]queueItem, 0, len(items))
	var parked []hold.Item[queueItem]
	asked := k.asked
	for _, it := range items {
		var turn hold.Turn
		if len(asked) > 0 && asked[0].seq == it.Seq {
			turn, asked = asked[0].turn, asked[1:]
		}
		if old := k.buffer.Find(it.Seq); old != nil {
			if k.finish(old, turn) {
				done = append(done, it)
			}
			continue
		}
		fresh = append(fresh, it)
		if turn.Ask != hold.ProcessNow {
			parked = append(parked, k.itemOf(it, turn))
		} else {
			done = append(done, it)
		}
	}
	if !k.part.settle(fresh, done) {
		return false
	}
	for i := range parked {
		k.buffer.Add(parked[i])
	}
	k.wake()
	k.report("")
	return true
}

// finish removes a parked item, unless it waits again.
func (k *parkingLot) finish(old *hold.Item[queueItem], turn hold.Turn) bool {
	if turn.Ask == hold.WaitForKey && k.buffer.Return(old) {
		return false
	}
	k.buffer.Remove(old)
	k.report(old.Ended)
	return true
}

// wake lets items go on whose keys have arrived in the batch, and those that many others follow.
func (k *parkingLot) wake() {
	for _, a := range k.asked {
		if a.turn.Arrives {
			k.buffer.Arrive(a.turn.Key)
		}
		if a.turn.Settles {
			k.buffer.Settle(a.turn.Key)
		}
	}
	k.buffer.EndBefore(k.part.behind(maxBehind))
}

// itemOf is an item to park: without its record if it needs no processing, else with a copy, since the record's bytes
// are part of a fetched batch.
func (k *parkingLot) itemOf(it queueItem, turn hold.Turn) hold.Item[queueItem] {
	r := it.Rec
	own := &kgo.Record{Topic: r.Topic, Partition: r.Partition, Offset: r.Offset, LeaderEpoch: r.LeaderEpoch, Timestamp: r.Timestamp}
	size := parkedBytes
	if turn.Ask == hold.WaitForKey {
		own.Key, own.Value = bytes.Clone(r.Key), bytes.Clone(r.Value)
		size += it.size()
		for _, h := range r.Headers {
			own.Headers = append(own.Headers, kafka.Header{Key: h.Key, Value: bytes.Clone(h.Value)})
			size += len(h.Key) + len(h.Value)
		}
	}
	return hold.Item[queueItem]{
		ID: it.Seq, Key: turn.Key, Value: queueItem{Rec: own, Seq: it.Seq}, Bytes: size, At: time.Now(), Stamp: k.stamp,
		Done: turn.Ask == hold.KeepUnmarked,
	}
}

// settle removes fresh items from the load and moves the watermark over done ones. It returns false when the assignment has
// ended.
func (p *assignment) settle(fresh, done []queueItem) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return false
	}
	for _, it := range done {
		p.tracker.done(it.Seq, it.Seq+1)
	}
	p.crash.forget(p.tracker.mark.Offset)
	p.unload(fresh)
	return true
}

// isIsolated reports whether the item must be a batch of its own: here every careful one is.
func (p *assignment) isIsolated(it queueItem) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.alone(it.Offset()) || p.crash.careful(it.Offset())
}

// behind returns the sequence number that is n before the next one.
func (p *assignment) behind(n uint64) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tracker.tail - min(n, p.tracker.tail)
}
