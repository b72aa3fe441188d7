//go:build integration

package ledger

import (
	"context"
	"errors"
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/integration"
)

var brokerKills = flag.Int("ledger.broker_kills", 3, "SIGKILLs of brokers, each in turn")

const (
	brokerGone = 3 * time.Second // longer than the controller takes to detect it
	brokerCut  = 10 * time.Second
)

// TestRealLedger runs on three real brokers, each of which is killed.
func TestRealLedger(t *testing.T) { runReal(t, false) }

// TestRealLedgerOnce is TestRealLedger with exactly_once.
func TestRealLedgerOnce(t *testing.T) { runReal(t, true) }

func runReal(t *testing.T, once bool) {
	c, admin := startCluster(t)
	versions, err := admin.ApiVersions(t.Context())
	require.NoError(t, err)
	kafka := versions[1]
	r := &realBrokers{Cluster: c, admin: admin}
	w := &brokerTier{
		name: tierB, broker: "Kafka " + kafka.VersionGuess(), seeds: c.Seeds(), windows: *brokerKills + 1, session: 10 * time.Second, once: once, copies: once, inflict: r.inflict,
		faults: []FaultCount{
			{Kind: Kill, Count: *kills / 2, Slots: workers},
			{Kind: KillBroker, Count: *brokerKills, Slots: 3, Each: true},
			{Kind: CutBroker, Count: 1, Slots: 3},
			{Kind: MoveLeader, Count: 1, Slots: 6},
		},
	}
	w.run(t)
}

// TestRealCrashSuspects is TestCrashSuspects on three real brokers.
func TestRealCrashSuspects(t *testing.T) {
	c, _ := startCluster(t)
	w := &brokerTier{name: tierB, seeds: c.Seeds(), session: 6 * time.Second}
	w.runCrashes(t)
}

const tierB = "tier B (three Apache Kafka brokers)"

// startCluster starts three brokers with the topics.
func startCluster(t *testing.T) (*integration.Cluster, *kadm.Client) {
	t.Helper()
	integration.RequireEngine(t)
	t.Chdir("..") // where the image's script is
	require.NoError(t, integration.SweepStale(t.Context()))
	c, err := integration.StartCluster(t.Context(), integration.ClusterOptions{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Close(context.Background())) })
	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Seeds()...))
	require.NoError(t, err)
	t.Cleanup(cl.Close)
	admin := kadm.NewClient(cl)
	for topic, partitions := range map[string]int32{topicIn: 6, topicSampled: 1, topicIncidents: 3, topicDLQ: 1} {
		resp, err := admin.CreateTopics(t.Context(), partitions, 3, nil, topic)
		require.NoError(t, err)
		require.NoError(t, resp.Error())
	}
	return c, admin
}

// realBrokers are a cluster with fault injection.
type realBrokers struct {
	*integration.Cluster
	admin *kadm.Client
}

func (r *realBrokers) inflict(ctx context.Context, f *workerFleet, fault Fault, struck func()) error {
	switch fault.Kind {
	case KillBroker:
		return r.without(ctx, fault.Slot, struck, brokerOutage{brokerGone, r.Kill, r.Start})
	case CutBroker:
		return r.without(ctx, fault.Slot, struck, brokerOutage{brokerCut, r.Disconnect, r.Reconnect})
	case MoveLeader:
		struck()
		return r.moveLeader(ctx, int32(fault.Slot))
	default:
		return signalWorker(ctx, f, fault, struck)
	}
}

// brokerOutage is a broker's absence.
type brokerOutage struct {
	lasts     time.Duration
	harm, fix func(context.Context, int) error
}

// without removes a broker for a while and returns when it has caught up, since two at once are another test.
func (r *realBrokers) without(ctx context.Context, broker int, struck func(), o brokerOutage) error {
	struck()
	if err := o.harm(ctx, broker); err != nil {
		return err
	}
	sleepFor(ctx, o.lasts)
	if err := o.fix(ctx, broker); err != nil {
		return err
	}
	for _, topic := range []string{topicIn, topicIncidents, topicDLQ} {
		if err := r.AwaitISR(ctx, (broker+1)%3, topic, 3); err != nil {
			return err
		}
	}
	return nil
}

// moveLeader makes another replica the preferred leader of an input partition, and elects it. It repeats requests that fail:
// a broker may have been restarted a moment ago.
func (r *realBrokers) moveLeader(ctx context.Context, partition int32) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	var order []int32
	err := integration.Await(ctx, "the partition has another preferred leader", func(ctx context.Context) (bool, error) {
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
	return integration.Await(ctx, "the partition has another leader", func(ctx context.Context) (bool, error) {
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
