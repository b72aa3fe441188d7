package kafka

import (
	"context"
	"errors"

	"github.com/twmb/franz-go/pkg/kerr"
)

// fetchOneBytes bounds what a broker returns around one record: at least a batch.
const fetchOneBytes = 64 << 10

// RecordPosition identifies a record.
type RecordPosition struct {
	Topic     string
	Partition int32
	Offset    int64
}

// FetchRecord fetches one record. One that expired or never existed is not delivered; ErrDenied means that the topic may not be
// read. fn keeps no reference to r.
func FetchRecord(ctx context.Context, cfg Config, at RecordPosition, fn func(r *FetchedRecord) error) error {
	err := Read(ctx, ReaderOptions{
		Config: cfg, Ranges: []Range{{at.Topic, at.Partition, at.Offset, at.Offset + 1}}, FetchBytes: fetchOneBytes,
	}, fn)
	if errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil
	}
	return err
}
