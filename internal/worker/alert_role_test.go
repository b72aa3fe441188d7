package worker

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

// produceFlagged produces n incidents and returns their records in llm.incidents. No message is sent yet.
func (b *workerHarness) produceFlagged(n int) []kafka.FetchedRecord {
	b.t.Helper()
	b.config.Roles = []config.Role{config.RoleDetect}
	stop := b.start()
	for i := range n {
		b.produce("llm.interactions", fmt.Sprintf(ungrounded, fmt.Sprint("bad-", i)))
	}
	records := b.read("llm.incidents", n)
	require.NoError(b.t, stop())
	b.config.Roles, b.registry = []config.Role{config.RoleAlert}, prometheus.NewRegistry()
	return records
}

// putAlertState writes a record of llm.alerts.
func (b *workerHarness) putAlertState(partition int32, key string, value []byte) {
	b.t.Helper()
	require.NoError(b.t, b.producer.ProduceSync(b.t.Context(), kafka.Message{
		Topic: "llm.alerts", Partition: partition, Key: []byte(key), Value: value,
	}))
}

// waitForAlerts waits until the alert role is done with n flags, and all due messages are sent.
func (b *workerHarness) waitForAlerts(n float64) {
	b.t.Helper()
	eventually(b.t, func() bool {
		return b.metric(b.t, "confab_interactions_total", "role", "alert") == n && b.metric(b.t, "confab_alert_pending_incidents") == 0
	}, 30*time.Second, 5*time.Millisecond)
}

// TestUnreadableStateMayDuplicateAMessage: the message may have been sent, so it is marked as a possible duplicate.
func TestUnreadableStateMayDuplicateAMessage(t *testing.T) {
	b := newWorkerHarness(t)
	flag := b.produceFlagged(1)[0]
	b.putAlertState(flag.Partition, string(flag.Key), []byte("{"))
	stop := b.start()
	b.waitForAlerts(1)
	require.NoError(t, stop())
	messages := b.console.String()
	require.Equal(t, 1, strings.Count(messages, "Possible hallucination"), messages)
	require.Contains(t, messages, string(flag.Key[:12]))
	require.Contains(t, messages, "Possible duplicate")
}

func encodeSilence(t *testing.T, s schemas.Silence) []byte {
	t.Helper()
	value, err := json.AppendAlertState(nil, &schemas.AlertState{Status: schemas.AlertSilence, Until: s.Until, Silence: &s})
	require.NoError(t, err)
	return value
}

// TestSilencesSuppressAlerts: an existing one of a partition, and a new one.
func TestSilencesSuppressAlerts(t *testing.T) {
	now := time.Now()
	s := schemas.Silence{
		ID: "s", Matchers: schemas.AlertGroupLabels{Service: "bot"}, User: "U1", From: now.Add(-time.Hour), Until: now.Add(time.Hour),
	}
	silenced := func(b *workerHarness) float64 {
		return b.metric(b.t, "confab_notifications_suppressed_total", "reason", "silenced")
	}
	t.Run("taken over", func(t *testing.T) {
		b := newWorkerHarness(t)
		records := b.produceFlagged(3)
		for p := range int32(resources.IncidentPartitions) {
			b.putAlertState(p, s.ID, encodeSilence(t, s))
		}
		stop := b.start()
		b.waitForAlerts(float64(len(records)))
		require.NoError(t, stop())
		require.Empty(t, b.console.String())
		require.InDelta(t, len(records), silenced(b), 0)
	})
	t.Run("followed", func(t *testing.T) {
		b := newWorkerHarness(t)
		stop := b.start()
		b.produce("llm.interactions", fmt.Sprintf(ungrounded, "loud"))
		b.waitForAlerts(1)
		b.putAlertState(0, s.ID, encodeSilence(t, s)) // where it is followed; of this partition it is not read again
		made := 0
		eventually(t, func() bool {
			made++
			b.produce("llm.interactions", fmt.Sprintf(ungrounded, fmt.Sprint("quiet-", made)))
			return silenced(b) > 0
		}, 30*time.Second, 20*time.Millisecond)
		require.NoError(t, stop())
	})
}

// TestLabelsReachTheAlertState: a label from the topic is durable in the state of its incident, whose messages have all been sent.
func TestLabelsReachTheAlertState(t *testing.T) {
	b := newWorkerHarness(t)
	stop := b.start()
	b.produce("llm.interactions", fmt.Sprintf(ungrounded, "bad"))
	incident := string(b.read("llm.incidents", 1)[0].Key)
	b.waitForAlerts(1)
	value, err := json.AppendFeedback(nil, &schemas.Feedback{
		IncidentID: incident, Verdict: schemas.Fine, User: "anna", Source: schemas.FromCLI, At: time.Now(),
	})
	require.NoError(t, err)
	require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{
		Topic: "llm.feedback", Partition: kafka.AnyPartition, Key: []byte(incident), Value: value,
	}))
	status := func() (last schemas.AlertStatus) {
		for _, r := range b.readAll("llm.alerts") {
			var s schemas.AlertState
			if string(r.Key) == incident && json.DecodeAlertState(r.Value, &s) == nil {
				last = s.Status
			}
		}
		return last
	}
	eventually(t, func() bool { return status() == schemas.AlertLabelled }, 30*time.Second, 10*time.Millisecond)
	require.NoError(t, stop())
	require.InDelta(t, 1, b.metric(t, "confab_feedback_window_labels", "detector", "any", "verdict", "fine", "window", "7d"), 0)
	require.Equal(t, 1, strings.Count(b.console.String(), "▌ ALERT"))
}

// TestHangingSinkDoesNotBlockOffsets: no handler waits for the sink, so the watchdog does not end the worker, and
// later flags are added to groups.
func TestHangingSinkDoesNotBlockOffsets(t *testing.T) {
	b := newWorkerHarness(t)
	records := b.produceFlagged(5)
	console := &stuckWriter{entered: make(chan struct{}), leave: make(chan struct{})}
	w := &worker{Options: Options{Config: b.config, Registry: b.registry, Logger: testLogger(t), Console: console, Now: time.Now}}
	require.NoError(t, w.open(t.Context(), t.Context()))
	defer w.close()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- w.serve(ctx) }()
	<-console.entered
	eventually(t, func() bool {
		return b.metric(t, "confab_interactions_total", "role", "alert") == float64(len(records))
	}, 30*time.Second, 5*time.Millisecond)
	require.InDelta(t, len(records), b.metric(t, "confab_alert_pending_incidents"), 0)
	eventually(t, func() bool { // once it has put the last flag away
		return w.roles[0].alive(time.Now().Add(time.Hour), b.config.Watchdog) == nil
	}, 30*time.Second, 5*time.Millisecond)
	require.NoError(t, w.roles[0].ready())
	cancel()
	close(console.leave)
	require.NoError(t, <-done)
}

// stuckWriter does not return from Write until it is released.
type stuckWriter struct {
	once           sync.Once
	entered, leave chan struct{}
}

func (s *stuckWriter) Write(p []byte) (int, error) {
	s.once.Do(func() { close(s.entered) })
	<-s.leave
	return len(p), nil
}
