package consumer

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// OnOffsetsFetched reads the owner notes in the metadata of the committed offsets. It is for kgo.OnOffsetsFetched.
func (f *finder) OnOffsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for i := range t.Partitions {
				if metadata := t.Partitions[i].Metadata; metadata != nil {
					f.takeOver(partitionID{Topic: t.Topic, Partition: t.Partitions[i].Partition}, *metadata, t.Partitions[i].Offset)
				}
			}
		}
	}
	return nil
}

func (f *finder) takeOver(id partitionID, metadata string, committed int64) {
	if p := f.opts.Lookup(id); p != nil && p.TakeOver(metadata, committed) {
		f.opts.Metrics.CountUnclean()
		f.opts.Logger.Warn("previous owner of the partition crashed, processing its records in small batches",
			slog.String("topic", id.Topic), slog.Int("partition", int(id.Partition)))
	}
}
