package compacted

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
)

// newCluster has the topic state with that many partitions, or no topic.
func newCluster(t testing.TB, partitions int32) *embedded.Cluster {
	t.Helper()
	topics := map[string]int32{"state": partitions}
	if partitions == 0 {
		topics = nil
	}
	c, err := embedded.Start(embedded.Options{Topics: topics})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// readState is what the topic state holds.
func readState(t testing.TB, c *embedded.Cluster) (all []kafka.FetchedRecord) {
	t.Helper()
	require.NoError(t, kafka.Read(t.Context(), kafka.ReaderOptions{Config: kafka.Config{SeedBrokers: c.Seeds()}, Topics: []string{"state"}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		all = append(all, *r)
		return nil
	}))
	return all
}

func newTable(t testing.TB, c *embedded.Cluster, maxBytes int) *Table {
	t.Helper()
	p, err := kafka.NewProducer(kafka.Config{SeedBrokers: c.Seeds()})
	require.NoError(t, err)
	t.Cleanup(p.Close)
	table, err := NewTable(TableOptions{
		Config: kafka.Config{SeedBrokers: c.Seeds()}, Producer: p, Topic: "state", MaxBytes: maxBytes,
	})
	require.NoError(t, err)
	return table
}

// loadPartition reads a partition.
func loadPartition(ctx context.Context, table *Table, p int32) (*TablePartition, error) {
	part := table.Open(p)
	return part, part.Replay(ctx, func(string, []byte) bool { return true })
}

// inMemory is how many keys of the partition are remembered.
func inMemory(p *TablePartition) (n int) {
	for _, k := range p.table.cache.Keys() {
		if k.partition == p {
			n++
		}
	}
	return n
}

// twoKeys is the size of two short keys with short values.
const twoKeys = 2*entryBytes + 16

func requireValue(p *TablePartition, key string) string {
	v, ok := p.Get(key)
	if !ok {
		return "-"
	}
	return string(v)
}

func TestTableKeepsTheLastValuePerKeyAndPartition(t *testing.T) {
	c := newCluster(t, 3)
	table := newTable(t, c, 0)
	one, err := loadPartition(t.Context(), table, 1)
	require.NoError(t, err)
	require.Equal(t, "-", requireValue(one, "k"))
	require.NoError(t, one.Put(t.Context(), TableEntry{Key: "k", Value: []byte("v1")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{Key: "k", Value: []byte("v2")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{Key: "gone", Value: []byte("x")}))
	require.NoError(t, one.Put(t.Context(), TableEntry{Key: "gone"}))
	require.NoError(t, one.Put(t.Context(), TableEntry{Key: "empty", Value: []byte{}}))
	require.Equal(t, "v2", requireValue(one, "k"))
	require.Equal(t, "-", requireValue(one, "gone"))
	require.Empty(t, requireValue(one, "empty"))
	for _, r := range readState(t, c) {
		require.EqualValues(t, 1, r.Partition, "the record is in the partition of the table, whatever its key")
	}
	two, err := loadPartition(t.Context(), table, 2)
	require.NoError(t, err)
	require.Equal(t, "-", requireValue(two, "k"), "another partition is another table")

	// The next owner reads the same from the topic.
	again, err := loadPartition(t.Context(), table, 1)
	require.NoError(t, err)
	require.NotSame(t, one, again)
	require.Equal(t, "v2", requireValue(again, "k"))
	require.Equal(t, "-", requireValue(again, "gone"))
	require.Empty(t, requireValue(again, "empty"))
	require.Equal(t, 2, inMemory(again))
}

// TestTableLoadsBehindMarkersAndCompaction: the end of the log may be a transaction's marker, and offsets have gaps.
func TestTableLoadsBehindMarkersAndCompaction(t *testing.T) {
	c := newCluster(t, 0)
	require.NoError(t, c.CreateTopic("state", 1, map[string]string{"cleanup.policy": "compact"}))
	cl, err := kafka.Config{SeedBrokers: c.Seeds()}.NewClient(kgo.TransactionalID("tx"))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		rec := &kgo.Record{Topic: "state", Key: []byte("k"), Value: []byte(fmt.Sprint(i))}
		require.NoError(t, cl.ProduceSync(t.Context(), rec).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	table := newTable(t, c, 0)
	for _, compacted := range []bool{false, true} {
		if compacted {
			c.Compact()
		}
		p, err := loadPartition(t.Context(), table, 0)
		require.NoError(t, err)
		require.Equal(t, "1", requireValue(p, "k"), "what was aborted was never written")
	}
}

func TestTableForgetsTheOldest(t *testing.T) {
	c := newCluster(t, 1)
	table := newTable(t, c, twoKeys)
	p, err := loadPartition(t.Context(), table, 0)
	require.NoError(t, err)
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "a", Value: []byte("1")}))
	require.Equal(t, "-", requireValue(p, "never"))
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "gone", Value: []byte("1")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "gone"}))
	require.Equal(t, "-", requireValue(p, "gone"))
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "b", Value: []byte("1")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "c", Value: []byte("1")}))
	require.Equal(t, "-", requireValue(p, "a"))
	require.Equal(t, 2, inMemory(p))
	require.LessOrEqual(t, table.bytes, twoKeys)
}

