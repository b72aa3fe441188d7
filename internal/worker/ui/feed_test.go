package ui

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// testFeed is a feed that runs until the test ends.
func testFeed(t *testing.T, limit int, decode func(ctx context.Context, value []byte, f *schemas.Flag) error, messages ...kafka.Message) (*feed, kafka.Config) {
	t.Helper()
	cluster := kafkatest.Start(t, map[string]int32{"incidents": 4, "feedback": 1})
	kafkatest.Write(t, cluster, messages...)
	held := newStore(limit, nil, alerting.NewPolicy(alerting.PolicyOptions{}), time.Now)
	f := &feed{
		kafka: cluster, topics: config.Topics{Incidents: "incidents", Feedback: "feedback"}, decode: decode, store: held,
		now: time.Now, log: slog.New(slog.DiscardHandler),
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- f.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-done)
	})
	return f, cluster
}

func decodeJSON(_ context.Context, value []byte, f *schemas.Flag) error {
	return json.DecodeFlag(value, f)
}

func flagMessages(n int) (all []kafka.Message) {
	for i := range n {
		id := fmt.Sprintf("%064x", i+1)
		value := fmt.Sprintf(`{"incident_id":%q,"pass":"fast","tenant":"acme","fired":["facts"],"newer":{"unknown":1}}`, id)
		all = append(all, kafka.Message{Topic: "incidents", Partition: int32(i % 4), Key: []byte(id), Value: []byte(value)})
	}
	return all
}

func (f *feed) isCaughtUp() bool { return f.getStatus().CaughtUp }

func (f *feed) holds(n int) func() bool {
	return func() bool { return f.store.size() == n }
}

func TestFeedCatchesUp(t *testing.T) {
	bad := kafka.Message{Topic: "incidents", Partition: kafka.AnyPartition, Value: []byte{0, 1, 2}}
	f, cluster := testFeed(t, 5000, decodeJSON, append(flagMessages(2500), bad)...)
	require.Eventually(t, f.isCaughtUp, 30*time.Second, 20*time.Millisecond)
	require.True(t, f.holds(2500)())
	kafkatest.Write(t, cluster, flagMessages(2510)[2490:]...)
	require.Eventually(t, f.holds(2510), 30*time.Second, 20*time.Millisecond)
	require.Eventually(t, func() bool { s := f.getStatus(); return !s.AsOf.IsZero() && s.Problem == "" }, 30*time.Second, 20*time.Millisecond)
}

// Reading begins at the end of the topic: of each partition as many records as the page holds, and no more.
func TestFeedReadsTheEnd(t *testing.T) {
	var read atomic.Int32
	f, _ := testFeed(t, 100, func(ctx context.Context, value []byte, flag *schemas.Flag) error {
		read.Add(1)
		return decodeJSON(ctx, value, flag)
	}, flagMessages(4000)...)
	require.Eventually(t, f.isCaughtUp, 30*time.Second, 20*time.Millisecond)
	require.True(t, f.holds(100)())
	require.LessOrEqual(t, read.Load(), int32(4*100))
}

// A registry that does not answer holds reading back, and loses nothing.
func TestFeedWaitsForTheRegistry(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	var calls atomic.Int32
	f, _ := testFeed(t, 100, func(ctx context.Context, value []byte, flag *schemas.Flag) error {
		if calls.Add(1) == 1 {
			return &schemaregistry.PendingError{ID: schemaregistry.ID{Number: 7}}
		}
		return decodeJSON(ctx, value, flag)
	}, flagMessages(3)...)
	require.Eventually(t, f.isCaughtUp, 30*time.Second, 20*time.Millisecond)
	require.True(t, f.holds(3)())
}

// A mark removes an incident from the page: before anything of it is shown after a start, at once later, and also if its flags
// are written again.
func TestForgottenIncidentsStayAway(t *testing.T) {
	mark := func(i int) kafka.Message {
		return kafka.Message{Topic: "feedback", Partition: kafka.AnyPartition, Key: []byte("k"), Value: fmt.Appendf(nil,
			`{"incident_id":"%064x","verdict":"forgotten","user":"dpo","source":"cli","at":"2026-11-23T00:00:00Z"}`, i)}
	}
	f, cluster := testFeed(t, 100, decodeJSON, append(flagMessages(2), mark(2), mark(3))...)
	require.Eventually(t, func() bool {
		_, shown := f.store.get(fmt.Sprintf("%064x", 2))
		require.False(t, shown)
		return f.isCaughtUp()
	}, 30*time.Second, time.Millisecond)
	kafkatest.Write(t, cluster, flagMessages(4)...)
	require.Eventually(t, f.holds(2), 30*time.Second, 20*time.Millisecond)
	_, shown := f.store.get(fmt.Sprintf("%064x", 4))
	require.True(t, shown)
	kafkatest.Write(t, cluster, mark(4))
	require.Eventually(t, f.holds(1), 30*time.Second, 20*time.Millisecond)
}
