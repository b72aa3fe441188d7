package kafka

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// fetchOneBytes bounds what a broker returns around one record: at least a batch.
const fetchOneBytes = 64 << 10

// RecordPosition identifies a record.
type RecordPosition struct {
	Topic     string
	Partition int32
	Offset    int64
}

// FetchRecords fetches single records, in offset order within a partition. Records that expired or never existed are not
// delivered; ErrDenied means that a topic may not be read. fn keeps no reference to r; its error ends the fetching.
func FetchRecords(ctx context.Context, cfg Config, spots []RecordPosition, fn func(r *FetchedRecord) error) error {
	cfg.FetchMaxPartitionBytes = fetchOneBytes
	cl, err := cfg.NewClient(kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(),
		kgo.ConsumeResetOffset(kgo.NoResetOffset().AtStart()))
	if err != nil {
		return fmt.Errorf("open picker: %w", err)
	}
	defer cl.Close()
	p := &recordFetcher{client: cl, fn: fn}
	if err := p.plan(ctx, spots); err != nil {
		return fmt.Errorf("plan picking: %w", err)
	}
	from := make(map[string]map[int32]kgo.Offset)
	for key, offsets := range p.wanted {
		if from[key.topic] == nil {
			from[key.topic] = make(map[int32]kgo.Offset)
		}
		from[key.topic][key.partition] = kgo.NewOffset().At(offsets[0])
	}
	cl.AddConsumePartitions(from)
	for len(p.wanted) > 0 {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("pick: %w", ctx.Err())
		}
		for _, e := range fetches.Errors() {
			return fmt.Errorf("pick from topic %s partition %d: %w", e.Topic, e.Partition, wrapDenied(e.Err))
		}
		fetches.EachPartition(func(t kgo.FetchTopicPartition) {
			if err == nil {
				err = p.take(partitionKey{t.Topic, t.Partition}, t.Records)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// recordFetcher is the state of one FetchRecords.
type recordFetcher struct {
	client *kgo.Client
	fn     func(*FetchedRecord) error
	wanted map[partitionKey][]int64 // ascending
}

// plan keeps the positions that lie within the log.
func (p *recordFetcher) plan(ctx context.Context, spots []RecordPosition) error {
	var topics []string
	for _, s := range spots {
		topics = append(topics, s.Topic)
	}
	slices.Sort(topics)
	topics = slices.Compact(topics)
	p.wanted = make(map[partitionKey][]int64)
	if len(topics) == 0 {
		return nil
	}
	admin := kadm.NewClient(p.client)
	found, err := (&Admin{client: p.client}).describe(ctx, topics)
	if err != nil || len(found) == 0 {
		return err
	}
	topics = slices.Collect(maps.Keys(found))
	var all ReaderOptions
	first, err := all.offsets(admin.ListStartOffsets(ctx, topics...))
	if err != nil {
		return err
	}
	end, err := all.offsets(admin.ListCommittedOffsets(ctx, topics...))
	if err != nil {
		return err
	}
	for _, s := range spots {
		key := partitionKey{s.Topic, s.Partition}
		if last, there := end[key]; there && s.Offset >= first[key] && s.Offset < last {
			p.wanted[key] = append(p.wanted[key], s.Offset)
		}
	}
	for key, offsets := range p.wanted {
		slices.Sort(offsets)
		p.wanted[key] = slices.Compact(offsets)
	}
	return nil
}

// take delivers the wanted records and moves to the next wanted one.
func (p *recordFetcher) take(key partitionKey, records []*kgo.Record) error {
	wanted, open := p.wanted[key]
	if !open || len(records) == 0 {
		return nil
	}
	for _, rec := range records {
		for len(wanted) > 0 && wanted[0] < rec.Offset { // it does not exist
			wanted = wanted[1:]
		}
		if len(wanted) == 0 {
			break
		}
		if wanted[0] != rec.Offset || rec.Attrs.IsControl() {
			continue
		}
		wanted = wanted[1:]
		if err := p.fn(rec); err != nil {
			return err
		}
	}
	if len(wanted) == 0 {
		delete(p.wanted, key)
		p.client.RemoveConsumePartitions(map[string][]int32{key.topic: {key.partition}})
		return nil
	}
	p.wanted[key] = wanted
	if last := records[len(records)-1].Offset; wanted[0] > last+1 {
		p.client.SetOffsets(map[string]map[int32]kgo.EpochOffset{key.topic: {key.partition: {Epoch: -1, Offset: wanted[0]}}})
	}
	return nil
}
