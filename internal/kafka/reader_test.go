package kafka

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

func TestReaderPositions(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1, "empty": 3})
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	begin := time.UnixMilli(1_700_000_000_000)
	for i := range 10 {
		r := &kgo.Record{Topic: "t", Value: []byte(fmt.Sprint(i)), Timestamp: begin.Add(time.Duration(i) * time.Minute)}
		require.NoError(t, cl.ProduceSync(t.Context(), r).FirstErr())
	}
	require.NoError(t, c.DeleteRecords("t", 0, 2))
	tests := []struct {
		name  string
		start Position
		want  []int64
	}{
		{"start", Position{}, []int64{2, 3, 4, 5, 6, 7, 8, 9}},
		{"end", Position{Kind: PositionEnd}, nil},
		{"offset", Position{Kind: PositionOffset, Offset: 7}, []int64{7, 8, 9}},
		{"offset before the log", Position{Kind: PositionOffset, Offset: 0}, []int64{2, 3, 4, 5, 6, 7, 8, 9}},
		{"offset behind the log", Position{Kind: PositionOffset, Offset: 99}, nil},
		{"last three", Position{Kind: PositionLast, Offset: 3}, []int64{7, 8, 9}},
		{"last hundred", Position{Kind: PositionLast, Offset: 100}, []int64{2, 3, 4, 5, 6, 7, 8, 9}},
		{"time", Position{Kind: PositionTime, Time: begin.Add(8 * time.Minute)}, []int64{8, 9}},
		{"time behind the log", Position{Kind: PositionTime, Time: begin.Add(time.Hour)}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []int64
			require.NoError(t, Read(t.Context(), ReaderOptions{
				Config: Config{SeedBrokers: c.Seeds()}, Topics: []string{"t", "empty"}, Start: tt.start, StopAtEnd: true,
			}, func(r *FetchedRecord) error {
				require.Equal(t, fmt.Sprint(r.Offset), string(r.Value))
				got = append(got, r.Offset)
				return nil
			}))
			require.Equal(t, tt.want, got)
		})
	}
}

func TestReaderFollows(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 2})
	p := newProducer(t, c)
	read := make(chan string)
	ended := make(chan error, 1)
	go func() {
		ended <- Read(t.Context(), ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}, Topics: []string{"t"}}, func(r *FetchedRecord) error {
			read <- string(r.Value)
			if string(r.Value) == "stop" {
				return ErrStop
			}
			return nil
		})
	}()
	for _, v := range []string{"a", "b", "stop"} {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "t", Partition: 1, Value: []byte(v)}))
		require.Equal(t, v, <-read)
	}
	require.NoError(t, <-ended)
}

func TestReaderErrors(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	of := ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}}
	require.ErrorContains(t, Read(t.Context(), of, nil), "a reader needs a topic")
	of.Topics = []string{"absent"}
	require.ErrorContains(t, Read(t.Context(), of, nil), "UNKNOWN_TOPIC_OR_PARTITION")

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	of.Topics = []string{"t"}
	require.ErrorIs(t, Read(ctx, of, nil), context.DeadlineExceeded)
	require.NoError(t, newProducer(t, c).ProduceSync(t.Context(), Message{Topic: "t", Value: []byte("v")}))
	broken := errors.New("broken")
	require.ErrorIs(t, Read(t.Context(), of, func(*FetchedRecord) error { return broken }), broken)
}

// TestReaderStopsBehindTransactions: the last offset of a log may be a transaction's marker, or aborted.
func TestReaderStopsBehindTransactions(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 1})
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.TransactionalID("tx"))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		require.NoError(t, cl.ProduceSync(t.Context(), &kgo.Record{Topic: "t", Value: []byte(fmt.Sprint(i))}).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	var values []string
	for _, r := range readAll(t, c, "t") {
		values = append(values, string(r.Value))
	}
	require.Equal(t, []string{"0"}, values)
}

func TestReadSomePartitions(t *testing.T) {
	c := startCluster(t, map[string]int32{"in": 3})
	p := newProducer(t, c)
	for n := range int32(3) {
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "in", Partition: n, Value: []byte{byte('0' + n)}}))
	}
	var got []byte
	require.NoError(t, Read(t.Context(), ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}, Topics: []string{"in"}, Partitions: []int32{1}, StopAtEnd: true}, func(r *FetchedRecord) error { got = append(got, r.Value...); return nil }))
	require.Equal(t, "1", string(got))
}

