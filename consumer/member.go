package consumer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sync/semaphore"

	"confab/internal/kafka"
)

// member is what both loops are made of: one member of a consumer group, with its partitions.
type member[T any] struct {
	opts    Options[T]
	metrics *Metrics // of the role
	batches *batchOptions[T]
	id      string // unique among all loops of the group, past and present
	owned   ownedSet[T]

	started atomic.Bool
	stop    context.CancelCauseFunc // ends polling; set by Run

	known          map[string]int32    // partitions by topic at the start, 0 if the group had commits; read-only afterwards
	ids            map[string][16]byte // topic ids at the start
	lookupThrottle Throttle[string]    // limits lookups of topic ids
	watch          watch
}

// prepare sets the options, which Prepare has completed.
func (m *member[T]) prepare(opts Options[T]) {
	m.opts, m.metrics, m.id = opts, opts.forRole(), rand.Text()
	m.batches = &batchOptions[T]{
		Options: &m.opts, role: m.metrics, limits: opts.Kafka.Limits,
		slots: semaphore.NewWeighted(int64(opts.Workers)),
	}
	if m.batches.limits == nil {
		m.batches.limits = kafka.NewSizeLimits(opts.Kafka, nil)
	}
	m.lookupThrottle.Every = startRetry
}

// begin is the start of Run: it waits until a broker answers, and returns the context of polling. proceed is false if Run is to
// return.
func (m *member[T]) begin(ctx context.Context) (polling context.Context, proceed bool, err error) {
	if !m.started.CompareAndSwap(false, true) {
		return nil, false, fmt.Errorf("consumer %s: run a second time", m.opts.Role)
	}
	if err := m.AwaitTopics(ctx); err != nil || ctx.Err() != nil {
		return nil, false, err
	}
	polling, m.stop = context.WithCancelCause(ctx)
	return polling, true, nil
}

// failure returns the error that ended polling; nil if ctx did.
func (m *member[T]) failure(ctx, polling context.Context) error {
	if cause := context.Cause(polling); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		return fmt.Errorf("consumer %s: %w", m.opts.Role, cause)
	}
	return nil
}

// fail ends the loop; the first error wins.
func (m *member[T]) fail(err error) { m.stop(err) }

// Ready reports whether the loop has joined its group and is not shutting down.
func (m *member[T]) Ready() bool { return m.owned.Ready() }

// Progress returns the record that a codec or handler has worked on for longest.
func (m *member[T]) Progress() Progress { return m.owned.Progress() }

func (m *member[T]) membership(id string, generation int32) groupMember {
	return groupMember{Group: m.opts.Group, Member: id, Generation: generation, Instance: m.opts.InstanceID, ServerSide: m.opts.ServerSide}
}

// memberOptions are the client options of a group member, without callbacks.
func (o *Options[T]) memberOptions() []kgo.Opt {
	start := kgo.NewOffset().AtStart()
	if o.StartOffset == StartLatest {
		start = kgo.NewOffset().AtEnd()
	}
	opts := []kgo.Opt{
		kgo.ConsumerGroup(o.Group),
		kgo.ConsumeTopics(o.Topics...),
		kgo.ConsumeStartOffset(start),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.KeepControlRecords(),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(o.SessionTimeout),
		kgo.RebalanceTimeout(o.RebalanceTimeout),
		kgo.HeartbeatInterval(o.Heartbeat),
	}
	if o.ServerSide {
		opts = append(opts, kgo.ServerSideBalancer())
	}
	if o.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(o.InstanceID))
	}
	return opts
}

// guard returns the settings of the crash guard; owner is unique among all loops of the group, past and present.
func (o *Options[T]) guard(owner string) guardOptions {
	gone := min(o.SessionTimeout, o.RebalanceTimeout) // when the group removes a silent member
	return guardOptions{
		Owner: owner, Instance: o.InstanceID, Deaths: o.crashDeaths(), Waits: o.HandlerWaits,
		Expiry: max(gone/2, gone-2*o.Heartbeat), // a member may die just before its next heartbeat
	}
}

// crashDeaths returns CrashDeaths; a dry run has no guard, since it commits nothing.
func (o *Options[T]) crashDeaths() int {
	if o.DryRun {
		return 0
	}
	return o.CrashDeaths
}

