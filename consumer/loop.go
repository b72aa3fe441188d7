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

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
)

const (
	// settleTime is kept of the grace period for the flush, the last commit and leaving the group.
	settleTime = 8 * time.Second
	// startRetry is how often a cluster is asked for its topics until it answers.
	startRetry = 2 * time.Second
)

// Loop is one member of a consumer group.
//
// One goroutine polls and hands out, one per assigned partition decodes and handles, one commits. Locks are taken in
// the order commitMu, mu, a partition's mu.
type Loop[T any] struct {
	opts       Options[T]
	metrics    roleMetrics
	extra      []kgo.Opt     // of tests that watch the client
	slots      chan struct{} // a token for each batch that is being decoded or handled
	moved      chan struct{} // a watermark may have moved
	urgent     chan struct{} // somebody waits for a commit
	eased      chan struct{} // a partition may no longer be full
	id         string        // of this loop among all that ever worked on the group
	exclusive  chan struct{} // a token while somebody takes all slots
	workers    sync.WaitGroup
	waits      throttle[topicPartition]
	complaints throttle[string]
	identities throttle[string] // how often a topic's identity is looked up

	started  atomic.Bool
	joined   atomic.Bool
	assigned atomic.Int32            // partitions owned
	stop     context.CancelCauseFunc // ends polling; set by Run
	known    map[string]int32        // partitions by topic when the loop began; read-only from then on
	ids      map[string][16]byte     // identities of the topics then

	commitMu sync.Mutex // held while offsets travel and while partitions change hands
	mu       sync.Mutex
	owned    map[topicPartition]*partition[T]
	draining bool
}

// New makes a loop. Nothing is opened until Run.
func New[T any](opts Options[T]) (*Loop[T], error) {
	opts = opts.withDefaults()
	if err := opts.validate(); err != nil {
		return nil, err
	}
	return &Loop[T]{
		opts:       opts,
		metrics:    roleMetrics{all: opts.Metrics, role: opts.Role},
		slots:      make(chan struct{}, opts.Workers),
		moved:      make(chan struct{}, 1),
		urgent:     make(chan struct{}, 1),
		eased:      make(chan struct{}, 1),
		id:         rand.Text(),
		exclusive:  make(chan struct{}, 1),
		waits:      throttle[topicPartition]{every: logEvery},
		complaints: throttle[string]{every: logEvery},
		identities: throttle[string]{every: startRetry},
		owned:      make(map[topicPartition]*partition[T]),
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
	cl, err := l.opts.Kafka.NewClient(l.groupOptions()...)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", l.opts.Role, err)
	}
	defer l.opts.Metrics.stuck.add(l.opts.Role, l.stuckFor)()

	committing, stopCommitting := context.WithCancel(context.WithoutCancel(ctx))
	defer stopCommitting()
	var committer sync.WaitGroup
	committer.Go(func() { l.commitLoop(committing, cl) })
	if l.opts.crashDeaths() > 0 {
		committer.Go(func() { l.noteSlowRecords(committing) })
	}

	l.pollLoop(polling, cl)

	err = l.drain()
	stopCommitting()
	committer.Wait()
	l.leave(cl)
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
	return append(opts, l.extra...)
}

// awaitTopics waits until a broker answers and reports the topics that do not exist. It returns nil when ctx ends.
func (l *Loop[T]) awaitTopics(ctx context.Context) error {
	admin, err := kafka.NewAdmin(l.opts.Kafka)
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
		if l.complaints.due("start") {
			l.opts.Logger.Error("the cluster cannot be asked for its topics: trying again", slog.Any("error", err))
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

// drain ends work: what is queued is dropped, what is in flight is waited for, first patiently, then with its context
// ended.
func (l *Loop[T]) drain() error {
	l.mu.Lock()
	l.draining = true
	l.mu.Unlock()
	ps := l.partitions()
	for _, p := range ps {
		p.halt()
	}
	patience := max(l.opts.Grace-settleTime, l.opts.Grace/2)
	if awaitIdle(ps, patience) == 0 {
		return nil
	}
	for _, p := range ps {
		p.cancel()
	}
	late := awaitIdle(ps, (l.opts.Grace-patience)/2)
	if late == 0 {
		return nil
	}
	return fmt.Errorf("consumer %s: %d handlers did not return within the grace period", l.opts.Role, late)
}

// leave commits for the last time and leaves the group: a dynamic member always, a static one only when it is told to,
// since it keeps its partitions over a restart.
func (l *Loop[T]) leave(cl *kgo.Client) {
	ps := l.partitions()
	l.retire(cl, ps, true)
	l.goodbye(ps)
	if l.opts.InstanceID != "" && l.opts.LeaveOnExit {
		ctx, cancel := context.WithTimeout(context.Background(), commitTimeout)
		defer cancel()
		_, err := kadm.NewClient(cl).LeaveGroup(ctx, kadm.LeaveGroup(l.opts.Group).InstanceIDs(l.opts.InstanceID))
		if err != nil {
			l.opts.Logger.Warn("the group could not be left", slog.Any("error", err))
		}
	}
	cl.CloseAllowingRebalance()
}

func (l *Loop[T]) own(p *partition[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owned[p.id] = p
	l.assigned.Store(int32(len(l.owned)))
	if l.draining {
		p.halt()
	}
	l.workers.Go(p.run)
}

func (l *Loop[T]) disown(p *partition[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.owned[p.id] == p {
		delete(l.owned, p.id)
		l.assigned.Store(int32(len(l.owned)))
	}
}

func (l *Loop[T]) lookup(id topicPartition) *partition[T] {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.owned[id]
}

func (l *Loop[T]) find(m map[string][]int32) []*partition[T] {
	var ps []*partition[T]
	for _, id := range flatten(m) {
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
