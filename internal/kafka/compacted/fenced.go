// Package compacted keeps state in compacted topics. A [Table] holds the last value per key of the partitions it has
// read; a [FencedLog] gives each partition one writer, and an earlier owner can no longer write.
package compacted

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
)

const (
	// transactionTimeout is how long a transaction of a dead owner may stay open. The next owner ends it at once; only
	// other readers may wait that long.
	transactionTimeout = 15 * time.Second
	// fencedTimeout bounds an owner's waits for the cluster, in addition to its caller's context.
	fencedTimeout = 30 * time.Second
)

// ErrFenced means that another owner took the partition over.
var ErrFenced = errors.New("another owner has taken the partition over")

// FencedLog is a compacted topic whose partitions have at most one owner each: the latest. An earlier owner that has not
// noticed the loss, for example a suspended process, can no longer write: writes are transactions under an id of the
// partition, and the cluster refuses all but the latest holder of such an id (KIP-98, KIP-360). It is safe for concurrent
// use.
type FencedLog struct {
	Config kafka.Config
	Topic  string // compacted
}

// FencedID returns the transactional id of a partition's owner. ACLs must allow WRITE and DESCRIBE on it.
func FencedID(topic string, partition int32) string {
	return FencedPrefix(topic) + strconv.Itoa(int(partition))
}

// FencedPrefix returns the prefix of the transactional ids of a topic's partitions.
func FencedPrefix(topic string) string { return "confab-" + topic + "-" }

// Own takes over partition p and reads it: when it returns, earlier owners can no longer write, and what they wrote is
// known. Close the partition after use.
func (l FencedLog) Own(ctx context.Context, p int32) (*FencedPartition, error) {
	ctx, cancel := context.WithTimeout(ctx, fencedTimeout)
	defer cancel()
	id := FencedID(l.Topic, p)
	cl, err := l.Config.NewClient(
		kgo.TransactionalID(id),
		kgo.TransactionTimeout(transactionTimeout),
		kgo.RequiredAcks(kgo.AllISRAcks()),
		kgo.RecordPartitioner(kgo.ManualPartitioner()),
		kgo.ProducerLinger(0),
		kgo.MetadataMinAge(250*time.Millisecond),
	)
	if err != nil {
		return nil, fmt.Errorf("open fenced producer: %w", err)
	}
	part := &FencedPartition{client: cl, topic: l.Topic, number: p, last: make(map[string][]byte)}
	// The order matters: fence earlier owners first, then read.
	if _, _, err = cl.ProducerID(ctx); err == nil {
		err = replayPartition(ctx, l.Config, l.Topic, p, part.apply)
	}
	if err != nil {
		cl.Close()
		return nil, part.wrap("take over", err)
	}
	return part, nil
}

// FencedPartition is one partition of a FencedLog, owned until Close or until another owner takes it over. It is safe for
// concurrent use.
type FencedPartition struct {
	client *kgo.Client
	topic  string
	number int32
	last   map[string][]byte // values at the takeover

	mu         sync.Mutex
	topicKnown bool  // the client knows the topic, see awaitTopicKnown
	closedErr  error // set when nothing can be written any more
}

// Last returns the last value by key at the takeover; read-only. Deleted keys are missing.
func (p *FencedPartition) Last() map[string][]byte { return p.last }

// Append writes the values by key, all or none, and returns once they are durable; nil deletes a key. After an error the
// partition is closed: only the next owner knows whether the values were written.
func (p *FencedPartition) Append(ctx context.Context, values map[string][]byte) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closedErr != nil {
		return p.closedErr
	}
	ctx, cancel := context.WithTimeout(ctx, fencedTimeout)
	defer cancel()
	if err := p.transact(ctx, values); err != nil {
		p.closedErr = p.wrap("write", err)
		p.client.Close()
	}
	return p.closedErr
}

// Close gives the partition up without a request to the cluster: the next owner does not need one.
func (p *FencedPartition) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closedErr == nil {
		p.closedErr = p.wrap("write", kafka.ErrClosed)
		p.client.Close()
	}
}

// transact writes the values in one transaction. It never aborts a failed one: the client's recovery would take the id
// back from a rightful owner.
func (p *FencedPartition) transact(ctx context.Context, values map[string][]byte) error {
	if err := p.client.BeginTransaction(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	acks := make(chan error, len(values))
	for _, key := range slices.Sorted(maps.Keys(values)) {
		r := &kgo.Record{Topic: p.topic, Partition: p.number, Key: []byte(key), Value: values[key]}
		// The record's context must not end: see Producer.Produce.
		p.client.Produce(context.WithoutCancel(ctx), r, func(_ *kgo.Record, err error) { acks <- err })
	}
	for range values {
		select {
		case err := <-acks:
			if err != nil {
				return fmt.Errorf("produce: %w", err)
			}
		case <-ctx.Done():
			return fmt.Errorf("wait for acknowledgement: %w", ctx.Err())
		}
	}
	if err := p.awaitTopicKnown(ctx); err != nil {
		return err
	}
	if err := p.client.EndTransaction(ctx, kgo.TryCommit); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	return nil
}

// awaitTopicKnown waits until the client knows the topic that it has written to: until then a commit may be an abort that
// returns no error. docs/upstream.md has the fault and why this call waits.
func (p *FencedPartition) awaitTopicKnown(ctx context.Context) error {
	if p.topicKnown {
		return nil
	}
	if err := p.client.AbortBufferedRecords(ctx); err != nil {
		return fmt.Errorf("wait for topic metadata: %w", err)
	}
	p.topicKnown = true
	return nil
}

func (p *FencedPartition) apply(key string, value []byte) {
	if value == nil {
		delete(p.last, key)
		return
	}
	p.last[key] = value
}

func (p *FencedPartition) wrap(doing string, err error) error {
	// An invalid state means that another producer ended the transaction.
	for _, fenced := range []error{kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.InvalidTxnState} {
		if errors.Is(err, fenced) {
			err = fmt.Errorf("%w: %w", ErrFenced, err)
			break
		}
	}
	if errors.Is(err, kerr.TransactionalIDAuthorizationFailed) {
		err = fmt.Errorf("allow WRITE and DESCRIBE on the transactional id %s: %w", FencedID(p.topic, p.number), err)
	}
	return fmt.Errorf("%s %s partition %d: %w", doing, p.topic, p.number, err)
}
