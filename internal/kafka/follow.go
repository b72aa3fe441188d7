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
)

// followRetryPause is the least time between two attempts to read what cannot be read.
const followRetryPause = time.Second

// FollowOptions say what to follow.
type FollowOptions struct {
	Config     Config
	Topic      string
	Partitions []int32  // empty: all that exist at the start
	Start      Position // where to start
	// CaughtUp is called once, from the same goroutine as the records, when everything is delivered that was there at the
	// start. It may be nil.
	CaughtUp func()
	Logger   *slog.Logger // nil discards
}

// Follow reads a topic without a group, committed records only, in offset order within a partition, and goes on until
// ctx ends, whatever the brokers do meanwhile. What cannot be read is logged once a spell and tried again. A record that
// was deleted before it could be read is passed over, and after such a loss records may be delivered again, so fn must
// bear repeats. fn keeps no reference to r.
func Follow(ctx context.Context, opts FollowOptions, fn func(r *FetchedRecord)) error {
	reader, err := NewReader(ReaderOptions{Config: opts.Config, Topics: []string{opts.Topic}, Start: opts.Start})
	if err != nil {
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
	from, ok := f.plan(ctx, reader, kadm.NewClient(cl))
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

// topicFollower is one Follow under way.
type topicFollower struct {
	FollowOptions
	log            *slog.Logger
	behind         map[partitionKey]int64 // partitions that have not reached the end that they had at the start
	caughtUpCalled bool                   // CaughtUp was called
	failureLogged  bool                   // a failure was logged since the last record
}

// plan finds out where to start, for as long as that takes. Not ok when ctx ended first.
func (f *topicFollower) plan(ctx context.Context, reader *Reader, admin *kadm.Client) (from map[string]map[int32]kgo.Offset, ok bool) {
	for {
		from, open, err := reader.plan(ctx, admin)
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
			fn(&FetchedRecord{
				Topic: rec.Topic, Partition: rec.Partition, Offset: rec.Offset, Key: rec.Key, Value: rec.Value,
				Headers: rec.Headers, Timestamp: rec.Timestamp,
			})
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

// retryAfterFailure notes a failure and waits a little; false when ctx ended.
func (f *topicFollower) retryAfterFailure(ctx context.Context, err error) bool {
	if ctx.Err() != nil {
		return false
	}
	if !f.failureLogged {
		f.failureLogged = true
		f.log.WarnContext(ctx, "follow topic failed, retrying",
			slog.String("topic", f.Topic), slog.Any("error", err))
	}
	timer := time.NewTimer(followRetryPause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
