package consumer

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestCommitPassesMarkers writes records in transactions, one of them aborted: the lag ends at 0, past their markers.
func TestCommitPassesMarkers(t *testing.T) {
	r := newHarness(t, 1)
	cl, err := kgo.NewClient(kgo.SeedBrokers(r.cluster.Seeds()...), kgo.DefaultProduceTopic(inTopic), kgo.TransactionalID("writer"))
	require.NoError(t, err)
	defer cl.Close()
	for i, end := range []kgo.TransactionEndTry{kgo.TryCommit, kgo.TryAbort, kgo.TryCommit, kgo.TryAbort} {
		require.NoError(t, cl.BeginTransaction())
		require.NoError(t, cl.ProduceSync(t.Context(), kgo.StringRecord(strconv.Itoa(i))).FirstErr())
		require.NoError(t, cl.EndTransaction(t.Context(), end))
	}
	var s handledValues
	run := r.start(t, r.options(s.handle))
	r.awaitCommitted(t, map[int32]int64{0: 8})
	require.NoError(t, run.stop())
	require.Equal(t, []string{"0", "2"}, s.of(0))
	require.InDelta(t, 2, counterValue(r.metrics.Fetched, "test", inTopic), 0)
}
