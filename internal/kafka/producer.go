package kafka

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ErrTooLarge means that a record can never be written to its topic as it is.
var ErrTooLarge = errors.New("record too large")

// ErrClosed means that the producer was closed before the record was acknowledged.
var ErrClosed = errors.New("producer closed")

// Producer writes records, idempotently and acknowledged by all in-sync replicas. It retries until it is closed: a record
// fails only when the cluster refused it permanently or the producer was closed. It is safe for concurrent use.
type Producer struct {
	client  *kgo.Client
	pending atomic.Int64
	oldest  atomic.Int64 // start of pending without an acknowledgement, in nanoseconds after opened
	opened  time.Time    // monotonic: clock corrections do not make the producer unhealthy
}

// NewProducer opens a producer. It does not wait for the network: see Admin.Ping.
func NewProducer(cfg Config) (*Producer, error) {
	cl, err := cfg.NewClient(cfg.producerOptions()...)
	if err != nil {
		return nil, fmt.Errorf("open producer: %w", err)
	}
	return &Producer{client: cl, opened: time.Now()}, nil
}

func (c Config) producerOptions() []kgo.Opt {
	limits := c.Limits
	if limits == nil {
		limits = NewSizeLimits(c, nil)
	}
	return []kgo.Opt{
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.ProducerLinger(0),
		kgo.ProducerBatchMaxBytesFn(func(topic string) int32 { return int32(limits.batchBytes(topic)) }),
		kgo.ProducerBatchCompression(kgo.SnappyCompression(), kgo.NoCompression()),
		kgo.RecordPartitioner(newPartitioner()),
		kgo.MetadataMinAge(250 * time.Millisecond),
	}
}

// Produce writes m and calls done once with the result, from another goroutine; done must not block. Produce blocks only
// while the client's buffer is full. The slices of m belong to the producer until done is called.
//
// The error is ErrTooLarge, ErrClosed or what the cluster returned.
func (p *Producer) Produce(m Message, done func(error)) {
	if p.pending.Add(1) == 1 {
		p.oldest.Store(int64(time.Since(p.opened)))
	}
	r := m.Record()
	// The context of a record must never end: canceling an idempotent record in flight may leave it acknowledged but
	// unwritten.
	p.client.Produce(context.Background(), r, func(r *kgo.Record, err error) {
		if err == nil {
			p.oldest.Store(int64(time.Since(p.opened)))
		}
		p.pending.Add(-1)
		done(ProduceError(r.Topic, err))
	})
}

// ProduceSync writes the records and waits for all of them, or for ctx. When ctx ends first, the records may still be
// written later.
func (p *Producer) ProduceSync(ctx context.Context, ms ...Message) error {
	acks := make(chan error, len(ms))
	for _, m := range ms {
		p.Produce(m, func(err error) { acks <- err })
	}
	var errs []error
	for range ms {
		select {
		case err := <-acks:
			errs = append(errs, err)
		case <-ctx.Done():
			return fmt.Errorf("wait for acknowledgement: %w", ctx.Err())
		}
	}
	return errors.Join(errs...)
}

// Healthy reports whether the producer is idle or received an acknowledgement within the window.
func (p *Producer) Healthy(window time.Duration) bool {
	return p.pending.Load() == 0 || time.Since(p.opened)-time.Duration(p.oldest.Load()) <= window
}

// Close fails pending records with ErrClosed.
func (p *Producer) Close() { p.client.Close() }

// ProduceError returns the error of a record for the topic in this package's terms.
func ProduceError(topic string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, kerr.MessageTooLarge), errors.Is(err, kerr.RecordListTooLarge):
		return fmt.Errorf("produce to %s: %w: %w", topic, ErrTooLarge, err)
	case errors.Is(err, kgo.ErrClientClosed):
		return fmt.Errorf("produce to %s: %w", topic, ErrClosed)
	default:
		return fmt.Errorf("produce to %s: %w", topic, err)
	}
}

// newPartitioner uses the partition of the Message, or the hash of the key as every Kafka client computes it. A partition that does not
// exist fails the record.
func newPartitioner() kgo.Partitioner {
	byKey := kgo.StickyKeyPartitioner(nil).ForTopic("")
	return kgo.BasicConsistentPartitioner(func(string) func(*kgo.Record, int) int {
		return func(r *kgo.Record, n int) int {
			switch {
			case r.Partition >= 0:
				return int(r.Partition)
			case r.Key == nil:
				return rand.IntN(n)
			}
			return byKey.Partition(r, n)
		}
	})
}

// PartitionOf returns the partition, of n, of a record with the key and AnyPartition.
func PartitionOf(key []byte, n int) int32 {
	return int32(newPartitioner().ForTopic("").Partition(&kgo.Record{Key: key, Partition: AnyPartition}, n))
}
