// Package consumer turns a Kafka consumer group into at-least-once batches of decoded values, in order per partition:
// poll, decode, hand over, wait until every effect is durable, then commit the contiguous watermark.
//
// It refuses to know what a record means. What a value is, the [Codec] says; what to do with it, the [Handler]; a record
// that can never be processed goes to the dead-letter topic.
package consumer

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"confab/consumer/assignment"
	"confab/internal/kafka"
)

// startRetry is how often a cluster is asked for its topics until it answers.
const startRetry = 2 * time.Second

// Loop is one member of a consumer group.
//
// One goroutine polls and hands out, one per assigned partition decodes and handles, one commits. Locks are taken in
// the order commitMu, mu, a partition's mu.
type Loop[T any] struct {
	opts             Options[T]
	metrics          roleMetrics
	clientOptions    []kgo.Opt // of tests that watch the client
	slots            assignment.Slots
	commitDue        chan struct{} // a watermark may have moved
	commitNow        chan struct{} // somebody waits for a commit
	capacityFreed    chan struct{} // a partition may no longer be full
	id               string        // of this loop among all that ever worked on the group
	workers          sync.WaitGroup
	retryLogThrottle eventThrottle[assignment.ID]
	logThrottle      eventThrottle[string]
	lookupThrottle   eventThrottle[string] // how often a topic's identity is looked up

	started  atomic.Bool
	joined   atomic.Bool
	assigned atomic.Int32            // partitions owned
	stop     context.CancelCauseFunc // ends polling; set by Run
	known    map[string]int32        // partitions by topic when the loop began; read-only from then on
	ids      map[string][16]byte     // identities of the topics then

	commitMu sync.Mutex // held while offsets travel and while partitions change hands
	mu       sync.Mutex
	owned    map[assignment.ID]*partition[T]
	draining bool
}

// New makes a loop. Nothing is opened until Run.
func New[T any](opts Options[T]) (*Loop[T], error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	return &Loop[T]{
		opts:             opts,
		metrics:          roleMetrics{all: opts.Metrics, role: opts.Role},
		slots:            assignment.NewSlots(opts.Workers),
		commitDue:        make(chan struct{}, 1),
		commitNow:        make(chan struct{}, 1),
		capacityFreed:    make(chan struct{}, 1),
		id:               rand.Text(),
		retryLogThrottle: eventThrottle[assignment.ID]{every: logEvery},
		logThrottle:      eventThrottle[string]{every: logEvery},
		lookupThrottle:   eventThrottle[string]{every: startRetry},
		owned:            make(map[assignment.ID]*partition[T]),
	}, nil
}

// Run joins the group and works until ctx ends, then shuts down in order and returns nil. An error means that going on
// is pointless until somebody acts; its message says how. A Loop runs once.
func (l *Loop[T]) Run(ctx context.Context) error {
	if !l.started.CompareAndSwap(false, true) {
		return fmt.Errorf("consumer %s: run a second time", l.opts.Role)
	}
	if err := l.awaitTopics(ctx); err != nil || ctx.Err() != nil {
		return err
	}
	polling, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	l.stop = stop
	// The client lives until shortly before the grace period ends: no request of its outlives that.
	life, cut := WithGrace(polling, l.opts.Grace-finalStepTime(l.opts.Grace))
	defer cut()
	cl, err := l.opts.Kafka.NewClient(append(l.groupOptions(), kgo.WithContext(life))...)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	defer l.opts.Metrics.stuck.add(l.opts.Role, l.stuckFor)()

	var poller, committer sync.WaitGroup
	committing, stopCommitting := context.WithCancel(life)
	defer stopCommitting()
	committer.Go(func() { l.commitLoop(committing, cl) })
	if l.opts.crashDeaths() > 0 {
		committer.Go(func() { l.noteSlowRecords(committing) })
	}
	poller.Go(func() { l.pollLoop(polling, cl) })
	<-polling.Done()
	deadline := time.Now().Add(l.opts.Grace)

	err = l.drain(deadline)
	stopCommitting()
	committer.Wait()
	l.shutdown(life, cut, cl, deadline)
	poller.Wait()
	if cause := context.Cause(polling); ctx.Err() == nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(fmt.Errorf("consumer %s: %w", l.opts.Role, cause), err)
	}
	return err
}

