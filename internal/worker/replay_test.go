package worker

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

// rewind sets the committed offsets of a role's group to at, in every partition of the topic.
func (b *workerHarness) rewind(r config.Role, topic string, partitions int32, at int64) {
	b.t.Helper()
	client, err := kgo.NewClient(kgo.SeedBrokers(b.kafka.SeedBrokers...))
	require.NoError(b.t, err)
	defer client.Close()
	var offsets kadm.Offsets
	for p := range partitions {
		offsets.Add(kadm.Offset{Topic: topic, Partition: p, At: at, LeaderEpoch: -1})
	}
	require.NoError(b.t, kadm.NewClient(client).CommitAllOffsets(b.t.Context(), b.config.Group(r), offsets))
}

func keysOf(records []kafka.FetchedRecord) (keys []string) {
	for i := range records {
		keys = append(keys, string(records[i].Key))
	}
	slices.Sort(keys)
	return keys
}

// TestReplay: offsets that are set back after alerts went out repeat flags under their ids, and no message is sent again.
func TestReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	const n = 4
	both := func(t *testing.T) *workerHarness {
		b := newWorkerHarness(t)
		b.config.Alerting.Interval = time.Millisecond // messages are sent soon
		stop := b.start()
		for i := range n {
			b.produce("llm.interactions", fmt.Sprintf(ungrounded, fmt.Sprint("bad-", i)))
		}
		b.waitForAlerts(n)
		require.NoError(t, stop())
		b.registry = prometheus.NewRegistry()
		return b
	}
	t.Run("detect", func(t *testing.T) {
		b := both(t)
		messages := b.console.String()
		b.rewind(config.RoleDetect, "llm.interactions", 2, 0)
		stop := b.start()
		b.waitForAlerts(n)
		require.NoError(t, stop())
		keys := keysOf(b.read("llm.incidents", 2*n))
		for i := 0; i < len(keys); i += 2 {
			require.Equal(t, keys[i], keys[i+1], "the same incident")
		}
		require.Len(t, slices.Compact(keys), n)
		require.Equal(t, messages, b.console.String(), "no message is sent again")
		require.InDelta(t, n, b.metric(t, "confab_notifications_suppressed_total", "reason", "already_notified"), 0)
	})
	t.Run("alert", func(t *testing.T) {
		b := both(t)
		messages := b.console.String()
		b.rewind(config.RoleAlert, "llm.incidents", resources.IncidentPartitions, 0)
		stop := b.start()
		b.waitForAlerts(n)
		require.NoError(t, stop())
		require.Equal(t, messages, b.console.String(), "no message is sent again")
		require.InDelta(t, n, b.metric(t, "confab_notifications_suppressed_total", "reason", "already_notified"), 0)
	})
	t.Run("detect, beyond the end", func(t *testing.T) {
		b := both(t)
		b.rewind(config.RoleDetect, "llm.interactions", 2, 1000)
		err := Run(t.Context(), Options{Config: b.config, Registry: b.registry, Logger: testLogger(t), Console: b.console})
		require.ErrorContains(t, err, "data loss")
		require.ErrorContains(t, err, "kafka.on_data_loss")
	})
	t.Run("detect, beyond the end, from the earliest", func(t *testing.T) {
		b := both(t)
		messages := b.console.String()
		b.config.Kafka.OnDataLoss = "earliest"
		b.rewind(config.RoleDetect, "llm.interactions", 2, 1000)
		stop := b.start()
		b.waitForAlerts(n)
		require.NoError(t, stop())
		require.Equal(t, messages, b.console.String(), "read again from the start, and no message is sent again")
	})
}

// TestReplayOfOldFlagsIsOneDigest: a week-old storm whose state is gone, for example since llm.alerts was created again, is a digest.
func TestReplayOfOldFlagsIsOneDigest(t *testing.T) {
	const n = 4
	b := newWorkerHarness(t)
	b.config.Alerting.Interval = time.Millisecond
	b.produceFlagged(n)
	b.now = func() time.Time { return time.Now().Add(7 * 24 * time.Hour) }
	stop := b.start()
	b.waitForAlerts(n)
	require.NoError(t, stop())
	messages := b.console.String()
	require.Contains(t, messages, "4 possible hallucinations")
	require.Zero(t, strings.Count(messages, "Possible hallucination"), "no message of its own")
}
