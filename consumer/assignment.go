package consumer

import (
	"context"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// partitionID identifies a partition.
type partitionID struct {
	Topic     string
	Partition int32
}

// queueItem is a fetched record in its partition's queue, or a batch that cannot be decompressed.
type queueItem struct {
	Rec *kgo.Record
	Bad *kgo.ErrDecompressTooLarge
	Seq uint64
}

// position returns the item's offset and leader epoch; for a batch that cannot be decompressed, those of its last record.
func (it queueItem) position() (offset int64, epoch int32) {
	if it.Rec == nil {
		return it.Bad.NextOffset - 1, it.Bad.Epoch
	}
	return it.Rec.Offset, it.Rec.LeaderEpoch
}

// Offset returns the offset of the item; for a batch that cannot be decompressed, the last one.
func (it queueItem) Offset() int64 {
	offset, _ := it.position()
	return offset
}

func (it queueItem) size() int {
	if it.Rec == nil {
		return 0
	}
	return len(it.Rec.Key) + len(it.Rec.Value)
}

// assignmentOptions are the settings that the assignments of a loop share.
type assignmentOptions struct {
	MaxBatch        int        // records
	MaxBatchBytes   int        // of their keys and values; one record may exceed it
	InFlightRecords int        // queued and in work; above 80 % the partition is full
	ByteCap         func() int // the same in bytes; depends on the number of assignments
	Guard           guardOptions
	OnWatermark     func() // called when there may be a watermark to commit
	OnCapacity      func() // called when the partition is no longer full
}

// assignment is one assignment of a partition to this member: its queue, its watermark and its crash guard. The pointer is
// the generation token: a later assignment of the same partition is another value, and after Seal completed work no
// longer moves the watermark. It is safe for concurrent use.
type assignment struct {
	opts   assignmentOptions
	Client *kgo.Client
	ID     partitionID
	Member string // id in the group of the member to which it is assigned

	Context    context.Context // of handlers; canceled when their work has become pointless
	Cancel     context.CancelFunc
	Stop       <-chan struct{} // closed by Halt: start no batch, wait for work in flight only
	halting    context.Context // ends with it
	halt       context.CancelFunc
	Idle       chan struct{} // closed when the processing goroutine has returned
	wake       chan struct{} // signaled when records are queued
	CommitDone chan struct{} // signaled after a successful commit

	mu         sync.Mutex
	queue      []queueItem
	held       int // records queued or in work
	heldBytes  int
	paused     bool
	halted     bool
	sealed     bool
	tracker    offsetTracker
	position   int64 // the next offset to fetch, or a little before it
	committed  kgo.EpochOffset
	batchSince time.Time // start of the batch in work; zero when there is none
	busySince  time.Time // start of the record in the codec or handler; zero when neither runs
	current    int64     // offset of that record
	crash      crashGuard
}

// newAssignment returns the assignment of a partition to the client. The goroutine that processes it closes Idle.
func newAssignment(opts assignmentOptions, cl *kgo.Client, id partitionID) *assignment {
	ctx, cancel := context.WithCancel(context.Background())
	halting, halt := context.WithCancel(context.Background())
	p := &assignment{
		opts: opts, Client: cl, ID: id, Context: ctx, Cancel: cancel,
		Stop: halting.Done(), halting: halting, halt: halt, Idle: make(chan struct{}), wake: make(chan struct{}, 1),
		CommitDone: make(chan struct{}, 1), crash: newCrashGuard(opts.Guard),
		committed: kgo.EpochOffset{Epoch: -1, Offset: -1},
	}
	if cl != nil {
		p.Member, _ = cl.GroupMetadata()
	}
	return p
}

// Next waits for records and appends at most one batch of them to dst; none after Halt.
func (p *assignment) Next(dst []queueItem) []queueItem {
	for {
		var halted bool
		if dst, halted = p.dequeue(dst); halted || len(dst) > 0 {
			return dst
		}
		select {
		case <-p.wake:
		case <-p.Stop:
		}
	}
}

// dequeue appends at most one batch of queued records to dst.
func (p *assignment) dequeue(dst []queueItem) (batch []queueItem, halted bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return dst, true
	}
	bytes := 0
	for _, it := range p.queue {
		bytes += it.size()
		if n := len(dst); n > 0 && (n == p.opts.MaxBatch || bytes > p.opts.MaxBatchBytes || !p.crash.joins(dst[0].Offset(), it.Offset(), n)) {
			break
		}
		dst = append(dst, it)
	}
	rest := copy(p.queue, p.queue[len(dst):])
	clear(p.queue[rest:])
	p.queue = p.queue[:rest]
	return dst, false
}

// Enqueue adds fetched records to the queue and returns how many. Markers of transactions are done at once, so that the
// committed offset passes them. A halted partition drops all: the next owner fetches them again.
func (p *assignment) Enqueue(records []*kgo.Record) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return 0
	}
	for _, r := range records {
		p.position = r.Offset + 1
		if r.Attrs.IsControl() {
			p.tracker.anchor(p.position)
			p.opts.OnWatermark()
			continue
		}
		p.add(queueItem{Rec: r, Seq: p.tracker.push(r.Offset, r.LeaderEpoch)})
		n++
	}
	notify(p.wake)
	return n
}

// EnqueueBad adds a batch that cannot be decompressed as one item at the batch's last offset.
func (p *assignment) EnqueueBad(bad *kgo.ErrDecompressTooLarge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.position = bad.NextOffset
	p.add(queueItem{Bad: bad, Seq: p.tracker.push(bad.NextOffset-1, bad.Epoch)})
	notify(p.wake)
}