func TestPartitionOfIsWhereAKeyGoes(t *testing.T) {
	c := startCluster(t, map[string]int32{"in": 7})
	p := newProducer(t, c)
	for n := range 50 {
		key := []byte(fmt.Sprintf("key-%d", n))
		require.NoError(t, p.ProduceSync(t.Context(), Message{Topic: "in", Partition: AnyPartition, Key: key}))
	}
	for _, r := range readAll(t, c, "in") {
		require.Equal(t, r.Partition, PartitionOf(r.Key, 7))
	}
}

// Ranges are resolved by offset and by time, and a reader reads just them, as far as the log has them.
func TestReaderRanges(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 2, "empty": 1})
	cl, err := Config{SeedBrokers: c.Seeds()}.NewClient(kgo.RecordPartitioner(kgo.ManualPartitioner()))
	require.NoError(t, err)
	defer cl.Close()
	begin := time.UnixMilli(1_700_000_000_000)
	for i := range 20 {
		r := &kgo.Record{Topic: "t", Partition: int32(i % 2), Value: []byte(fmt.Sprint(i)), Timestamp: begin.Add(time.Duration(i/2) * time.Minute)}
		require.NoError(t, cl.ProduceSync(t.Context(), r).FirstErr())
	}
	require.NoError(t, c.DeleteRecords("t", 0, 2))
	admin := newAdmin(t, c)
	at := func(n int64) Position { return Position{Kind: PositionOffset, Offset: n} }
	minute := func(n int) Position {
		return Position{Kind: PositionTime, Time: begin.Add(time.Duration(n) * time.Minute)}
	}
	end := Position{Kind: PositionEnd}
	for _, tt := range []struct {
		name        string
		from, until Position
		want        [][2]int64 // by partition
	}{
		{"all", Position{}, end, [][2]int64{{2, 10}, {0, 10}}},
		{"offsets", at(1), at(4), [][2]int64{{2, 4}, {1, 4}}},
		{"times", minute(3), minute(5), [][2]int64{{3, 5}, {3, 5}}},
		{"later than the log", minute(99), end, [][2]int64{{10, 10}, {10, 10}}},
		{"upside down", at(7), at(3), [][2]int64{{7, 7}, {7, 7}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ranges, err := admin.Ranges(t.Context(), "t", tt.from, tt.until)
			require.NoError(t, err)
			require.Len(t, ranges, 2)
			want := int64(0)
			for i, r := range ranges {
				require.Equal(t, Range{"t", int32(i), tt.want[i][0], tt.want[i][1]}, r)
				want += r.End - r.First
			}
			if want == 0 {
				return
			}
			require.NoError(t, Read(t.Context(), ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}, Ranges: ranges}, func(r *FetchedRecord) error {
				require.GreaterOrEqual(t, r.Offset, tt.want[r.Partition][0])
				require.Less(t, r.Offset, tt.want[r.Partition][1])
				want--
				return nil
			}))
			require.Zero(t, want)
		})
	}
	gone := ReaderOptions{Config: Config{SeedBrokers: c.Seeds()}, Ranges: []Range{{"t", 0, 0, 2}, {"empty", 0, 0, 5}}}
	require.NoError(t, Read(t.Context(), gone, func(*FetchedRecord) error { return errors.New("read") }), "what is gone is not waited for")
}

func TestCommittedOffsets(t *testing.T) {
	c := startCluster(t, map[string]int32{"t": 3})
	admin := newAdmin(t, c)
	at, err := admin.Committed(t.Context(), "g", "t")
	require.NoError(t, err)
	require.Empty(t, at, "the group does not exist")
	require.NoError(t, admin.adm.CommitAllOffsets(t.Context(), "g", kadm.Offsets{"t": {1: {Topic: "t", Partition: 1, At: 7, LeaderEpoch: -1}}}))
	at, err = admin.Committed(t.Context(), "g", "t")
	require.NoError(t, err)
	require.Equal(t, map[int32]int64{1: 7}, at)
}