// fail ends the loop with err; the first error stands.
func (l *Loop[T]) fail(err error) { l.stop(err) }

// groupOptions are the options of the group's client on top of those that every client has.
func (l *Loop[T]) groupOptions() []kgo.Opt {
	start := kgo.NewOffset().AtStart()
	if l.opts.StartOffset == StartLatest {
		start = kgo.NewOffset().AtEnd()
	}
	opts := []kgo.Opt{
		kgo.ConsumerGroup(l.opts.Group),
		kgo.ConsumeTopics(l.opts.Topics...),
		kgo.ConsumeStartOffset(start),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(l.opts.SessionTimeout),
		kgo.RebalanceTimeout(l.opts.RebalanceTimeout),
		kgo.HeartbeatInterval(l.opts.Heartbeat),
		kgo.OnPartitionsAssigned(l.onAssigned),
		kgo.OnOffsetsFetched(l.onOffsetsFetched),
		kgo.AdjustFetchOffsetsFn(l.adjustOffsets),
		kgo.OnPartitionsRevoked(l.onRevoked),
		kgo.OnPartitionsLost(l.onLost),
	}
	if l.opts.InstanceID != "" {
		opts = append(opts, kgo.InstanceID(l.opts.InstanceID))
	}
	return append(opts, l.clientOptions...)
}

// awaitTopics waits until a broker answers and reports the topics that do not exist. It returns nil when ctx ends.
func (l *Loop[T]) awaitTopics(ctx context.Context) error {
	cfg := l.opts.Kafka
	cfg.Context = ctx
	admin, err := kafka.NewAdmin(cfg)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	defer admin.Close()
	for {
		counts, err := admin.PartitionCounts(ctx, l.opts.Topics...)
		if err == nil {
			l.ids, err = admin.TopicIDs(ctx, l.opts.Topics...)
		}
		if err == nil {
			return l.checkTopics(counts)
		}
		if ctx.Err() != nil {
			return nil
		}
		if l.logThrottle.allow("start") {
			l.opts.Logger.Error("list topics failed, retrying", slog.Any("error", err))
		}
		t := time.NewTimer(startRetry)
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return nil
		}
	}
}

func (l *Loop[T]) checkTopics(counts map[string]int) error {
	l.known = make(map[string]int32, len(counts))
	var errs []error
	for _, topic := range l.opts.Topics {
		n, ok := counts[topic]
		if !ok {
			errs = append(errs, fmt.Errorf("consumer %s: topic %s does not exist: create it, for example with "+
				"`confab topics apply`, or correct the name in the configuration", l.opts.Role, topic))
		}
		l.known[topic] = int32(n)
	}
	return errors.Join(errs...)
}

func (l *Loop[T]) addPartition(p *partition[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owned[p.ID] = p
	l.assigned.Store(int32(len(l.owned)))
	if l.draining {
		p.Halt()
	}
	l.workers.Go(p.run)
}

func (l *Loop[T]) removePartition(p *partition[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owned[p.ID] == p {
		delete(l.owned, p.ID)
		l.assigned.Store(int32(len(l.owned)))
	}
}

func (l *Loop[T]) lookup(id assignment.ID) *partition[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned[id]
}

func (l *Loop[T]) lookupAll(m map[string][]int32) []*partition[T] {
	var ps []*partition[T]
	for _, id := range assignment.Flatten(m) {
		if p := l.lookup(id); p != nil {
			ps = append(ps, p)
		}
	}
	return ps
}

func (l *Loop[T]) partitions() []*partition[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	ps := make([]*partition[T], 0, len(l.owned))
	for _, p := range l.owned {
		ps = append(ps, p)
	}
	return ps
}
