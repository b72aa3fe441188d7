package kafka

import (
	"context"
	"fmt"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka/embedded"
)

func newTable(t testing.TB, c *embedded.Cluster, maxKeys int) (*Table, *TableMetrics) {
	t.Helper()
	m := NewTableMetrics(prometheus.NewRegistry())
	table, err := NewTable(TableOptions{
		Config: Config{SeedBrokers: c.Seeds()}, Producer: newProducer(t, c), Topic: "state", MaxKeys: maxKeys, Metrics: m,
	})
	require.NoError(t, err)
	return table, m
}

// load reads a partition of which nobody wants more than Get tells.
func load(ctx context.Context, table *Table, p int32) (*TablePartition, error) {
	part, _, err := table.Load(ctx, p, func(string, []byte) bool { return false })
	return part, err
}

func get(p *TablePartition, key string) string {
	v, ok := p.Get(key)
	if !ok {
		return "-"
	}
	return string(v)
}

func TestTableKeepsTheLastValuePerKeyAndPartition(t *testing.T) {
	c := start(t, map[string]int32{"state": 3})
	table, _ := newTable(t, c, 0)
	one, err := load(t.Context(), table, 1)
	require.NoError(t, err)
	require.Equal(t, "-", get(one, "k"))
	require.NoError(t, one.Put(t.Context(), TableEntry{"k", []byte("v1")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{"k", []byte("v2")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{"gone", []byte("x")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{"gone", nil}))
	require.NoError(t, one.Put(t.Context(), TableEntry{"empty", []byte{}}))
	require.Equal(t, "v2", get(one, "k"))
	require.Equal(t, "-", get(one, "gone"))
	require.Empty(t, get(one, "empty"))
	for _, r := range readAll(t, c, "state") {
		require.EqualValues(t, 1, r.Partition, "the record is in the partition of the table, whatever its key")
	}
	two, err := load(t.Context(), table, 2)
	require.NoError(t, err)
	require.Equal(t, "-", get(two, "k"), "another partition is another table")

	// The next owner reads the same from the topic.
	again, err := load(t.Context(), table, 1)
	require.NoError(t, err)
	require.NotSame(t, one, again)
	require.Equal(t, "v2", get(again, "k"))
	require.Equal(t, "-", get(again, "gone"))
	require.Empty(t, get(again, "empty"))
	require.Equal(t, 2, again.Len())
}

// TestTableLoadsBehindMarkersAndCompaction: the end of the log may be a transaction's marker, and offsets have gaps.
func TestTableLoadsBehindMarkersAndCompaction(t *testing.T) {
	c := start(t, nil)
	require.NoError(t, c.CreateTopic("state", 1, map[string]string{"cleanup.policy": "compact"}))
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.TransactionalID("tx"))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		rec := &kgo.Record{Topic: "state", Key: []byte("k"), Value: []byte(fmt.Sprint(i))}
		require.NoError(t, cl.ProduceSync(t.Context(), rec).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	table, _ := newTable(t, c, 0)
	for _, compacted := range []bool{false, true} {
		if compacted {
			c.Compact()
		}
		p, err := load(t.Context(), table, 0)
		require.NoError(t, err)
		require.Equal(t, "1", get(p, "k"), "what was aborted was never written")
	}
}

func TestTableForgetsTheOldestAndCountsMisses(t *testing.T) {
	c := start(t, map[string]int32{"state": 1})
	table, metrics := newTable(t, c, 2)
	p, err := load(t.Context(), table, 0)
	require.NoError(t, err)
	misses := func() float64 { return testutil.ToFloat64(metrics.misses.WithLabelValues("state")) }
	require.NoError(t, p.Put(t.Context(), TableEntry{"a", []byte("1")}))
	require.Equal(t, "-", get(p, "never"))
	require.Zero(t, misses(), "nothing was forgotten yet")
	require.NoError(t, p.Put(t.Context(), TableEntry{"gone", []byte("1")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{"gone", nil}))
	require.Equal(t, "-", get(p, "gone"))
	require.Zero(t, misses(), "deleting is not forgetting")
	require.NoError(t, p.Put(t.Context(), TableEntry{"b", []byte("1")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{"c", []byte("1")}))
	require.Equal(t, "-", get(p, "a"))
	require.InDelta(t, 1, misses(), 0)
	require.Equal(t, 2, p.Len())
}

func TestTableErrors(t *testing.T) {
	c := start(t, map[string]int32{"state": 1})
	_, err := NewTable(TableOptions{Config: Config{SeedBrokers: c.Seeds()}})
	require.ErrorContains(t, err, "a table needs a topic, a producer")
	table, _ := newTable(t, c, 0)
	_, err = load(t.Context(), table, 5)
	require.ErrorContains(t, err, "load table state partition 5: the partition does not exist: give state as many partitions")

	denied := c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "state", Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	_, err = load(t.Context(), table, 0)
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
	denied.Remove()
	p, err := load(t.Context(), table, 0)
	require.NoError(t, err, "a load that failed is tried again")

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "state", Err: kerr.TopicAuthorizationFailed})
	require.ErrorContains(t, p.Put(t.Context(), TableEntry{"k", []byte("v")}), "write table state partition 0")
	require.Equal(t, "-", get(p, "k"), "what is not durable is not there")
}

// TestTableLoadsBeyondItsBound: what a load hands out is every live record, in the order of the log, whatever the cache
// has to forget.
func TestTableLoadsBeyondItsBound(t *testing.T) {
	c := start(t, map[string]int32{"state": 2})
	table, _ := newTable(t, c, 2)
	p, live, err := table.Load(t.Context(), 0, func(string, []byte) bool { return true })
	require.NoError(t, err)
	require.Empty(t, live)
	require.NoError(t, p.Put(t.Context(),
		TableEntry{"g1", []byte("old")}, TableEntry{"m1", []byte("skip")}, TableEntry{"g2", []byte("2")}, TableEntry{"gone", []byte("x")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{"gone", nil}, TableEntry{"g1", []byte("1")}, TableEntry{"g3", []byte("3")}))
	require.NoError(t, p.Put(t.Context()), "nothing to write")
	require.Equal(t, 2, p.Len())
	again, live, err := table.Load(t.Context(), 0, func(_ string, value []byte) bool { return string(value) != "skip" })
	require.NoError(t, err)
	require.Equal(t, []TableEntry{{"g2", []byte("2")}, {"g1", []byte("1")}, {"g3", []byte("3")}}, live)
	require.Equal(t, 2, again.Len())
	require.Equal(t, "3", get(again, "g3"))
	_, _, err = table.Load(t.Context(), 7, nil)
	require.ErrorContains(t, err, "load table state partition 7: the partition does not exist")
}

func TestTablePutsInOrderOrNotAtAllInMemory(t *testing.T) {
	c := start(t, map[string]int32{"state": 1})
	table, _ := newTable(t, c, 0)
	p, err := load(t.Context(), table, 0)
	require.NoError(t, err)
	entries := make([]TableEntry, 50)
	for i := range entries {
		entries[i] = TableEntry{"k", []byte(fmt.Sprint(i))}
	}
	require.NoError(t, p.Put(t.Context(), entries...))
	for i, r := range readAll(t, c, "state") {
		require.Equal(t, fmt.Sprint(i), string(r.Value))
	}
	require.Equal(t, "49", get(p, "k"))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "state", Err: kerr.TopicAuthorizationFailed, Count: -1})
	require.Error(t, p.Put(t.Context(), TableEntry{"k", []byte("no")}, TableEntry{"other", []byte("no")}))
	require.Equal(t, "49", get(p, "k"))
	require.Equal(t, "-", get(p, "other"))
}
