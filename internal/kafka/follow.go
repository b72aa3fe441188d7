package kafka

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/retry"
)

// followRetryPause is the wait after a failure.
const followRetryPause = time.Second

// FollowOptions configure Follow.
type FollowOptions struct {
	Config     Config
	Topic      string
	Partitions []int32  // empty: all that exist at the start
	Start      Position // where to start
	// CaughtUp is called once, from the goroutine of fn, when everything is delivered that the topic held at the start.
	// It may be nil.
	CaughtUp func()
	Logger   *slog.Logger // nil discards
}

// Follow reads committed records of a topic without a consumer group, in offset order within a partition, until ctx ends.
// Failures are logged, once until the next record, and retried. A record that was deleted before it could be read is
// skipped; after such a loss records may be delivered again, so fn must be idempotent. fn keeps no reference to r.
func Follow(ctx context.Context, opts FollowOptions, fn func(r *FetchedRecord)) error {
	of := &ReaderOptions{Config: opts.Config, Topics: []string{opts.Topic}, Start: opts.Start}
	if err := of.check(); err != nil {
		return err
	}
	if opts.Topic == "" {
		return errors.New("kafka: a follower needs a topic")
	}
	cl, err := opts.Config.NewClient(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()), kgo.MetadataMinAge(followRetryPause/4))
	if err != nil {
		return fmt.Errorf("open follower: %w", err)
	}
	defer cl.Close()
	f := &topicFollower{FollowOptions: opts, log: opts.Logger}
	if f.log == nil {
		f.log = slog.New(slog.DiscardHandler)
	}
	from, ok := f.plan(ctx, of, kadm.NewClient(cl))
	if !ok {
		return nil
	}
	cl.AddConsumePartitions(from)
	f.caughtUp()
	for ctx.Err() == nil {
		f.poll(ctx, cl, fn)
	}
	return nil
}

// topicFollower is the state of one Follow.
type topicFollower struct {
	FollowOptions
	log            *slog.Logger
	behind         map[partitionKey]int64 // partitions that have not reached their end as of the start, by that end
	caughtUpCalled bool                   // CaughtUp was called
	failureLogged  bool                   // a failure was logged since the last record
}

// plan looks up where to start, with retries; false when ctx ended first.
func (f *topicFollower) plan(ctx context.Context, of *ReaderOptions, admin *kadm.Client) (from map[string]map[int32]kgo.Offset, ok bool) {
	for {
		from, open, err := of.plan(ctx, admin)
		if err == nil && len(from[f.Topic]) == 0 {
			err = errors.New("the topic does not exist, or may not be described")
		}
		if err == nil {
			for p := range from[f.Topic] {
				if len(f.Partitions) > 0 && !slices.Contains(f.Partitions, p) {
					delete(from[f.Topic], p)
					delete(open, partitionKey{f.Topic, p})
				}
			}
			f.behind = open
			return from, true
		}
		if !f.retryAfterFailure(ctx, err) {
			return nil, false
		}
	}
}

func (f *topicFollower) poll(ctx context.Context, cl *kgo.Client, fn func(r *FetchedRecord)) {
	fetches := cl.PollFetches(ctx)
	if ctx.Err() != nil {
		return
	}
	for it := fetches.RecordIter(); !it.Done(); {
		rec := it.Next()
		f.failureLogged = false
		if !rec.Attrs.IsControl() {
			fn(rec)
		}
		key := partitionKey{rec.Topic, rec.Partition}
		if end, behind := f.behind[key]; behind && rec.Offset+1 >= end {
			delete(f.behind, key)
		}
	}
	f.caughtUp()
	for _, e := range fetches.Errors() {
		f.retryAfterFailure(ctx, fmt.Errorf("partition %d: %w", e.Partition, e.Err))
		return
	}
}

func (f *topicFollower) caughtUp() {
	if len(f.behind) == 0 && !f.caughtUpCalled {
		f.caughtUpCalled = true
		if f.CaughtUp != nil {
			f.CaughtUp()
		}
	}
}

// retryAfterFailure logs a failure and waits; false when ctx ended.
func (f *topicFollower) retryAfterFailure(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if !f.failureLogged {
		f.failureLogged = true
		f.log.WarnContext(ctx, "follow topic failed, retrying",
			slog.String("topic", f.Topic), slog.Any("error", err))
	}
	return retry.Sleep(ctx, followRetryPause) == nil
}
