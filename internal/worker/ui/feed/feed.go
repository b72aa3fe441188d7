package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"confab/internal/kafka"
	"confab/internal/worker/ui/store"
	"confab/schemas"
)

// Options configure a feed.
type Options struct {
	Kafka                       kafka.Config
	Incidents, Feedback, Alerts string // topics
	Decode                      func(ctx context.Context, value []byte, f *schemas.Flag) error
	Store                       *store.Store
	Metrics                     *Metrics
	Now                         func() time.Time
	Logger                      *slog.Logger
}

// Feed is what [New] makes.
type Feed struct {
	Options

	mu      sync.Mutex
	status  Status
	storage string // problem of the store
	cluster string // problem of the cluster
}

// Status is how far reading has come.
type Status struct {
	CaughtUp bool      // everything was stored once that the topics held at the start
	AsOf     time.Time // when a broker last answered; zero: never
	Problem  string    // what keeps the page from being up to date, for people; "" if nothing
}

// Sizes of batches.
const (
	maxBatchRecords = 1000
	maxBatchBytes   = 8 << 20
	batchPause      = 200 * time.Millisecond // between transactions, at low rates
	queuedRecords   = 64
	retryPause      = 2 * time.Second
	expireEvery     = time.Minute
	probeEvery      = 5 * time.Second
)

// New makes a feed.
func New(o Options) *Feed { return &Feed{Options: o} }

// Status returns how far reading has come.
func (f *Feed) Status() Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := f.status
	s.Problem = cmp.Or(f.storage, f.cluster)
	return s
}

func (f *Feed) setStatus(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// errRestart says that reading begins again: partitions were added, or the store is new.
var errRestart = errors.New("read again")

// Run reads until ctx ends. What fails is retried. An error says that the store is damaged: the next
// start rebuilds it.
func (f *Feed) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		err := f.readOnce(ctx)
		if err != nil && !errors.Is(err, errRestart) && ctx.Err() == nil {
			return fmt.Errorf("ui: %w: start again, which rebuilds it from the topics", err)
		}
	}
	return nil
}

// record is a record that was read, or a mark that a topic is caught up.
type record struct {
	*kafka.FetchedRecord
	caughtUp bool
}

func (f *Feed) readOnce(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	queue := make(chan record, queuedRecords)
	var work sync.WaitGroup
	topics := []string{f.Incidents, f.Feedback, f.Alerts}
	for _, topic := range topics {
		work.Go(func() {
			if err := f.follow(ctx, topic, queue); err != nil {
				stop(err)
			}
		})
	}
	work.Go(func() { f.watchCluster(ctx, topics, stop) })
	work.Go(func() {
		if err := f.write(ctx, queue, len(topics)); err != nil {
			stop(err)
		}
	})
	work.Wait()
	return context.Cause(ctx)
}

func (f *Feed) follow(ctx context.Context, topic string, queue chan<- record) error {
	send := func(r record) {
		select {
		case queue <- r:
		case <-ctx.Done():
		}
	}
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: f.Kafka, Topic: topic, Logger: f.Logger,
		Next:     func(p int32) (int64, bool) { return f.Store.Next(topic, p) },
		CaughtUp: func() { send(record{caughtUp: true}) },
	}, func(r *kafka.FetchedRecord) { send(record{FetchedRecord: r}) })
}

// write stores what is read, in batches, until ctx ends.
func (f *Feed) write(ctx context.Context, queue <-chan record, topics int) error {
	tick := time.NewTicker(expireEvery)
	defer tick.Stop()
	behind := topics
	for {
		b := newBatch(f)
		select {
		case r := <-queue:
			b.add(ctx, r)
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
		b.fill(ctx, queue)
		if err := f.apply(ctx, &b.Batch); err != nil {
			return err
		}
		f.Metrics.countRecords(b)
		if behind > 0 {
			if behind -= b.caughtUp; behind == 0 {
				f.setStatus(func() { f.status.CaughtUp = true })
			}
		}
	}
}

// apply stores a batch, and tries again while the disk is full or fails.
func (f *Feed) apply(ctx context.Context, b *store.Batch) error {
	for failed := false; ; failed = true {
		err := f.Store.Apply(b)
		if err == nil {
			if failed {
				f.setStatus(func() { f.storage = "" })
				f.Logger.InfoContext(ctx, "store is written again")
			}
			return nil
		}
		if errors.Is(err, store.ErrCorrupt) {
			return err
		}
		if !failed {
			f.Logger.WarnContext(ctx, "write store failed, retrying", "error", err, "remedy", "free space on the disk of ui.store.path")
			f.setStatus(func() { f.storage = "The store cannot be written: its disk may be full." })
		}
		select {
		case <-time.After(retryPause):
		case <-ctx.Done():
			return nil
		}
	}
}

// watchCluster notes when a broker answers, what is missing, and added partitions.
func (f *Feed) watchCluster(ctx context.Context, topics []string, stop context.CancelCauseFunc) {
	admin, err := kafka.NewAdmin(f.Kafka)
	if err != nil {
		stop(err)
		return
	}
	defer admin.Close()
	known := map[string]int{}
	for {
		counts, err := probe(ctx, admin, topics)
		f.note(counts, topics, err)
		for topic, n := range counts {
			if known[topic] > 0 && n > known[topic] {
				stop(errRestart)
				return
			}
			known[topic] = n
		}
		select {
		case <-time.After(probeEvery):
		case <-ctx.Done():
			return
		}
	}
}

func probe(ctx context.Context, admin *kafka.Admin, topics []string) (map[string]int, error) {
	ctx, cancel := context.WithTimeout(ctx, probeEvery)
	defer cancel()
	return admin.PartitionCounts(ctx, topics...)
}

// note keeps the result of a probe.
func (f *Feed) note(counts map[string]int, topics []string, err error) {
	problem := ""
	if err != nil {
		problem = "No broker answers."
	}
	for _, topic := range topics {
		if err == nil && counts[topic] == 0 {
			problem = "The topic " + topic + " does not exist, or may not be read."
			break
		}
	}
	f.setStatus(func() {
		f.cluster = problem
		if err == nil {
			f.status.AsOf = f.Now()
		}
	})
}