// ownedSet are the partitions of a loop, and whether it takes part in its group. The zero value is empty. It is safe for
// concurrent use.
type ownedSet[T any] struct {
	count atomic.Int32

	mu        sync.Mutex
	all       map[partitionID]*partition[T]
	abandoned []*partition[T] // removed ones with a batch in work
	joined    bool
	draining  bool
}

// Add adds an assignment. It returns false after Drain: then the caller halts it.
func (o *ownedSet[T]) Add(p *partition[T]) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.all == nil {
		o.all = make(map[partitionID]*partition[T])
	}
	o.all[p.ID] = p
	o.count.Store(int32(len(o.all)))
	return !o.draining
}

// Remove removes an assignment, unless a later one of the same partition has replaced it. Progress reports its batch in work
// until that ends: a handler that never returns keeps a worker busy after its partition is given back, too.
func (o *ownedSet[T]) Remove(p *partition[T]) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !p.BatchStart().IsZero() {
		o.abandoned = append(o.abandoned, p)
	}
	if id := p.ID; o.all[id] == p {
		delete(o.all, id)
		o.count.Store(int32(len(o.all)))
	}
}

// Find returns the assignment of a partition; nil for none.
func (o *ownedSet[T]) Find(id partitionID) *partition[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.all[id]
}

// All returns the assignments.
func (o *ownedSet[T]) All() []*partition[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Collect(maps.Values(o.all))
}

// Count returns the number of assignments. It takes no lock, so that a partition may call it under its own.
func (o *ownedSet[T]) Count() int { return int(o.count.Load()) }

// Join makes the loop ready: it has joined its group.
func (o *ownedSet[T]) Join() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.joined = true
}

// Drain makes the loop unready for good, since it is asked to stop. It returns the assignments.
func (o *ownedSet[T]) Drain() []*partition[T] {
	o.mu.Lock()
	o.draining = true
	o.mu.Unlock()
	return o.All()
}

// Ready reports whether the loop has joined its group and is not asked to stop.
func (o *ownedSet[T]) Ready() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.joined && !o.draining
}

// Progress is the state that a liveness probe needs.
type Progress struct {
	Busy  bool      // a codec or handler is running
	Since time.Time // start of the oldest such record; zero when not Busy

	Topic     string // of the oldest such work
	Partition int32
	Offset    int64
}

// Progress returns the record that a codec or handler has worked on for longest. Waits for brokers, slots or the next
// attempt do not count: a restart would not end them.
func (o *ownedSet[T]) Progress() Progress {
	var pr Progress
	for _, p := range append(o.All(), o.inWork()...) {
		if offset, busy := p.CurrentRecord(); !busy.IsZero() && (!pr.Busy || busy.Before(pr.Since)) {
			pr = Progress{Busy: true, Since: busy, Topic: p.ID.Topic, Partition: p.ID.Partition, Offset: offset}
		}
	}
	return pr
}

// inWork returns the removed assignments whose batch has not ended.
func (o *ownedSet[T]) inWork() []*partition[T] {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.abandoned = slices.DeleteFunc(o.abandoned, func(p *partition[T]) bool { return p.BatchStart().IsZero() })
	return slices.Clone(o.abandoned)
}

// StuckFor returns the age of the oldest batch in work.
func (o *ownedSet[T]) StuckFor() time.Duration {
	var oldest time.Duration
	for _, p := range o.All() {
		if head := p.BatchStart(); !head.IsZero() {
			oldest = max(oldest, time.Since(head))
		}
	}
	return oldest
}

// flattenIDs returns the partitions of a map by topic.
func flattenIDs(m map[string][]int32) []partitionID {
	var ids []partitionID
	for topic, ps := range m {
		for _, p := range ps {
			ids = append(ids, partitionID{topic, p})
		}
	}
	return ids
}

// byTopic is the reverse of flattenIDs.
func byTopic[T any](ps []*partition[T]) map[string][]int32 {
	m := make(map[string][]int32)
	for _, p := range ps {
		m[p.ID.Topic] = append(m[p.ID.Topic], p.ID.Partition)
	}
	return m
}

// notifyOwners calls f, unless it is nil, with the partitions of each topic.
func notifyOwners[T any](f func(topic string, partitions []int32), ps []*partition[T]) {
	if f == nil {
		return
	}
	for topic, partitions := range byTopic(ps) {
		f(topic, partitions)
	}
}
