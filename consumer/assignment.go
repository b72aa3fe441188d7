package consumer

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// topicPartition names a partition.
type topicPartition struct {
	topic     string
	partition int32
}

// item is a fetched record in its partition's queue, or in place of one a batch that cannot be unpacked.
type item struct {
	rec *kgo.Record
	bad *kgo.ErrDecompressTooLarge
	seq uint64
}

// place is the item's offset, for a batch that cannot be unpacked its last one, and the leader epoch.
func (it item) place() (offset int64, epoch int32) {
	if it.rec == nil {
		return it.bad.NextOffset - 1, it.bad.Epoch
	}
	return it.rec.Offset, it.rec.LeaderEpoch
}

// offset is the offset of the item, for a batch that cannot be unpacked its last one.
func (it item) offset() int64 {
	offset, _ := it.place()
	return offset
}

func (it item) size() int {
	if it.rec == nil {
		return 0
	}
	return len(it.rec.Key) + len(it.rec.Value)
}

// assignmentOptions are what the assignments of a loop have in common.
type assignmentOptions struct {
	maxBatch        int        // records
	maxBatchBytes   int        // of their keys and values; one record may exceed it
	inFlightRecords int        // in the queue and in work: above 80 % of it the partition is full
	byteCap         func() int // the same in bytes; it changes with the number of assignments
	waits           bool       // the handler waits for other services: only slow records are noted
	guard           guardOptions
	moved           func() // called when the watermark may have moved
	eased           func() // called when the partition is no longer full
}

// assignment is one assignment of a partition to this member: its queue, its watermark and what is known of records
// that ended earlier owners. The value itself is the generation token: a later assignment of the same partition is
// another value, and once this one is sealed its completions no longer move a watermark. It is safe for concurrent use.
type assignment struct {
	opts   assignmentOptions
	client *kgo.Client
	id     topicPartition

	ctx    context.Context // of handlers; ends when their work has become pointless
	cancel context.CancelFunc
	stop   chan struct{} // closed by halt: take no new batch, wait for nothing but work in flight
	idle   chan struct{} // closed when the goroutine has returned
	wake   chan struct{} // there is something in the queue
	noted  chan struct{} // a commit has succeeded

	mu        sync.Mutex
	queue     []item
	held      int // records in the queue or in work
	heldBytes int
	paused    bool
	halted    bool
	sealed    bool
	tracker   tracker
	position  int64 // the next offset that fetching will bring, or a little before it
	committed kgo.EpochOffset
	headSince time.Time // when the batch in work was begun; zero when there is none
	busySince time.Time // when the codec or handler began with the record in work; zero while they are not running
	current   int64     // offset of that record
	crash     crashGuard
	ended     bool // the last owner ended without giving the partition back
}

// newAssignment makes the assignment of a partition to the client. Whoever works on it closes idle.
func newAssignment(opts assignmentOptions, cl *kgo.Client, id topicPartition) *assignment {
	ctx, cancel := context.WithCancel(context.Background())
	return &assignment{
		opts: opts, client: cl, id: id, ctx: ctx, cancel: cancel,
		stop: make(chan struct{}), idle: make(chan struct{}), wake: make(chan struct{}, 1),
		noted: make(chan struct{}, 1), crash: newCrashGuard(opts.guard),
		committed: kgo.EpochOffset{Epoch: -1, Offset: -1},
	}
}

// next waits for records and takes at most a batch of them; none after halt.
func (p *assignment) next(dst []item) []item {
	for {
		p.mu.Lock()
		if p.halted {
			p.mu.Unlock()
			return dst
		}
		bytes := 0
		for _, it := range p.queue {
			alone := p.crash.alone(it.offset())
			if bytes += it.size(); len(dst) == p.opts.maxBatch || (len(dst) > 0 && (alone || bytes > p.opts.maxBatchBytes)) {
				break
			}
			if dst = append(dst, it); alone {
				break
			}
		}
		rest := copy(p.queue, p.queue[len(dst):])
		clear(p.queue[rest:])
		p.queue = p.queue[:rest]
		p.mu.Unlock()
		if len(dst) > 0 {
			return dst
		}
		select {
		case <-p.wake:
		case <-p.stop:
		}
	}
}

