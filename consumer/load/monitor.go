package load

import (
	"context"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/internal/kafka"
)

// Options configure a Monitor.
type Options struct {
	// Shed says that the level follows from how far the group is behind; without it the level is 0.
	Shed bool
	// Behind is how far behind level 1 begins, FarBehind level 2: the time to read what is not read yet at the present speed. A
	// level ends at half of its limit.
	Behind, FarBehind time.Duration

	Group string
	// Progress returns the progress of the group; see [kafka.Admin.GroupProgress].
	Progress func(ctx context.Context, group string) (kafka.GroupProgress, error)
	Registry prometheus.Registerer
	Logger   *slog.Logger
	Now      func() time.Time
	Tick     <-chan time.Time // when to ask; nil: ten times within the first limit, at most once a second
}

// Monitor knows the level of load. A nil monitor has level 0.
type Monitor struct {
	opts      Options
	level     atomic.Int32
	estimates estimator
	ranges    ranges
	behind    prometheus.Gauge
	shed      [LevelFar + 1]prometheus.Counter // by level
}

// NewMonitor makes a monitor and registers its metrics.
func NewMonitor(o Options) *Monitor {
	f := promauto.With(o.Registry)
	m := &Monitor{opts: o, ranges: ranges{log: o.Logger}}
	f.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "confab_shed_level", Help: "Level of load shedding: 0 none, 1 without grounding, 2 only detectors of constant cost.",
	}, func() float64 { return float64(m.Level()) })
	m.behind = f.NewGauge(prometheus.GaugeOpts{
		Name: "confab_behind_seconds", Help: "Time that the group of the role detect needs for what it has not read, at its present speed.",
	})
	shed := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_shed_interactions_total", Help: "Interactions measured by fewer detectors because the worker was behind, by level.",
	}, []string{"level"})
	for level := LevelBehind; level <= LevelFar; level++ {
		m.shed[level] = shed.WithLabelValues(strconv.Itoa(level))
	}
	return m
}

// Level is the present level of load.
func (m *Monitor) Level() int {
	if m == nil {
		return LevelNone
	}
	return int(m.level.Load())
}

// Note records the level under which the interactions of a record were measured. Ranges of offsets with a level are logged when
// they end.
func (m *Monitor) Note(topic string, partition int32, offset int64, level int) {
	if m == nil {
		return
	}
	if level > 0 {
		m.shed[level].Inc()
	}
	m.ranges.note(place{topic, partition}, offset, level)
}

// leastInterval is the least time between two questions to the cluster.
const leastInterval = time.Second

// Run measures the load until ctx ends, then returns nil. While the cluster does not answer, or the group commits nothing, the
// level stays.
func (m *Monitor) Run(ctx context.Context) error {
	tick := m.opts.Tick
	if tick == nil {
		t := time.NewTicker(max(leastInterval, m.opts.Behind/10))
		defer t.Stop()
		tick = t.C
	}
	defer m.ranges.closeAll()
	for {
		select {
		case <-tick:
			m.update(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

func (m *Monitor) update(ctx context.Context) {
	progress, err := m.opts.Progress(ctx, m.opts.Group)
	if err != nil {
		if ctx.Err() == nil {
			m.opts.Logger.WarnContext(ctx, "read the progress of the consumer group failed: the level of load shedding stays", "error", err)
		}
		return
	}
	behind, known := m.estimates.add(sample{at: m.opts.Now(), ends: progress.Ends, lag: progress.Lag})
	if !known {
		return
	}
	m.behind.Set(behind.Seconds())
	if !m.opts.Shed {
		return
	}
	before := m.Level()
	level := next(before, behind, [2]time.Duration{m.opts.Behind, m.opts.FarBehind})
	if level == before {
		return
	}
	m.level.Store(int32(level))
	attributes := []any{"level", level, "before", before, "behind", behind.Round(time.Second), "records", progress.Lag}
	if level > before {
		m.opts.Logger.WarnContext(ctx, "load shedding: the role detect is behind and skips expensive detectors", append(attributes,
			"remedy", "add replicas or CPU; measure the logged offsets again by confab replay")...)
		return
	}
	m.opts.Logger.InfoContext(ctx, "load shedding: the role detect has caught up in part", attributes...)
}
