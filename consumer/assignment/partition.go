package assignment

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// ID names a partition.
type ID struct {
	Topic     string
	Partition int32
}

// Item is a fetched record in its partition's queue, or in place of one a batch that cannot be unpacked.
type Item struct {
	Rec *kgo.Record
	Bad *kgo.ErrDecompressTooLarge
	Seq uint64
}

// position is the item's offset, for a batch that cannot be unpacked its last one, and the leader epoch.
func (it Item) position() (offset int64, epoch int32) {
	if it.Rec == nil {
		return it.Bad.NextOffset - 1, it.Bad.Epoch
	}
	return it.Rec.Offset, it.Rec.LeaderEpoch
}

// Offset is the offset of the item, for a batch that cannot be unpacked its last one.
func (it Item) Offset() int64 {
	offset, _ := it.position()
	return offset
}

func (it Item) size() int {
	if it.Rec == nil {
		return 0
	}
	return len(it.Rec.Key) + len(it.Rec.Value)
}

// Options are what the assignments of a loop have in common.
type Options struct {
	MaxBatch        int        // records
	MaxBatchBytes   int        // of their keys and values; one record may exceed it
	InFlightRecords int        // in the queue and in work: above 80 % of it the partition is full
	ByteCap         func() int // the same in bytes; it changes with the number of assignments
	HandlerWaits    bool       // the handler waits for other services: only slow records are noted
	Guard           GuardOptions
	OnWatermark     func() // called when the watermark may have moved
	OnCapacity      func() // called when the partition is no longer full
}

// Partition is one assignment of a partition to this member: its queue, its watermark and what is known of records
// that ended earlier owners. The value itself is the generation token: a later assignment of the same partition is
// another value, and once this one is sealed its completions no longer move a watermark. It is safe for concurrent use.
type Partition struct {
	opts   Options
	Client *kgo.Client
	ID     ID

	Context    context.Context // of handlers; ends when their work has become pointless
	Cancel     context.CancelFunc
	Stop       chan struct{} // closed by halt: take no new batch, wait for nothing but work in flight
	Idle       chan struct{} // closed when the goroutine has returned
	wake       chan struct{} // there is something in the queue
	CommitDone chan struct{} // a commit has succeeded

	mu         sync.Mutex
	queue      []Item
	held       int // records in the queue or in work
	heldBytes  int
	paused     bool
	halted     bool
	sealed     bool
	tracker    offsetTracker
	position   int64 // the next offset that fetching will bring, or a little before it
	committed  kgo.EpochOffset
	batchSince time.Time // when the batch in work was begun; zero when there is none
	busySince  time.Time // when the codec or handler began with the record in work; zero while they are not running
	current    int64     // offset of that record
	crash      crashGuard
	ended      bool // the last owner ended without giving the partition back
}

// New makes the assignment of a partition to the client. Whoever works on it closes idle.
func New(opts Options, cl *kgo.Client, id ID) *Partition {
	ctx, cancel := context.WithCancel(context.Background())
	return &Partition{
		opts: opts, Client: cl, ID: id, Context: ctx, Cancel: cancel,
		Stop: make(chan struct{}), Idle: make(chan struct{}), wake: make(chan struct{}, 1),
		CommitDone: make(chan struct{}, 1), crash: newCrashGuard(opts.Guard),
		committed: kgo.EpochOffset{Epoch: -1, Offset: -1},
	}
}

// Next waits for records and takes at most a batch of them; none after halt.
func (p *Partition) Next(dst []Item) []Item {
	for {
		p.mu.Lock()
		if p.halted {
			p.mu.Unlock()
			return dst
		}
		bytes := 0
		for _, it := range p.queue {
			alone := p.crash.isolated(it.Offset())
			if bytes += it.size(); len(dst) == p.opts.MaxBatch || (len(dst) > 0 && (alone || bytes > p.opts.MaxBatchBytes)) {
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
		case <-p.Stop:
		}
	}
}

// Enqueue takes in what was fetched; a halted partition drops it, since it will be fetched again by the next owner.
func (p *Partition) Enqueue(records []*kgo.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	for _, r := range records {
		p.add(Item{Rec: r, Seq: p.tracker.push(r.Offset, r.LeaderEpoch)})
		p.position = r.Offset + 1
	}
	p.signal()
}

// EnqueueBad takes in a batch that cannot be unpacked, as one record that ends where the batch ends.
func (p *Partition) EnqueueBad(bad *kgo.ErrDecompressTooLarge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.position = bad.NextOffset
	p.add(Item{Bad: bad, Seq: p.tracker.push(bad.NextOffset-1, bad.Epoch)})
	p.signal()
}

// MoveTo makes offset the next one to be fetched, and the one to be committed once everything before it is done.
func (p *Partition) MoveTo(offset int64) {
	p.mu.Lock()
	p.position = offset
	p.tracker.anchor(offset)
	p.mu.Unlock()
	p.opts.OnWatermark()
}

// SetFetchPosition says that fetching continues at the offset.
func (p *Partition) SetFetchPosition(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.position = offset
}

// FetchPosition is the next offset that fetching will bring, or a little before it.
func (p *Partition) FetchPosition() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.position
}

func (p *Partition) add(it Item) {
	p.queue = append(p.queue, it)
	p.held++
	p.heldBytes += it.size()
}

func (p *Partition) signal() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// full reports whether so much waits or is in work that the partition is to be relieved. Call it under the lock.
func (p *Partition) full() bool {
	return p.held*10 > p.opts.InFlightRecords*8 || p.heldBytes > p.opts.ByteCap()/10*8
}

// ShouldPause reports whether the partition is full and still being fetched.
func (p *Partition) ShouldPause() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.halted && !p.paused && p.full()
}

// Pause stops fetching a crowded partition. It happens under the lock, so that it cannot overtake the resume of
// finished work.
func (p *Partition) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted || p.paused || !p.full() {
		return
	}
	p.paused = true
	p.Client.PauseFetchPartitions(p.ID.asMap())
}

// Complete takes finished work off the partition's account, marks it done and resumes fetching when enough is done. It
// reports false when the assignment is over: then nothing may be concluded from the work.
func (p *Partition) Complete(items []Item) bool {
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
	p.tracker.done(items[0].Seq, items[len(items)-1].Seq+1)
	p.crash.forget(p.tracker.mark.Offset)
	if p.paused && !p.halted && p.held*2 < p.opts.InFlightRecords && p.heldBytes < p.opts.ByteCap()/2 {
		p.paused = false
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
	if wasFull && !p.full() {
		p.opts.OnCapacity()
	}
	return true
}

// Halt ends dispatch: no new batch begins, the queue is dropped, a wait between attempts ends. Work in flight goes on.
func (p *Partition) Halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.halted = true
	p.queue = nil
	close(p.Stop)
	if p.paused { // or the client would keep it paused for a later assignment
		p.paused = false
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
}

// Stopped reports whether the partition is halted, so that it begins neither a batch nor a part of one.
func (p *Partition) Stopped() bool {
	select {
	case <-p.Stop:
		return true
	default:
		return false
	}
}

// Load is how many records the partition holds, and whether fetching is paused.
func (p *Partition) Load() (held int, paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.paused
}

func (id ID) asMap() map[string][]int32 {
	return map[string][]int32{id.Topic: {id.Partition}}
}
