package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrStop ends a Read without an error.
var ErrStop = errors.New("stop reading")

// FetchedRecord is a record that was read.
type FetchedRecord = kgo.Record

// ReaderOptions configure Read.
type ReaderOptions struct {
	Config     Config
	Topics     []string
	Partitions []int32  // of each topic; empty: all
	Start      Position // where to start
	// Ranges, sorted by topic, limit reading to these offsets, of which those that the log still has are read. Start and Partitions have no
	// effect with them, and reading ends behind the last one.
	Ranges []Range
	// StopAtEnd ends reading at the end offsets as of the start.
	StopAtEnd bool
	// FetchBytes bounds one fetch; 0 is the client's limit.
	FetchBytes int32
}

// Range are the offsets of a partition from First to End, without End.
type Range struct {
	Topic      string
	Partition  int32
	First, End int64
}

// Position is where reading starts. The zero value is the start of every partition.
type Position struct {
	Kind   PositionKind
	Offset int64     // of PositionOffset: in every partition; of PositionLast: how many records before the end
	Time   time.Time // of PositionTime: the first record that is not older
}

// PositionKind is how a Position is given.
type PositionKind int

// The kinds of a Position.
const (
	PositionStart PositionKind = iota
	PositionEnd
	PositionOffset
	PositionLast
	PositionTime
)

// offsetIn returns the offset at which to start in a partition with the offsets first to last; after is the first offset
// that is not older than Time.
func (p Position) offsetIn(first, last, after int64) int64 {
	switch p.Kind {
	case PositionStart:
		return first
	case PositionOffset:
		return min(max(p.Offset, first), last)
	case PositionLast:
		return max(last-p.Offset, first)
	case PositionTime:
		return after
	case PositionEnd:
	}
	return last
}

// check completes the options, or says what is wrong with them.
func (o *ReaderOptions) check() error {
	if err := o.Config.Validate(); err != nil {
		return err
	}
	if len(o.Ranges) > 0 {
		o.Topics, o.StopAtEnd = nil, true
		for _, r := range o.Ranges {
			o.Topics = append(o.Topics, r.Topic)
		}
		o.Topics = slices.Compact(o.Topics)
	}
	if len(o.Topics) == 0 {
		return errors.New("kafka: a reader needs a topic")
	}
	return nil
}

// Read calls fn for every committed record of topics, without a consumer group and in offset order within a partition, until fn
// returns an error, ctx ends or, with StopAtEnd, everything is read. ErrStop from fn ends it without an error. fn keeps no reference
// to r.
func Read(ctx context.Context, o ReaderOptions, fn func(r *FetchedRecord) error) error {
	if err := o.check(); err != nil {
		return err
	}
	cl, err := o.newClient()
	if err != nil {
		return fmt.Errorf("open reader: %w", err)
	}
	defer cl.Close()
	from, open, err := o.plan(ctx, kadm.NewClient(cl))
	if err != nil {
		return fmt.Errorf("plan reading: %w", wrapDenied(err))
	}
	if len(o.Partitions) > 0 && len(from) == 0 {
		return fmt.Errorf("the partition does not exist: give %s as many partitions as the topic it belongs to", o.Topics[0])
	}
	if o.StopAtEnd && len(open) == 0 {
		return nil
	}
	cl.AddConsumePartitions(from)
	return o.readAll(ctx, cl, open, fn)
}

func (o *ReaderOptions) newClient() (*kgo.Client, error) {
	opts := []kgo.Opt{
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.ConsumeResetOffset(kgo.NoResetOffset().AtStart()),
	}
	if o.FetchBytes > 0 {
		opts = append(opts, kgo.FetchMaxBytes(o.FetchBytes), kgo.FetchMaxPartitionBytes(o.FetchBytes))
	}
	return o.Config.NewClient(opts...)
}

