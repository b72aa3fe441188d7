package dispatch

import (
	"bytes"
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/internal/worker/logging"
	"confab/schemas"
)

// harness is a dispatcher with its logs and sink, in virtual time.
type harness struct {
	*Dispatcher
	t      *testing.T
	logs   []*memoryLog
	sink   *memorySink
	output *bytes.Buffer
	stop   func()
	t0     time.Time
}

type harnessOptions struct {
	partitions int
	own        []int32 // partitions of this process; nil: all
	groups     GroupOptions
	policy     *alerting.Policy
	notifier   alerting.Notifier // nil: fakeSink
	logs       []*memoryLog      // of an earlier dispatcher
	fakeSink   *memorySink
}

func newHarness(t *testing.T, o harnessOptions) *harness {
	t.Helper()
	if o.partitions == 0 {
		o.partitions = 1
	}
	if o.fakeSink == nil {
		o.fakeSink = &memorySink{}
	}
	if o.notifier == nil {
		o.notifier = o.fakeSink
	}
	d := &harness{t: t, logs: o.logs, sink: o.fakeSink, output: new(bytes.Buffer), t0: time.Now()}
	for len(d.logs) < o.partitions {
		d.logs = append(d.logs, newMemoryLog())
	}
	d.Dispatcher = New(Options{
		Notifier: o.notifier, Sink: "bot", Metrics: NewMetrics(prometheus.NewRegistry()),
		Logger: slog.New(logging.LimitRepeats(time.Minute, slog.NewTextHandler(d.output, nil))), Jitter: func() float64 { return 1 },
		Groups: o.groups, Policy: o.policy, Partitions: o.partitions,
	})
	if o.own == nil {
		for p := range o.partitions {
			o.own = append(o.own, int32(p))
		}
	}
	d.assign(o.own...)
	return d
}

// assign assigns and loads partitions.
func (d *harness) assign(partitions ...int32) {
	d.Assign(partitions...)
	for _, p := range partitions {
		require.NoError(d.t, d.Load(d.t.Context(), p, d.logs[p], d.logs[p].Records()))
	}
}

// run delivers until stop or the end of the test.
func (d *harness) run() *harness {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	d.stop = sync.OnceFunc(func() {
		cancel()
		require.ErrorIs(d.t, <-done, context.Canceled)
	})
	d.t.Cleanup(d.stop)
	return d
}

func (d *harness) add(partition int32, f schemas.Flag) Outcome {
	d.t.Helper()
	out, err := d.Add(context.Background(), partition, &f)
	require.NoError(d.t, err)
	return out
}

func (d *harness) suppressed(s suppression) int {
	return int(testutil.ToFloat64(d.Metrics.suppressed.WithLabelValues(string(s))))
}

func (d *harness) failures(r alerting.Reason) int {
	return int(testutil.ToFloat64(d.Metrics.failed.WithLabelValues(string(r))))
}

// Limits of the alert state that tests reach.
const (
	listedGroups  = 12
	keptBytes     = 200
	keptIncidents = 4096
)
