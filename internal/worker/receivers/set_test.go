package receivers

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/dispatch"
)

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

// TestRepeatedFlagAfterAFailedWrite: when the write of one receiver fails, the flag is offered again, and the receiver that has
// it already does not count it twice.
func TestRepeatedFlagAfterAFailedWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := alerttest.NewFakeLog()
		first, second := &alerttest.FakeSink{}, &alerttest.FakeSink{}
		a, stopA := startReceiver(t, "default", log, first)
		b, stopB := startReceiver(t, "pager", log, second)
		set := &Set{Receivers: []Receiver{{"default", a}, {"pager", b}}}
		log.SetFail(func(entries []alerting.StateEntry) error {
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
