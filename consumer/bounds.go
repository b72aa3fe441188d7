package consumer

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ListTimeout bounds one listing of offsets.
const listTimeout = 10 * time.Second

// LatestOffset is the client's value for the end of a partition.
const latestOffset = -1

// Bounds are the first offset, the next offset and the last stable offset of partitions.
type logBounds struct{ first, next, stable kadm.ListedOffsets }

// ListBounds lists the bounds of all partitions of the topics. Partitions of brokers that fail are missing.
func listBounds(ctx context.Context, cl *kgo.Client, topics []string) (b logBounds, err error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	admin := kadm.NewClient(cl)
	if b.first, err = acceptPartial(admin.ListStartOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list start offsets: %w", err)
	}
	if b.next, err = acceptPartial(admin.ListEndOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list end offsets: %w", err)
	}
	if b.stable, err = acceptPartial(admin.ListCommittedOffsets(ctx, topics...)); err != nil {
		return b, fmt.Errorf("list stable offsets: %w", err)
	}
	return b, nil
}

// acceptPartial drops the error of a listing to which at least one broker contributed.
func acceptPartial(listed kadm.ListedOffsets, err error) (kadm.ListedOffsets, error) {
	var shards *kadm.ShardErrors
	if errors.As(err, &shards) && !shards.AllFailed {
		return listed, nil
	}
	return listed, err
}

// Of returns the bounds of one partition; false when one of them is missing.
func (b logBounds) Of(id partitionID) (first, next, stable int64, ok bool) {
	f, ok1 := b.first.Lookup(id.Topic, id.Partition)
	n, ok2 := b.next.Lookup(id.Topic, id.Partition)
	s, ok3 := b.stable.Lookup(id.Topic, id.Partition)
	ok = ok1 && ok2 && ok3 && f.Err == nil && n.Err == nil && s.Err == nil
	return f.Offset, n.Offset, s.Offset, ok
}
