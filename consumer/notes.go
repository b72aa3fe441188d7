package consumer

import (
	"context"
	"log/slog"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// OnOffsetsFetched reads the owner notes in the metadata of the committed offsets. It is for kgo.OnOffsetsFetched.
func (m *member[T, P]) OnOffsetsFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for i := range t.Partitions {
				if metadata := t.Partitions[i].Metadata; metadata != nil {
					m.takeOver(partitionID{Topic: t.Topic, Partition: t.Partitions[i].Partition}, *metadata, t.Partitions[i].Offset)
				}
			}
		}
	}
	return nil
}

func (m *member[T, P]) takeOver(id partitionID, metadata string, committed int64) {
	if p := m.owned.FindPartition(id); p != nil && p.TakeOver(metadata, committed) {
		m.metrics.Unclean.WithLabelValues().Inc()
		m.opts.Logger.Warn("previous owner of the partition crashed, processing its records in small batches",
			slog.String("topic", id.Topic), slog.Int("partition", int(id.Partition)))
	}
}
