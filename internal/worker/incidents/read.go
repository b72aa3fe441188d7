package incidents

import (
	"context"
	"errors"
	"fmt"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// EachFlag calls fn with every flag of the topic from the start on. Records that are not flags are counted as unreadable.
func EachFlag(ctx context.Context, o *FindOptions, start kafka.Position, fn func(f *schemas.Flag) error) (unreadable int, err error) {
	return o.readFlags(ctx, kafka.ReaderOptions{Start: start}, nil, fn)
}

// readFlags is EachFlag for the partitions and the start of the reader's options, and for wanted keys only, unless it is nil.
func (o *FindOptions) readFlags(ctx context.Context, of kafka.ReaderOptions, wanted func(key []byte) bool, fn func(f *schemas.Flag) error) (unreadable int, err error) {
	of.Config, of.Topics, of.StopAtEnd = o.Kafka, []string{o.Topic}, true
	read := 0
	err = kafka.Read(ctx, of, func(r *kafka.FetchedRecord) error {
		if read++; o.Progress != nil {
			o.Progress(read)
		}
		if wanted != nil && !wanted(r.Key) {
			return nil
		}
		f := new(schemas.Flag)
		err := o.Decode(ctx, r.Value, f)
		if _, poison := errors.AsType[*consumer.PoisonError](err); poison || err == nil && f.IncidentID == "" {
			unreadable++
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s partition %d offset %d cannot be read as a flag: %w", r.Topic, r.Partition, r.Offset, err)
		}
		return fn(f)
	})
	return unreadable, err
}

// EachLabel calls fn with every label of the topic. Records that are not labels are counted as unreadable.
func EachLabel(ctx context.Context, cfg kafka.Config, topic string, fn func(l *schemas.Feedback)) (unreadable int, err error) {
	err = kafka.Read(ctx, kafka.ReaderOptions{Config: cfg, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		l := new(schemas.Feedback)
		if err := json.DecodeFeedback(r.Value, l); err != nil || l.IncidentID == "" {
			unreadable++
			return nil //nolint:nilerr // it is counted
		}
		fn(l)
		return nil
	})
	return unreadable, err
}