// enqueue takes in what was fetched; a halted partition drops it, since it will be fetched again by the next owner.
func (p *assignment) enqueue(records []*kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	for _, r := range records {
		p.add(item{rec: r, seq: p.tracker.push(r.Offset, r.LeaderEpoch)})
		p.position = r.Offset + 1
	}
	p.signal()
}

// enqueueBad takes in a batch that cannot be unpacked, as one record that ends where the batch ends.
func (p *assignment) enqueueBad(bad *kgo.ErrDecompressTooLarge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.position = bad.NextOffset
	p.add(item{bad: bad, seq: p.tracker.push(bad.NextOffset-1, bad.Epoch)})
	p.signal()
}

// moveTo makes offset the next one to be fetched, and the one to be committed once everything before it is done.
func (p *assignment) moveTo(offset int64) {
	p.mu.Lock()
	p.position = offset
	p.tracker.anchor(offset)
	p.mu.Unlock()
	p.opts.moved()
}

// setPosition says that fetching continues at the offset.
func (p *assignment) setPosition(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.position = offset
}

// getPosition is the next offset that fetching will bring, or a little before it.
func (p *assignment) getPosition() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.position
}

func (p *assignment) add(it item) {
	p.queue = append(p.queue, it)
	p.held++
	p.heldBytes += it.size()
}

func (p *assignment) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// full reports whether so much waits or is in work that the partition is to be relieved. Call it under the lock.
func (p *assignment) full() bool {
	return p.held*10 > p.opts.inFlightRecords*8 || p.heldBytes > p.opts.byteCap()/10*8
}

// crowded reports whether the partition is full and still being fetched.
func (p *assignment) crowded() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.halted && !p.paused && p.full()
}

// pause stops fetching a crowded partition. It happens under the lock, so that it cannot overtake the resume of
// finished work.
func (p *assignment) pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted || p.paused || !p.full() {
		return
	}
	p.paused = true
	p.client.PauseFetchPartitions(p.id.asMap())
}

// settle takes finished work off the partition's account, marks it done and resumes fetching when enough is done. It
// reports false when the assignment is over: then nothing may be concluded from the work.
func (p *assignment) settle(items []item) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return false
	}
	wasFull := p.full()
	for _, it := range items {
		p.heldBytes -= it.size()
	}
	p.held -= len(items)
	p.tracker.done(items[0].seq, items[len(items)-1].seq+1)
	p.crash.forget(p.tracker.mark.Offset)
	if p.paused && !p.halted && p.held*2 < p.opts.inFlightRecords && p.heldBytes < p.opts.byteCap()/2 {
		p.paused = false
		p.client.ResumeFetchPartitions(p.id.asMap())
	}
	if wasFull && !p.full() {
		p.opts.eased()
	}
	return true
}

// halt ends dispatch: no new batch begins, the queue is dropped, a wait between attempts ends. Work in flight goes on.
func (p *assignment) halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.halted = true
	p.queue = nil
	close(p.stop)
	if p.paused { // or the client would keep it paused for a later assignment
		p.paused = false
		p.client.ResumeFetchPartitions(p.id.asMap())
	}
}

// stopped reports whether the partition is halted, so that it begins neither a batch nor a part of one.
func (p *assignment) stopped() bool {
	select {
	case <-p.stop:
		return true
	default:
		return false
	}
}

// load is how many records the partition holds, and whether fetching is paused.
func (p *assignment) load() (held int, paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.paused
}

func (id topicPartition) asMap() map[string][]int32 {
	return map[string][]int32{id.topic: {id.partition}}
}
