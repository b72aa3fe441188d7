package kafka

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
	"confab/internal/logtest"
)

func newAdmin(t testing.TB, c *embedded.Cluster) *Admin {
	t.Helper()
	a, err := NewAdmin(Config{SeedBrokers: c.Seeds()})
	require.NoError(t, err)
	t.Cleanup(a.Close)
	return a
}

func TestAdminAnswers(t *testing.T) {
	c, err := embedded.Start(embedded.Options{
		Brokers: 3, Topics: map[string]int32{"a": 4, "b": 1}, Extra: []kfake.Opt{kfake.ClusterID("the-cluster")},
	})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	a := newAdmin(t, c)
	require.NoError(t, a.Ping(t.Context()))
	id, err := a.ClusterID(t.Context())
	require.NoError(t, err)
	require.Equal(t, "the-cluster", id)
	counts, err := a.PartitionCounts(t.Context(), "a", "b", "absent")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"a": 4, "b": 1}, counts)
	require.NoError(t, c.CreateTopic("absent", 2, nil))
	counts, err = a.PartitionCounts(t.Context(), "absent")
	require.NoError(t, err)
	require.Equal(t, map[string]int{"absent": 2}, counts, "an answer is never an old one")
	c.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.ErrorContains(t, a.Ping(ctx), "reach a broker")
}

func TestTopicsPlanAndApply(t *testing.T) {
	c := startCluster(t, map[string]int32{"right": 3, "wrong": 2})
	a := newAdmin(t, c)
	specs := []TopicSpec{
		{Name: "right", Partitions: 3},
		{Name: "wrong", Partitions: 6, ReplicationFactor: 3, Configs: map[string]string{"cleanup.policy": "compact", "retention.ms": "1000"}},
		{Name: "missing", Partitions: 4, ReplicationFactor: 1, Configs: map[string]string{"cleanup.policy": "compact"}},
		{Name: "anyhow"},
	}
	want := []TopicDiff{
		{Topic: "wrong", Want: specs[1], Changes: []TopicChange{
			{"cleanup.policy", "delete", "compact"},
			{"partitions", "2", "6"},
			{"replication.factor", "1", "3"},
			{"retention.ms", "604800000", "1000"},
		}},
		{Topic: "missing", Missing: true, Want: specs[2]},
		{Topic: "anyhow", Missing: true, Want: specs[3]},
	}
	plan, err := a.PlanTopics(t.Context(), specs)
	require.NoError(t, err)
	require.Equal(t, want, plan)
	created, left, err := a.ApplyTopics(t.Context(), specs)
	require.NoError(t, err)
	require.Equal(t, []string{"missing", "anyhow"}, created)
	require.Equal(t, want[:1], left)
	created, left, err = a.ApplyTopics(t.Context(), specs)
	require.NoError(t, err)
	require.Empty(t, created)
	require.Equal(t, want[:1], left)
	require.Len(t, c.PartitionInfos("missing"), 4)
	require.Equal(t, "compact", *c.TopicInfo("missing").Configs["cleanup.policy"])

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.CreateTopics}, Topic: "bad name!", Err: kerr.InvalidTopicException})
	_, left, err = a.ApplyTopics(t.Context(), []TopicSpec{{Name: "bad name!"}, {Name: "good"}})
	require.ErrorContains(t, err, "create topic bad name!")
	require.Len(t, left, 1)
	require.NotNil(t, c.TopicInfo("good"), "one failure does not hold up the others")
}

func TestApplyAwaitsEveryBroker(t *testing.T) {
	c := startCluster(t, map[string]int32{})
	late := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Metadata}, Topic: "new", Err: kerr.UnknownTopicOrPartition, Count: 4})
	created, _, err := newAdmin(t, c).ApplyTopics(t.Context(), []TopicSpec{{Name: "new"}})
	require.NoError(t, err)
	require.Equal(t, []string{"new"}, created)
	require.Equal(t, 4, late.Hits(), "one for the plan, three while brokers do not know the topic")
}

func TestLagWatch(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 2})
	p := newProducer(t, c)
	for range 5 {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "t", Partition: 1, Value: []byte("v")}))
	}
	cfg := Config{SeedBrokers: c.Seeds()}
	cl, err := cfg.NewClient(kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"), kgo.DisableAutoCommit())
	require.NoError(t, err)
	defer cl.Close()
	polled := cl.PollRecords(t.Context(), 3)
	require.NoError(t, cl.CommitRecords(t.Context(), polled.Records()...))
	left := 5 - polled.NumRecords()

	reg := prometheus.NewRegistry()
	w, err := NewLagMonitor(LagOptions{Config: cfg, Groups: []string{"g", "absent"}, Interval: 10 * time.Millisecond, Registry: reg})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	require.Eventually(t, func() bool {
		return testutil.ToFloat64(w.gauge.WithLabelValues("g", "t", "1")) == float64(left)
	}, 10*time.Second, 5*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	require.Positive(t, left)
}

// Two groups on one topic each have their own lag.
func TestLagByGroup(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	for range 3 {
		require.NoError(t, newProducer(t, c).ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")}))
	}
	a := newAdmin(t, c)
	require.NoError(t, a.adm.CommitAllOffsets(t.Context(), "fast", kadm.Offsets{"t": {0: {Topic: "t", At: 3}}}))
	require.NoError(t, a.adm.CommitAllOffsets(t.Context(), "slow", kadm.Offsets{"t": {0: {Topic: "t", At: 1}}}))
	w, err := NewLagMonitor(LagOptions{Config: Config{SeedBrokers: c.Seeds()}, Groups: []string{"slow", "fast"}, Registry: prometheus.NewRegistry()})
	require.NoError(t, err)
	require.NoError(t, w.update(t.Context(), a.adm))
	require.InDelta(t, 2, testutil.ToFloat64(w.gauge.WithLabelValues("slow", "t", "0")), 0)
	require.InDelta(t, 0, testutil.ToFloat64(w.gauge.WithLabelValues("fast", "t", "0")), 0)
}

// A group that does not exist yet is the usual case at a first start: it causes no warning and hides no other group.
func TestLagOfAMissingGroup(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	require.NoError(t, newProducer(t, c).ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")}))
	cfg := Config{SeedBrokers: c.Seeds()}
	a := newAdmin(t, c)
	require.NoError(t, a.adm.CommitAllOffsets(t.Context(), "g", kadm.Offsets{"t": {0: {Topic: "t", At: 0}}}))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeGroups}, Group: "absent", Err: kerr.GroupIDNotFound, Count: -1})
	var log logtest.Buffer
	reg := prometheus.NewRegistry()
	w, err := NewLagMonitor(LagOptions{
		Config: cfg, Groups: []string{"absent", "g"}, Registry: reg, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	require.NoError(t, err)
	require.NoError(t, w.update(t.Context(), a.adm))
	require.InDelta(t, 1, testutil.ToFloat64(w.gauge.WithLabelValues("g", "t", "0")), 0)
	require.Equal(t, 1, log.Count(`level=DEBUG msg="consumer group does not exist yet" group=absent`), log.String())
	require.Equal(t, 1, log.Count("\n"))
}