// readAll polls until everything is delivered.
func (o *ReaderOptions) readAll(ctx context.Context, cl *kgo.Client, open map[partitionKey]int64, fn func(*FetchedRecord) error) error {
	for {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("read: %w", ctx.Err())
		}
		for _, e := range fetches.Errors() {
			return fmt.Errorf("read topic %s partition %d: %w", e.Topic, e.Partition, wrapDenied(e.Err))
		}
		if done, err := o.deliver(fetches, open, fn); done || err != nil {
			return err
		}
	}
}

// deliver passes fetched records to fn, up to the ends in open, and removes partitions from open that reached their end.
func (o *ReaderOptions) deliver(fetches kgo.Fetches, open map[partitionKey]int64, fn func(*FetchedRecord) error) (done bool, err error) {
	for it := fetches.RecordIter(); !it.Done(); {
		rec := it.Next()
		key := partitionKey{rec.Topic, rec.Partition}
		end, bounded := open[key]
		if o.StopAtEnd && !bounded {
			continue // written after the end was looked up
		}
		if !rec.Attrs.IsControl() && (!o.StopAtEnd || rec.Offset < end) {
			err := fn(rec)
			if errors.Is(err, ErrStop) {
				return true, nil
			}
			if err != nil {
				return true, err
			}
		}
		if o.StopAtEnd && rec.Offset+1 >= end {
			delete(open, key)
		}
	}
	return o.StopAtEnd && len(open) == 0, nil
}

type partitionKey struct {
	topic     string
	partition int32
}

// plan returns the offset at which each partition starts, and the ends of those that hold records after it.
func (o *ReaderOptions) plan(ctx context.Context, admin *kadm.Client) (map[string]map[int32]kgo.Offset, map[partitionKey]int64, error) {
	first, err := o.offsets(admin.ListStartOffsets(ctx, o.Topics...))
	if err != nil {
		return nil, nil, err
	}
	end, err := o.offsets(admin.ListEndOffsets(ctx, o.Topics...))
	if err != nil {
		return nil, nil, err
	}
	after := first
	if o.Start.Kind == PositionTime {
		if after, err = o.offsets(admin.ListOffsetsAfterMilli(ctx, o.Start.Time.UnixMilli(), o.Topics...)); err != nil {
			return nil, nil, err
		}
	}
	from := make(map[string]map[int32]kgo.Offset)
	open := make(map[partitionKey]int64)
	for key, last := range end {
		at := o.Start.offsetIn(first[key], last, after[key])
		if i := slices.IndexFunc(o.Ranges, key.isOf); i >= 0 {
			if at, last = max(o.Ranges[i].First, first[key]), min(o.Ranges[i].End, last); at >= last {
				continue
			}
		}
		if from[key.topic] == nil {
			from[key.topic] = make(map[int32]kgo.Offset)
		}
		from[key.topic][key.partition] = kgo.NewOffset().At(at)
		if at < last {
			open[key] = last
		}
	}
	return from, open, nil
}

func (k partitionKey) isOf(r Range) bool { return k == partitionKey{r.Topic, r.Partition} }

// wants reports whether a partition is read.
func (o *ReaderOptions) wants(k partitionKey) bool {
	if len(o.Ranges) > 0 {
		return slices.ContainsFunc(o.Ranges, k.isOf)
	}
	return len(o.Partitions) == 0 || slices.Contains(o.Partitions, k.partition)
}

// offsets unpacks the listed offsets of the partitions that are read; an error when one of them is missing.
func (o *ReaderOptions) offsets(listed kadm.ListedOffsets, err error) (map[partitionKey]int64, error) {
	out := make(map[partitionKey]int64)
	listed.Each(func(l kadm.ListedOffset) {
		key := partitionKey{l.Topic, l.Partition}
		if l.Partition >= 0 && !o.wants(key) { // a topic that is not there has the partition -1
			return
		}
		err = cmp.Or(err, l.Err)
		out[key] = l.Offset
	})
	if err != nil {
		return nil, fmt.Errorf("list offsets: %w", err)
	}
	return out, nil
}
