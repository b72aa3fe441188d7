package worker

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/kafka"
	"confab/internal/kafka/compacted"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// recordedLabels is a fake dispatcher that records labels.
type recordedLabels struct {
	mu    sync.Mutex
	fails int
	got   []string
}

func (n *recordedLabels) Label(_ context.Context, f schemas.Feedback) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.fails > 0 {
		n.fails--
		return errors.New("no broker")
	}
	n.got = append(n.got, f.IncidentID)
	return nil
}

func (n *recordedLabels) recorded() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.got)
}

func newLabels(n *recordedLabels) (*labelFollower, *prometheus.Registry) {
	reg := prometheus.NewRegistry()
	return &labelFollower{
		dispatcher: n, log: slog.New(slog.DiscardHandler), metrics: newFeedbackMetrics(reg, []string{"citation"}, time.Now),
	}, reg
}

func feedbackAt(id string, at time.Time) schemas.Feedback {
	return schemas.Feedback{
		IncidentID: id, Verdict: schemas.Wrong, Detectors: []string{"citation"}, User: "U1", Source: schemas.FromSlack, At: at,
	}
}

// TestLabelsAreFollowed: every label reaches the dispatcher and is counted.
func TestLabelsAreFollowed(t *testing.T) {
	b := newWorkerHarness(t)
	give := func(id string) {
		f := feedbackAt(id, time.Now())
		value, err := json.AppendFeedback(nil, &f)
		require.NoError(t, err)
		require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{
			Topic: "llm.feedback", Partition: kafka.AnyPartition, Key: []byte(id), Value: value,
		}))
	}
	give("a")
	b.produce("llm.feedback", "no label")
	n := &recordedLabels{}
	l, reg := newLabels(n)
	said := new(bytes.Buffer) // read once follow has returned
	l.log = slog.New(slog.NewTextHandler(said, nil))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- l.follow(ctx, &worker{Options: Options{Config: b.config, Now: time.Now, Logger: testLogger(t)}, kafka: b.kafka})
	}()
	eventually(t, func() bool { return len(n.recorded()) == 1 }, 20*time.Second, 5*time.Millisecond)
	give("b")
	eventually(t, func() bool { return len(n.recorded()) == 2 }, 20*time.Second, 5*time.Millisecond)
	cancel()
	require.NoError(t, <-done)
	require.Equal(t, []string{"a", "b"}, n.recorded())
	require.InDelta(t, 4, countedLabels(t, reg), 0, "two, in two windows")
	require.Equal(t, 1, strings.Count(said.String(), "is not a label"), said.String())
	require.NotContains(t, said.String(), "no label\n", "what it holds is not logged")
}

// countedLabels is the number of labels that were counted.
func countedLabels(t *testing.T, reg *prometheus.Registry) float64 {
	t.Helper()
	b := workerHarness{t: t, registry: reg}
	return b.metric(t, "confab_feedback_window_labels", "detector", "any")
}

func TestLabelWritesAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &recordedLabels{fails: labelAttempts - 1}
		l, _ := newLabels(n)
		l.record(t.Context(), feedbackAt("a", time.Now()))
		require.Equal(t, []string{"a"}, n.got)
		n.fails = labelAttempts
		l.record(t.Context(), feedbackAt("b", time.Now()))
		require.Equal(t, []string{"a"}, n.got, "given up until a partition moves")
		require.Zero(t, n.fails)
	})
}

// TestAlertLog: what is written is read back by the next owner, in the order of the log.
func TestAlertLog(t *testing.T) {
	b := newWorkerHarness(t)
	table, err := compacted.NewTable(compacted.TableOptions{Config: b.kafka, Producer: b.producer, Topic: "llm.alerts"})
	require.NoError(t, err)
	now := time.Now().UTC().Truncate(time.Second)
	read := readAlertState(table, &records.StateEncoder{Topic: "llm.alerts"})
	log, _ := read(t.Context(), 1)
	member := func(at time.Time) *schemas.AlertState {
		return &schemas.AlertState{Status: schemas.AlertSent, UpdatedAt: at, Member: &schemas.AlertMember{Group: "g", Ordinal: 1}}
	}
	require.NoError(t, log.Put(t.Context(),
		alerting.StateEntry{Key: "labelled", State: &schemas.AlertState{Status: schemas.AlertLabelled}},
		alerting.StateEntry{Key: "g", State: &schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{Members: 1}}},
		alerting.StateEntry{Key: "new", State: member(now)},
		alerting.StateEntry{Key: "old", State: member(now.Add(-100 * 24 * time.Hour))},
		alerting.StateEntry{Key: "over", State: &schemas.AlertState{Group: &schemas.AlertGroupState{}}},
		alerting.StateEntry{Key: "s", State: &schemas.AlertState{Status: schemas.AlertSilence, Silence: &schemas.Silence{ID: "s"}}},
	))
	require.NoError(t, log.Put(t.Context(), alerting.StateEntry{Key: "over"}))
	require.NoError(t, b.producer.ProduceSync(t.Context(), kafka.Message{Topic: "llm.alerts", Partition: 1, Key: []byte("broken"), Value: []byte("{")}))
	log, records := read(t.Context(), 1)
	var keys []string
	for e, err := range records {
		require.NoError(t, err)
		keys = append(keys, e.Key)
		require.Equal(t, len(keys) == 7, e.State == nil, "it is deleted")
	}
	require.Equal(t, []string{"labelled", "g", "new", "old", "over", "s", "over"}, keys)
	for key, want := range map[string]schemas.AlertStatus{
		"labelled": schemas.AlertLabelled, "old": schemas.AlertSent, "g": "", // the dispatcher keeps groups itself
		"broken": schemas.AlertPending, "over": "", "never": "",
	} {
		got, found := log.Get(key)
		require.Equal(t, want, got.Status, key)
		require.Equal(t, want != "", found, key)
	}
	broken, _ := log.Get("broken")
	require.Positive(t, broken.Attempt, "it may have been told")
}
