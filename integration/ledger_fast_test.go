package integration

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

const (
	deniedWindows = 4                      // half for flags, half for dead letters
	refusalHolds  = 300 * time.Millisecond // longer than the worker takes from one commit to the next
)

// TestLedger runs on an embedded broker: it covers faults of workers, not of brokers.
func TestLedger(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for name, once := range map[string]bool{"at_least_once": false, "exactly_once": true} {
		t.Run(name, func(t *testing.T) { runFast(t, once) })
	}
}

func runFast(t *testing.T, once bool) {
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{topicIn: 6, topicSampled: 1, topicIncidents: 3, topicDLQ: 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	refused := *kills / 2
	w := &brokerTier{
		name: "tier A (in-memory broker)", seeds: c.Seeds(), windows: refused + deniedWindows, session: session, once: once, copies: once,
		faults: [][]FaultCount{{
			{Kind: Kill, Count: *kills - refused, Slots: workers},
			{Kind: KillRefused, Count: refused, Slots: workers},
			{Kind: Zombie, Count: *zombies, Slots: workers},
			{Kind: Denied, Count: deniedWindows, Slots: len(outputTopics()), Each: true},
		}},
	}
	w.inflict = func(ctx context.Context, f *workerFleet, fault Fault, struck func()) error {
		switch fault.Kind {
		case KillRefused:
			return refuseWrites(ctx, c, kerr.NotEnoughReplicas, outputTopics(), func() error {
				sleepFor(ctx, refusalHolds)
				return w.signalWorker(ctx, f, fault, struck)
			})
		case Denied:
			return refuseWrites(ctx, c, kerr.TopicAuthorizationFailed, outputTopics()[fault.Slot:][:1], func() error {
				struck()
				sleepFor(ctx, refusalHolds)
				return nil
			})
		default:
			return w.signalWorker(ctx, f, fault, struck)
		}
	}
	w.run(t)
}

// outputTopics are the audited topics.
func outputTopics() []string { return []string{topicIncidents, topicDLQ} }

// refuseWrites fails every write to the topics until then returns; it calls then after the first failed write.
func refuseWrites(ctx context.Context, c *embedded.Cluster, with *kerr.Error, topics []string, then func() error) error {
	var faults []*kfake.FaultHandle
	for _, topic := range topics {
		f := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: topic, Err: with, Count: -1})
		defer f.Remove()
		faults = append(faults, f)
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	err := awaitTrue(ctx, fmt.Sprintf("a write fails with %s", with.Message), func() (bool, error) {
		return slices.ContainsFunc(faults, func(f *kfake.FaultHandle) bool { return f.Hits() > 0 }), nil
	})
	if err != nil {
		return err
	}
	return then()
}
