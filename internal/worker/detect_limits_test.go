package worker

import (
	"bytes"
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab"
	"confab/consumer"
	"confab/detectors"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/sampling"
	"confab/schemas"
	"confab/schemas/json"
)

// limitHarness is a detect role whose clock moves by step whenever it is read.
type limitHarness struct {
	role    *detectHandler
	options confab.Options
	reg     *prometheus.Registry
	log     bytes.Buffer
	now     time.Time
	step    time.Duration
}

func newLimitHarness(t *testing.T, maxWork int64) *limitHarness {
	t.Helper()
	b := &limitHarness{reg: prometheus.NewRegistry(), now: time.Unix(1_000_000, 0)}
	c := config.Default()
	c.Emit = config.EmitAll
	logger := slog.New(slog.NewTextHandler(&b.log, nil))
	w := &worker{Options: Options{Config: c, Registry: prometheus.NewRegistry(), Logger: logger, Now: func() time.Time {
		b.now = b.now.Add(b.step)
		return b.now
	}}}
	w.metrics = w.newMetrics(prometheus.NewRegistry())
	w.suiteMetrics = detectors.NewMetrics(b.reg, w.detectorNames())
	o, err := w.fastOptions(w.Config)
	require.NoError(t, err)
	require.Equal(t, c.Limits.EventDeadline, o.Suite.Deadline)
	o.Suite.Now, o.Suite.MaxWork = w.Now, maxWork
	b.options = o
	v, err := evaluation.New(c, o)
	require.NoError(t, err)
	sampler, err := sampling.New(sampling.Options{})
	require.NoError(t, err)
	b.role = &detectHandler{sampler: sampler, emitAll: true, now: w.Now, publisher: w.publisher(), metrics: w.metrics, log: logger}
	b.role.evaluator.Store(v)
	return b
}

// detectOne passes one record to the role.
func (b *limitHarness) detectOne(ctx context.Context, offset int64) ([]schemas.Flag, error) {
	in := &schemas.Interaction{
		ID: "i-1", Tenant: "default", Answer: "The old bridge was opened in May 1937 by the king.",
		Sources: []schemas.Source{{ID: "1", Text: "The old bridge was opened in June 1938 by the queen."}},
	}
	out := &flagsOf{}
	record := consumer.Record[*schemas.Interaction]{Topic: "in", Partition: 3, Offset: offset, Value: in}
	err := b.role.Handle(ctx, []consumer.Record[*schemas.Interaction]{record}, out)
	return out.list, err
}

func TestCostlyRecordIsStillFlagged(t *testing.T) {
	for name, tt := range map[string]struct {
		maxWork int64
		step    time.Duration
		reason  string
	}{
		"budget":   {1, 0, detectors.ReasonBudget},
		"deadline": {0, time.Second, detectors.ReasonDeadline},
	} {
		t.Run(name, func(t *testing.T) {
			b := newLimitHarness(t, tt.maxWork)
			b.step, b.role.emitAll = tt.step, false
			flags, err := b.detectOne(t.Context(), 7)
			require.NoError(t, err, "a record that costs too much does not fail")
			require.Len(t, flags, 1)
			require.Contains(t, flags[0].Unchecked, schemas.UncheckedSkipped)
			require.NotEqual(t, schemas.Allow, flags[0].Recommendation)
			skipped := 0
			for _, s := range flags[0].Signals {
				if s.Outcome == schemas.Skipped && s.Reason == tt.reason {
					skipped++
				}
			}
			require.Positive(t, skipped)
			families, err := b.reg.Gather()
			require.NoError(t, err)
			counted := 0.0
			for _, family := range families {
				for _, m := range family.GetMetric() {
					if family.GetName() == "confab_detector_skipped_total" && m.GetLabel()[1].GetValue() == tt.reason {
						counted += m.GetCounter().GetValue()
					}
				}
			}
			require.InDelta(t, skipped, counted, 0)
			require.Contains(t, b.log.String(), "reason="+tt.reason+" topic=in partition=3 offset=7")
			require.NotContains(t, b.log.String(), "bridge")
		})
	}
}

func TestShutdownWritesNoFlag(t *testing.T) {
	b := newLimitHarness(t, 0)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	flags, err := b.detectOne(ctx, 7)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, flags)
	require.Empty(t, b.log.String())
	families, err := testutil.GatherAndCount(b.reg, "confab_detector_skipped_total")
	require.NoError(t, err)
	require.Equal(t, 2*len(config.Default().EnabledDetectors()), families, "every series is there from the start")
}

// flagsOf gathers the flags that a role writes.
type flagsOf struct{ list []schemas.Flag }

func (p *flagsOf) Produce(m kafka.Message) {
	var f schemas.Flag
	if json.DecodeFlag(m.Value, &f) == nil {
		p.list = append(p.list, f)
	}
}