func TestTableErrors(t *testing.T) {
	c := newCluster(t, 1)
	_, err := NewTable(TableOptions{Config: kafka.Config{SeedBrokers: c.Seeds()}})
	require.ErrorContains(t, err, "a table needs a topic, a producer")
	table := newTable(t, c, 0)
	_, err = loadPartition(t.Context(), table, 5)
	require.ErrorContains(t, err, "load table state partition 5: the partition does not exist: give state as many partitions")

	denied := c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "state", Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	_, err = loadPartition(t.Context(), table, 0)
	require.ErrorIs(t, err, kerr.TopicAuthorizationFailed)
	denied.Remove()
	p, err := loadPartition(t.Context(), table, 0)
	require.NoError(t, err, "a load that failed is tried again")

	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "state", Err: kerr.TopicAuthorizationFailed})
	require.ErrorContains(t, p.Put(t.Context(), TableEntry{Key: "k", Value: []byte("v")}), "write table state partition 0")
	require.Equal(t, "-", requireValue(p, "k"), "what is not durable is not there")
}

// TestTableReplaysBeyondItsBound: a replay delivers every record in log order, also those that are evicted; values that
// each does not want kept take no memory. All partitions share the limit.
func TestTableReplaysBeyondItsBound(t *testing.T) {
	c := newCluster(t, 2)
	table := newTable(t, c, twoKeys)
	p, err := loadPartition(t.Context(), table, 0)
	require.NoError(t, err)
	require.NoError(t, p.Put(t.Context(),
		TableEntry{Key: "g1", Value: []byte("old")}, TableEntry{Key: "m1", Value: []byte("skip")},
		TableEntry{Key: "g2", Value: []byte("2")}, TableEntry{Key: "gone", Value: []byte("x")}))
	require.NoError(t, p.Put(t.Context(), TableEntry{Key: "gone"}, TableEntry{Key: "g1", Value: []byte("1")}, TableEntry{Key: "g3", Value: []byte("3"), SkipCache: true}))
	require.NoError(t, p.Put(t.Context()), "nothing to write")
	require.Equal(t, "-", requireValue(p, "g3"))
	require.Equal(t, 2, inMemory(p))
	other := table.Open(1)
	require.NoError(t, other.Put(t.Context(), TableEntry{Key: "x", Value: []byte("1")}))
	require.Equal(t, 1, inMemory(p), "the partitions share the bound")
	var got []string
	again := table.Open(0)
	require.NoError(t, again.Replay(t.Context(), func(key string, value []byte) bool {
		got = append(got, key+"="+string(value))
		return string(value) != "skip" && key != "g3"
	}))
	require.Equal(t, []string{"g1=old", "m1=skip", "g2=2", "gone=x", "gone=", "g1=1", "g3=3"}, got)
	require.Equal(t, "1", requireValue(again, "g1"))
	require.Equal(t, "-", requireValue(again, "m1"))
	require.Equal(t, "-", requireValue(again, "g3"))
	require.ErrorContains(t, table.Open(7).Replay(t.Context(), nil), "load table state partition 7: the partition does not exist")
}

func TestTablePutsInOrderOrNotAtAllInMemory(t *testing.T) {
	c := newCluster(t, 1)
	table := newTable(t, c, 0)
	p, err := loadPartition(t.Context(), table, 0)
	require.NoError(t, err)
	entries := make([]TableEntry, 50)
	for i := range entries {
		entries[i] = TableEntry{Key: "k", Value: []byte(fmt.Sprint(i))}
	}
	require.NoError(t, p.Put(t.Context(), entries...))
	for i, r := range readState(t, c) {
		require.Equal(t, fmt.Sprint(i), string(r.Value))
	}
	require.Equal(t, "49", requireValue(p, "k"))
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.Produce}, Topic: "state", Err: kerr.TopicAuthorizationFailed, Count: -1})
	require.Error(t, p.Put(t.Context(), TableEntry{Key: "k", Value: []byte("no")}, TableEntry{Key: "other", Value: []byte("no")}))
	require.Equal(t, "49", requireValue(p, "k"))
	require.Equal(t, "-", requireValue(p, "other"))
}
