package feed

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/ui/store"
	"confab/schemas"
	"confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testFeed is a feed that runs until the test ends.
func testFeed(t *testing.T, decode func(ctx context.Context, value []byte, f *schemas.Flag) error, messages ...kafka.Message) (*Feed, kafka.Config) {
	t.Helper()
	cluster := kafkatest.Start(t, map[string]int32{"incidents": 4, "feedback": 1, "alerts": 1})
	kafkatest.Write(t, cluster, messages...)
	log := slog.New(slog.DiscardHandler)
	s, err := store.Open(store.Options{
		Path: filepath.Join(t.TempDir(), "ui.db"), MaxIncidents: 100_000, MaxBytes: 1 << 30, MaxAge: time.Hour, Now: time.Now, Logger: log,
	})
	require.NoError(t, err)
	f := New(Options{
		Kafka: cluster, Incidents: "incidents", Feedback: "feedback", Alerts: "alerts", Decode: decode, Store: s,
		Metrics: NewMetrics(prometheus.NewRegistry(), s), Now: time.Now, Logger: log,
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
		require.NoError(t, s.Close())
	})
	return f, cluster
}

func decodeJSON(_ context.Context, value []byte, f *schemas.Flag) error {
	return json.DecodeFlag(value, f)
}

func flags(n int) (all []kafka.Message) {
	for i := range n {
		id := fmt.Sprintf("%064x", i+1)
		value := fmt.Sprintf(`{"incident_id":%q,"pass":"fast","tenant":"acme","fired":["facts"],"newer":{"unknown":1}}`, id)
		all = append(all, kafka.Message{Topic: "incidents", Partition: kafka.AnyPartition, Key: []byte(id), Value: []byte(value)})
	}
	return all
}

func storedFlags(t *testing.T, f *Feed) int64 {
	t.Helper()
	st, err := f.Store.Stats()
	require.NoError(t, err)
	return st.Flags
}

func TestFeedCatchesUp(t *testing.T) {
	bad := kafka.Message{Topic: "incidents", Partition: kafka.AnyPartition, Value: []byte{0, 1, 2}}
	f, cluster := testFeed(t, decodeJSON, append(flags(2500), bad)...)
	require.Eventually(t, func() bool { return f.Status().CaughtUp }, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, int64(2500), storedFlags(t, f))
	kafkatest.Write(t, cluster, flags(2510)[2490:]...)
	require.Eventually(t, func() bool { return storedFlags(t, f) == 2510 }, 30*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { s := f.Status(); return !s.AsOf.IsZero() && s.Problem == "" }, 30*time.Second, 20*time.Millisecond)
}

// A registry that does not answer holds reading back, and loses nothing.
func TestFeedWaitsForTheRegistry(t *testing.T) {
	var calls atomic.Int32
	f, _ := testFeed(t, func(ctx context.Context, value []byte, flag *schemas.Flag) error {
		if calls.Add(1) == 1 {
			return &schemaregistry.PendingError{ID: 7}
		}
		return json.DecodeFlag(value, flag)
	}, flags(3)...)
	require.Eventually(t, func() bool { return f.Status().CaughtUp }, 30*time.Second, 20*time.Millisecond)
	require.Equal(t, int64(3), storedFlags(t, f))
}

// A mark removes an incident from the page, also when it is read before the flags: a rebuilt page does not show it again.
func TestForgottenIncidentsStayAway(t *testing.T) {
	mark := kafka.Message{Topic: "feedback", Partition: kafka.AnyPartition, Key: []byte("k"), Value: fmt.Appendf(nil,
		`{"incident_id":"%064x","verdict":"forgotten","user":"dpo","source":"cli","at":"2026-11-23T00:00:00Z"}`, 2)}
	f, cluster := testFeed(t, decodeJSON, mark)
	require.Eventually(t, func() bool { return f.Status().CaughtUp }, 30*time.Second, 20*time.Millisecond)
	kafkatest.Write(t, cluster, flags(3)...)
	require.Eventually(t, func() bool { return storedFlags(t, f) == 2 }, 30*time.Second, 20*time.Millisecond)
	_, found, err := f.Store.Get(fmt.Sprintf("%064x", 2))
	require.NoError(t, err)
	require.False(t, found)
	mark.Value = fmt.Appendf(nil, `{"incident_id":"%064x","verdict":"forgotten","user":"dpo","source":"cli","at":"2026-11-23T00:00:00Z"}`, 3)
	kafkatest.Write(t, cluster, mark)
	require.Eventually(t, func() bool { return storedFlags(t, f) == 1 }, 30*time.Second, 20*time.Millisecond)
}
