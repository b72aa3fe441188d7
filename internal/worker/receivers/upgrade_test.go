package receivers

import (
	"bufio"
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/dispatch"
	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
	records "confab/schemas/json"
)

// journalBefore is a log that a release without receivers wrote: group 1 sent with three incidents, group 2 posted with its
// reply lost, group 3 pending.
func journalBefore(t *testing.T) *alerttest.FakeLog {
	t.Helper()
	file, err := os.Open("testdata/alerts-before-receivers.jsonl")
	require.NoError(t, err)
	defer file.Close()
	log := alerttest.NewFakeLog()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r struct {
			Key   string          `json:"key"`
			Value json.RawMessage `json:"value"`
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		var s schemas.AlertState
		require.NoError(t, records.DecodeAlertState(r.Value, &s))
		require.NoError(t, log.Put(t.Context(), alertlog.Entry{Key: r.Key, State: &s}))
	}
	require.NoError(t, lines.Err())
	require.Len(t, log.Journal, 14)
	return log
}

// startReceiver runs a dispatcher over its view of the log until the test ends or stop is called.
func startReceiver(t *testing.T, name string, log *alerttest.FakeLog, sink alerting.Notifier) (d *dispatch.Dispatcher, stop func()) {
	t.Helper()
	d = dispatch.New(dispatch.Options{
		Notifier: sink, Sink: "bot", Metrics: dispatch.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler), Partitions: 1,
	})
	d.Assign(0)
	own, entries := View(name, log, log.Records())
	require.NoError(t, d.Load(t.Context(), 0, own, entries))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	return d, func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	}
}

// TestUpgradeOverLiveState: over the state of a release without receivers, the receiver default repeats nothing unmarked and
// loses nothing, and a new receiver sends nothing of the past. Then both go on, also after a restart.
func TestUpgradeOverLiveState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		<-time.After(3 * time.Minute) // the log was written in the two minutes before
		log := journalBefore(t)
		old, added := &alerttest.FakeSink{NoHistory: true}, &alerttest.FakeSink{}
		set := &Set{}
		var stops []func()
		start := func() {
			set.Receivers, stops = nil, nil
			for name, sink := range map[string]*alerttest.FakeSink{"default": old, "pager": added} {
				d, stop := startReceiver(t, name, log, sink)
				set.Receivers, stops = append(set.Receivers, Receiver{name, d}), append(stops, stop)
			}
			<-time.After(5 * time.Minute)
			synctest.Wait()
		}
		start()
		byService := map[string]schemas.Alert{}
		for _, a := range old.Alerts() {
			byService[a.Flag.Service] = a
		}
		require.Len(t, old.Alerts(), 2, "group 1 is not sent again")
		require.True(t, byService["service-2"].PossiblyDuplicated, "its reply was lost: marked")
		require.EqualValues(t, 1, byService["service-2"].Count)
		require.EqualValues(t, 1, byService["service-3"].Count, "it was pending")
		require.Empty(t, added.Alerts())

		for range 2 { // a flag that is offered again changes nothing
			f := alerttest.SimilarFlag(3, 2)
			_, err := set.Add(t.Context(), 0, &f)
			require.NoError(t, err)
		}
		<-time.After(5 * time.Minute)
		require.Len(t, old.Alerts(), 2, "an edit")
		require.Equal(t, []int64{1}, alerttest.Counts(added.Alerts()), "its own count")
		require.EqualValues(t, 2, old.Alerts()[1].Count+old.Alerts()[0].Count-1, "group 3 has two")
		for _, stop := range stops {
			stop()
		}
		edits := old.Edits
		start()
		require.Len(t, old.Alerts(), 2)
		require.Len(t, added.Alerts(), 1)
		require.Equal(t, edits, old.Edits)
		for _, stop := range stops {
			stop()
		}
	})
}

// TestRepeatedFlagAfterAFailedWrite: when the write of one receiver fails, the flag is offered again, and the receiver that has
// it already does not count it twice.
func TestRepeatedFlagAfterAFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := alerttest.NewFakeLog()
		first, second := &alerttest.FakeSink{}, &alerttest.FakeSink{}
		a, stopA := startReceiver(t, "default", log, first)
		b, stopB := startReceiver(t, "pager", log, second)
		set := &Set{Receivers: []Receiver{{"default", a}, {"pager", b}}}
		log.SetFail(func(entries []alertlog.Entry) error {
			if Owns("pager", entries[0].Key) {
				return alerttest.ErrWrite
			}
			return nil
		})
		f := alerttest.SimilarFlag(1, 1)
		_, err := set.Add(t.Context(), 0, &f)
		require.ErrorIs(t, err, alerttest.ErrWrite)
		log.SetFail(nil)
		_, err = set.Add(t.Context(), 0, &f)
		require.NoError(t, err)
		<-time.After(5 * time.Minute)
		require.Equal(t, []int64{1}, alerttest.Counts(first.Alerts()))
		require.Equal(t, []int64{1}, alerttest.Counts(second.Alerts()))
		stopA()
		stopB()
	})
}