// MoveTo sets the next offset to fetch, which is also committed once all work before it is completed.
func (p *assignment) MoveTo(offset int64) {
	p.mu.Lock()
	p.position = offset
	p.tracker.anchor(offset)
	p.mu.Unlock()
	p.opts.OnWatermark()
}

// SetFetchPosition records that fetching continues at the offset.
func (p *assignment) SetFetchPosition(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.position = offset
}

// FetchPosition returns the next offset to fetch, or one a little before it.
func (p *assignment) FetchPosition() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.position
}

func (p *assignment) add(it queueItem) {
	p.queue = append(p.queue, it)
	p.held++
	p.heldBytes += it.size()
}

// full reports whether more than 80 % of a limit is used. The caller holds the lock.
func (p *assignment) full() bool {
	return p.held*10 > p.opts.InFlightRecords*8 || p.heldBytes > p.opts.ByteCap()/10*8
}

// ShouldPause reports whether the partition is full and still being fetched.
func (p *assignment) ShouldPause() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return !p.halted && !p.paused && p.full()
}

// Pause stops fetching a full partition. It calls the client under the lock, so that the resume of completed work cannot
// come before it.
func (p *assignment) Pause() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted || p.paused || !p.full() {
		return
	}
	p.paused = true
	p.Client.PauseFetchPartitions(p.ID.asMap())
}

// Complete removes completed items from the load and moves the watermark. It returns false when the assignment has ended:
// then the work must not be counted.
func (p *assignment) Complete(items []queueItem) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.sealed {
		return false
	}
	p.tracker.done(items[0].Seq, items[len(items)-1].Seq+1)
	p.crash.forget(p.tracker.mark.Offset)
	p.unload(items)
	return true
}

// unload removes items from the load and resumes fetching below 50 % of the limits. The caller holds the lock.
func (p *assignment) unload(items []queueItem) {
	wasFull := p.full()
	for _, it := range items {
		p.heldBytes -= it.size()
	}
	p.held -= len(items)
	if p.paused && !p.halted && p.held*2 < p.opts.InFlightRecords && p.heldBytes < p.opts.ByteCap()/2 {
		p.paused = false
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
	if wasFull && !p.full() {
		p.opts.OnCapacity()
	}
}

// Halt drops the queue and ends waits between attempts; no new batch starts. Work in flight continues.
func (p *assignment) Halt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.halted {
		return
	}
	p.halted = true
	p.queue = nil
	p.halt()
	if p.paused { // otherwise the client keeps it paused for a later assignment
		p.paused = false
		p.Client.ResumeFetchPartitions(p.ID.asMap())
	}
}

// Stopped reports whether the partition is halted.
func (p *assignment) Stopped() bool {
	select {
	case <-p.Stop:
		return true
	default:
		return false
	}
}

// Load returns how many records the partition holds, and whether fetching is paused.
func (p *assignment) Load() (held int, paused bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held, p.paused
}

func (id partitionID) asMap() map[string][]int32 {
	return map[string][]int32{id.Topic: {id.Partition}}
}

// SetBatchStart records the start of the batch in work; zero ends it.
func (p *assignment) SetBatchStart(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.batchSince = t
}

// Begin records that the codec or handler starts with the record.
func (p *assignment) Begin(offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.current, p.busySince = offset, time.Now(); p.crash.record != offset {
		p.crash.uncount() // the record before it did not end the process
	}
}

// EndWork records that neither the codec nor the handler is running.
func (p *assignment) EndWork() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.busySince = time.Time{}
	if p.crash.record != noRecord {
		p.crash.uncount()
		p.opts.OnWatermark()
	}
}

// BatchStart returns the start of the batch in work; zero when there is none.
func (p *assignment) BatchStart() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.batchSince
}

// CurrentRecord returns the record in the codec or handler and its start; zero when neither runs.
func (p *assignment) CurrentRecord() (offset int64, since time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.current, p.busySince
}

// TakeOver loads the note that the last owner committed with the offset, and reports whether that owner ended without giving
// the partition back.
func (p *assignment) TakeOver(metadata string, committed int64) (ended bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.load(metadata, committed, time.Now())
}

// EndWindow says that the records from next on came after the last owner: it did not end at one of them.
func (p *assignment) EndWindow(next int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.crash.until = min(p.crash.until, next)
}

// NoteInWork records that processing of the batch is about to start and reports whether that must be committed for the
// next owner.
func (p *assignment) NoteInWork(batch []queueItem) bool {
	offset, epoch := batch[0].position()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tracker.begin(offset, epoch)
	return p.crash.start(offset, batch[len(batch)-1].Offset(), time.Now())
}

// NoteSlow counts this owner as a possible crash at the current record if that takes longer than limit, and reports
// whether the note changed.
func (p *assignment) NoteSlow(limit time.Duration) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.busySince.IsZero() || time.Since(p.busySince) < limit {
		return false
	}
	return p.crash.begin(p.current, time.Now())
}

// Deaths returns how many earlier owners ended while they processed the item, and whether it must not be retried for that.
func (p *assignment) Deaths(it queueItem) (deaths int, tooMany bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.crash.crashes(it.Offset()), p.crash.exceedsLimit(it.Offset())
}

// BatchSize returns how many of the first items are handled together.
func (p *assignment) BatchSize(items []queueItem) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n = 1
	for n < len(items) && p.crash.joins(items[0].Offset(), items[n].Offset(), n) {
		n++
	}
	return n
}
