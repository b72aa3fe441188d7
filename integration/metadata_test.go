//go:build integration

package integration

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Await calls done until it reports true or ctx ends: then the error has what was waited for and the last error of done.
func Await(ctx context.Context, what string, done func(context.Context) (bool, error)) error {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, last := done(ctx)
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait until %s: %w", what, errors.Join(context.Cause(ctx), last))
		case <-tick.C:
		}
	}
}

// AwaitISR returns when, according to broker seen, every partition of the topic has n replicas in sync.
func (c *Cluster) AwaitISR(ctx context.Context, seen int, topic string, n int) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	return Await(ctx, fmt.Sprintf("%s has %d replicas in sync", topic, n), func(ctx context.Context) (bool, error) {
		meta, err := askMetadata(ctx, c.Seeds()[seen], topic)
		if err != nil {
			return false, err
		}
		ok := len(meta.Topics) == 1 && len(meta.Topics[0].Partitions) > 0
		for _, t := range meta.Topics {
			for _, p := range t.Partitions {
				ok = ok && len(p.ISR) == n
			}
		}
		return ok, nil
	})
}

func (c *Cluster) awaitReady(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	seeds := c.Seeds()
	for i, seed := range seeds {
		err := Await(ctx, brokerAlias(i)+" lists every broker", func(ctx context.Context) (bool, error) {
			meta, err := askMetadata(ctx, seed)
			if err != nil {
				return false, err
			}
			return len(meta.Brokers) == len(seeds), fmt.Errorf("%d brokers", len(meta.Brokers))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// askMetadata asks that broker, with a new client: a shared one may answer from its cache, which hides readiness and
// changes of the in-sync set.
func askMetadata(ctx context.Context, seed string, topics ...string) (*kmsg.MetadataResponse, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	cl, err := kgo.NewClient(kgo.SeedBrokers(seed))
	if err != nil {
		return nil, fmt.Errorf("client: %w", err)
	}
	defer cl.Close()
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = []kmsg.MetadataRequestTopic{} // none; nil means all
	for _, topic := range topics {
		t := kmsg.NewMetadataRequestTopic()
		t.Topic = new(topic)
		req.Topics = append(req.Topics, t)
	}
	resp, err := cl.SeedBrokers()[0].RetriableRequest(ctx, req)
	if err != nil {
		return nil, fmt.Errorf("metadata of %s: %w", seed, err)
	}
	meta, ok := resp.(*kmsg.MetadataResponse)
	if !ok {
		return nil, fmt.Errorf("metadata of %s: unexpected %T", seed, resp)
	}
	return meta, nil
}

// ReadTopic reads the committed records of a topic up to its current end.
func (c *Cluster) ReadTopic(ctx context.Context, topic string) ([]Record, error) {
	return ReadRecords(ctx, c.Seeds(), topic)
}

// KcatRead does what ReadTopic does, with kcat; ErrNoKcat when it is not installed.
func (c *Cluster) KcatRead(ctx context.Context, topic string) ([]Record, error) {
	return ReadWithKcat(ctx, c.Seeds(), topic)
}

// Length returns how many records were ever written to the topic, including transaction markers.
func (c *Cluster) Length(ctx context.Context, topic string) (n int64, err error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	if err != nil {
		return 0, fmt.Errorf("client: %w", err)
	}
	defer cl.Close()
	ends, err := EndOffsets(ctx, cl, topic)
	for _, end := range ends {
		n += end
	}
	return n, err
}

// Lag returns how many records of the topic the group has not committed. It uses a new client, whose cache is empty.
func (c *Cluster) Lag(ctx context.Context, group, topic string) (int64, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	if err != nil {
		return 0, fmt.Errorf("client: %w", err)
	}
	defer cl.Close()
	return GroupLag(ctx, cl, group, topic)
}

// AwaitCaughtUp returns when the group has committed every record that the topic holds. Results are checked after it: a
// quiet topic alone does not show that processing has ended.
func (c *Cluster) AwaitCaughtUp(ctx context.Context, group, topic string) error {
	return Await(ctx, group+" has no lag on "+topic, func(ctx context.Context) (bool, error) {
		ask, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		lag, err := c.Lag(ask, group, topic)
		if err != nil {
			return false, err
		}
		return lag == 0, fmt.Errorf("lag %d", lag)
	})
}
