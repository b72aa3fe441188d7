package worker

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"

	"confab/internal/svg"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

var (
	burst        = flag.Duration("burst", 0, "length of a burst of three times the capacity; see make burst")
	burstPicture = flag.String("burst-picture", "", "file for the picture of ages over time")
)

// burstBound is the age that 99 % of the events must not exceed.
const burstBound = 60 * time.Second

// TestBurst sends three times as many events as the worker can measure, and then few. Every event must have its flag, and 99 %
// of the ages must stay within the bound. Broker and producer are processes of their own.
func TestBurst(t *testing.T) {
	if *burst == 0 {
		t.Skip("make burst runs it")
	}
	capacity := measureCapacity(t)
	seconds := int(burst.Seconds())
	plan := []int{capacity / 2, capacity * seconds / 8, 3 * capacity, 3 * capacity * seconds, capacity / 2, capacity * seconds / 4}
	total := plan[1] + plan[3] + plan[5]
	t.Logf("capacity %d events/s; %d events", capacity, total)

	seeds := startBroker(t)
	w := startBurstWorker(t, seeds, slog.New(slog.NewTextHandler(os.Stderr, nil)))
	loader := startLoader(t, seeds, strings.Trim(fmt.Sprint(plan), "[]"))
	w.await(total)
	require.NoError(t, loader.Wait())
	w.stop()

	ages := readAges(t, seeds, total)
	all := slices.Concat(ages.bySecond...)
	slices.Sort(all)
	t.Logf("age: p50 %.1f s, p99 %.1f s, longest %.1f s; events by level %d", quantile(all, 0.5), quantile(all, 0.99), all[len(all)-1], ages.byLevel)
	require.Len(t, all, total, "every event has one flag")
	require.LessOrEqual(t, quantile(all, 0.99), burstBound.Seconds())
	require.NotZero(t, ages.byLevel[1]+ages.byLevel[2], "the burst was none: nothing was skipped")
	if *burstPicture != "" {
		require.NoError(t, os.WriteFile(*burstPicture, []byte(ages.draw()), 0o600))
	}
}

// measureCapacity is the number of events a second that a worker measures with every detector.
func measureCapacity(t *testing.T) int {
	const events = 20_000
	seeds := startBroker(t)
	require.NoError(t, startLoader(t, seeds, fmt.Sprint(10_000, " ", events)).Wait())
	w := startBurstWorker(t, seeds, slog.New(slog.DiscardHandler))
	w.await(events / 4) // the start does not count
	began, before := time.Now(), countDetected(t, w.registry)
	w.await(events)
	defer w.stop()
	return int(float64(events-before) / time.Since(began).Seconds())
}

type burstWorker struct {
	t        *testing.T
	registry *prometheus.Registry
	stop     func()
}

func startBurstWorker(t *testing.T, seeds []string, log *slog.Logger) *burstWorker {
	cfg := config.Default()
	cfg.Admin.Listen, cfg.Kafka.SeedBrokers, cfg.Kafka.StartOffset = "", seeds, config.OffsetEarliest
	cfg.Roles, cfg.Emit = []config.Role{config.RoleDetect}, config.EmitAll
	cfg.LoadShedding.Enabled, cfg.LoadShedding.Behind, cfg.LoadShedding.FarBehind = true, 5*time.Second, 15*time.Second
	w := &burstWorker{t: t, registry: prometheus.NewRegistry()}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- Run(ctx, Options{Config: cfg, Registry: w.registry, Logger: log}) }()
	w.stop = func() { cancel(); require.NoError(t, <-done) }
	return w
}

// await waits until the worker has measured n events.
func (w *burstWorker) await(n int) {
	for tick := time.NewTicker(50 * time.Millisecond); countDetected(w.t, w.registry) < n; <-tick.C {
		require.NoError(w.t, w.t.Context().Err())
	}
}

// ageTable has the ages of events, in seconds, by the second in which they were written.
type ageTable struct {
	bySecond [][]float64
	byLevel  [3]int
}

// readAges reads the flags. Of repeats the first counts.
func readAges(t *testing.T, seeds []string, total int) (table ageTable) {
	client, err := kgo.NewClient(kgo.SeedBrokers(seeds...), kgo.ConsumeTopics("llm.incidents"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()))
	require.NoError(t, err)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	seen := make(map[string]bool, total)
	var first time.Time
	for len(seen) < total {
		fetches := client.PollRecords(ctx, 10_000)
		require.NoError(t, fetches.Err0())
		fetches.EachRecord(func(r *kgo.Record) {
			var f schemas.Flag
			require.NoError(t, json.DecodeFlag(r.Value, &f))
			if seen[f.IncidentID] {
				return
			}
			seen[f.IncidentID] = true
			table.byLevel[f.ShedLevel]++
			if first.IsZero() {
				first = f.OccurredAt
			}
			at := int(f.OccurredAt.Sub(first).Seconds())
			for len(table.bySecond) <= at {
				table.bySecond = append(table.bySecond, nil)
			}
			table.bySecond[at] = append(table.bySecond[at], f.DetectedAt.Sub(f.OccurredAt).Seconds())
		})
	}
	return table
}

// draw is a picture of the ages over time.
func (a *ageTable) draw() string {
	chart := svg.Timeline{Title: fmt.Sprintf("Age of events, s, by the second of their writing; a burst of three times the capacity for %s", *burst)}
	p50, p99 := svg.Line{Name: "p50", Color: 0}, svg.Line{Name: "p99", Color: 1}
	for i, ages := range a.bySecond {
		slices.Sort(ages)
		chart.Labels = append(chart.Labels, fmt.Sprint(i, " s"))
		p50.Values, p99.Values = append(p50.Values, quantile(ages, 0.5)), append(p99.Values, quantile(ages, 0.99))
	}
	chart.Lines = []svg.Line{p50, p99}
	return strings.Replace(chart.String(), "<title>", "<style>"+svg.Style+"</style><title>", 1) + "\n"
}

// quantile of sorted values; NaN of none.
func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return math.NaN()
	}
	return sorted[int(q*float64(len(sorted)-1))]
}
