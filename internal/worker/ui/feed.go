package ui

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/retry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// feed reads flags and labels from their topics into the store.
type feed struct {
	kafka  kafka.Config
	topics config.Topics
	decode func(ctx context.Context, value []byte, f *schemas.Flag) error
	store  *store
	now    func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	status feedStatus
}

// feedStatus is how far reading has come.
type feedStatus struct {
	CaughtUp bool      // everything is shown that the topics held at the start
	AsOf     time.Time // when a broker last answered; zero: never
	Problem  string    // what keeps the page from being up to date, for people; "" if nothing
}

const (
	retryPause = 2 * time.Second
	probeEvery = 5 * time.Second
)

func (f *feed) getStatus() feedStatus {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

func (f *feed) setStatus(change func(s *feedStatus)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(&f.status)
}

// errRestart says that reading begins again: partitions were added.
var errRestart = errors.New("read again")

// run reads until ctx ends. What fails is retried.
func (f *feed) run(ctx context.Context) error {
	for ctx.Err() == nil {
		if err := f.readOnce(ctx); err != nil && !errors.Is(err, errRestart) && ctx.Err() == nil {
			return fmt.Errorf("ui: %w", err)
		}
	}
	return nil
}

// readOnce reads the end of llm.incidents, then the labels, and follows both. Nothing is shown before
// the marks of forgotten incidents were read.
func (f *feed) readOnce(ctx context.Context) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	f.store.reset()
	f.setStatus(func(s *feedStatus) { s.CaughtUp = false })
	flags := make(chan struct{})
	var work sync.WaitGroup
	follow := func(o kafka.FollowOptions, add func(ctx context.Context, r *kafka.FetchedRecord) error) {
		o.Config, o.Logger = f.kafka, f.log
		work.Go(func() {
			if err := kafka.Follow(ctx, o, func(r *kafka.FetchedRecord) { f.read(ctx, r, add) }); err != nil {
				stop(err)
			}
		})
	}
	follow(kafka.FollowOptions{
		Topic: f.topics.Incidents, Start: kafka.Position{Kind: kafka.PositionLast, Offset: int64(f.store.limit)}, CaughtUp: func() { close(flags) },
	}, f.addFlag)
	work.Go(func() {
		select {
		case <-flags:
		case <-ctx.Done():
			return
		}
		follow(kafka.FollowOptions{Topic: f.topics.Feedback, CaughtUp: func() {
			f.store.show()
			f.setStatus(func(s *feedStatus) { s.CaughtUp = true })
		}}, f.addLabel)
	})
	work.Go(func() { f.watchCluster(ctx, stop) })
	work.Wait()
	return context.Cause(ctx)
}

// read adds a record. One that cannot be read is logged and passed over.
func (f *feed) read(ctx context.Context, r *kafka.FetchedRecord, add func(ctx context.Context, r *kafka.FetchedRecord) error) {
	err := add(ctx, r)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		f.log.WarnContext(ctx, "read record for the page failed", "topic", r.Topic, "partition", r.Partition, "offset", r.Offset)
	}
}

// addFlag waits for the schema registry.
func (f *feed) addFlag(ctx context.Context, r *kafka.FetchedRecord) error {
	if !f.store.wants(r.Timestamp) {
		return nil
	}
	for {
		flag := new(schemas.Flag)
		err := f.decode(ctx, r.Value, flag)
		if err == nil {
			return f.store.addFlag(flag, r.Timestamp)
		}
		if _, waits := errors.AsType[*schemaregistry.PendingError](err); !waits {
			return err
		}
		f.log.WarnContext(ctx, "read flag schema failed, retrying", "error", err)
		if err := retry.Sleep(ctx, retryPause); err != nil {
			return err
		}
	}
}

func (f *feed) addLabel(_ context.Context, r *kafka.FetchedRecord) error {
	var l schemas.Feedback
	if err := json.DecodeFeedback(r.Value, &l); err != nil {
		return err
	}
	f.store.addLabel(&l)
	return nil
}

// watchCluster notes when a broker answers, what is missing, and added partitions.
func (f *feed) watchCluster(ctx context.Context, stop context.CancelCauseFunc) {
	admin, err := kafka.NewAdmin(f.kafka)
	if err != nil {
		stop(err)
		return
	}
	defer admin.Close()
	topics := []string{f.topics.Incidents, f.topics.Feedback}
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
		if retry.Sleep(ctx, probeEvery) != nil {
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
func (f *feed) note(counts map[string]int, topics []string, err error) {
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
	f.setStatus(func(s *feedStatus) {
		s.Problem = problem
		if err == nil {
			s.AsOf = f.now()
		}
	})
}
