//go:build integration

package integration

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

const (
	brokerGone = 3 * time.Second // longer than the controller takes to detect it
	brokerCut  = 10 * time.Second
	linkFails  = 8 * time.Second
)

func TestRealCrashSuspects(t *testing.T) {
	c, _ := startCluster(t)
	w := &brokerTier{name: tierB, seeds: c.Seeds(), session: 6 * time.Second}
	w.runCrashes(t)
}

const tierB = "tier B (three Apache Kafka brokers)"

// startCluster starts three brokers with the audited topics.
func startCluster(t *testing.T) (*Cluster, *kadm.Client) {
	t.Helper()
	c, admin := startBrokers(t, ClusterOptions{})
	for topic, partitions := range map[string]int32{topicIn: 6, topicSampled: 1, topicIncidents: 3, topicDLQ: 1} {
		resp, err := admin.CreateTopics(t.Context(), partitions, 3, nil, topic)
		require.NoError(t, err)
		require.NoError(t, resp.Error())
	}
	return c, admin
}

func startBrokers(t *testing.T, o ClusterOptions) (*Cluster, *kadm.Client) {
	t.Helper()
	RequireEngine(t)
	require.NoError(t, SweepStale(t.Context()))
	c, err := StartCluster(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(context.Background())) })
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	return c, kadm.NewClient(cl)
}

// realBrokers are a cluster with fault injection.
type realBrokers struct {
	*Cluster
	admin *kadm.Client
}

// inflict applies a fault of a broker or of its network. It returns when all replicas are in sync again, since two at once
// are another test.
func (r *realBrokers) inflict(ctx context.Context, fault Fault, struck func()) error {
	broker := fault.Slot
	if fault.Kind == FullDisk {
		broker = 2
	}
	outages := map[FaultKind]outage{
		KillBroker:  {brokerGone, r.on(broker, r.Kill), r.on(broker, r.Start)},
		CutBroker:   {brokerCut, r.on(broker, r.Disconnect), r.on(broker, r.Reconnect)},
		PauseBroker: {linkFails, r.on(broker, r.Pause), r.on(broker, r.Unpause)},
		FullDisk:    {brokerGone, r.FillDisk, r.FreeDisk},
	}
	struck()
	if fault.Kind == MoveLeader {
		return r.moveLeader(ctx, int32(fault.Slot))
	}
	o, ofBroker := outages[fault.Kind]
	if !ofBroker {
		link := r.Link(broker)
		o = outage{linkFails, map[FaultKind]func(context.Context) error{
			CutLink: link.Cut, MuteLink: link.Mute, SlowLink: link.Slow, SliceLink: link.Slice,
		}[fault.Kind], link.Restore}
	}
	if err := o.harm(ctx); err != nil {
		return err
	}
	sleepFor(ctx, o.lasts)
	if err := o.fix(ctx); err != nil {
		return err
	}
	for _, topic := range []string{topicIn, topicIncidents, topicDLQ} {
		if err := r.AwaitISR(ctx, (broker+1)%3, topic, 3); err != nil {
			return err
		}
	}
	return nil
}

// outage is a fault that lasts.
type outage struct {
	lasts     time.Duration
	harm, fix func(context.Context) error
}

func (r *realBrokers) on(broker int, do func(context.Context, int) error) func(context.Context) error {
	return func(ctx context.Context) error { return do(ctx, broker) }
}

// moveLeader makes another replica the preferred leader of an input partition, and elects it. It repeats requests that fail:
// a broker may have been restarted a moment ago.
func (r *realBrokers) moveLeader(ctx context.Context, partition int32) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var order []int32
	err := Await(ctx, "the partition has another preferred leader", func(ctx context.Context) (bool, error) {
		before, err := r.leader(ctx, partition)
		if err != nil {
			return false, err
		}
		order = slices.Clone(before.Replicas)
		if order[0] == before.Leader {
			order = append(order[1:], order[0])
		}
		var req kadm.AlterPartitionAssignmentsReq
		req.Assign(topicIn, partition, order)
		resp, err := r.admin.AlterPartitionAssignments(ctx, req)
		err = errors.Join(err, resp.Error())
		return err == nil, err
	})
	if err != nil {
		return err
	}
	var set kadm.TopicsSet
	set.Add(topicIn, partition)
	return Await(ctx, "the partition has another leader", func(ctx context.Context) (bool, error) {
		if _, err := r.admin.ElectLeaders(ctx, kadm.ElectPreferredReplica, set); err != nil {
			return false, err
		}
		now, err := r.leader(ctx, partition)
		return err == nil && now.Leader == order[0], err
	})
}

func (r *realBrokers) leader(ctx context.Context, partition int32) (kadm.PartitionDetail, error) {
	topics, err := r.admin.ListTopics(ctx, topicIn)
	if err == nil {
		err = topics.Error()
	}
	return topics[topicIn].Partitions[partition], err
}
