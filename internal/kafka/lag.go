package kafka

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
)

// DefaultLagInterval is the default of LagOptions.Interval.
const DefaultLagInterval = 15 * time.Second

// LagOptions configure a LagMonitor.
type LagOptions struct {
	Config   Config
	Groups   []string
	Interval time.Duration // DefaultLagInterval when zero; also the time limit of one query
	Registry prometheus.Registerer
	Logger   *slog.Logger // nil discards
}

// LagMonitor maintains confab_consumer_lag_records{group,topic,partition}: the records of a partition that a group has not
// committed yet, as the brokers report it.
type LagMonitor struct {
	opts  LagOptions
	gauge *prometheus.GaugeVec
	shown map[lagKey]bool
}

// lagKey is a series: several groups may read one topic.
type lagKey struct {
	group string
	partitionKey
}

// NewLagMonitor returns a monitor and registers its gauge.
func NewLagMonitor(opts LagOptions) (*LagMonitor, error) {
	if err := opts.Config.Validate(); err != nil {
		return nil, err
	}
	opts.Interval = cmp.Or(opts.Interval, DefaultLagInterval)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &LagMonitor{
		opts:  opts,
		shown: make(map[lagKey]bool),
		gauge: promauto.With(opts.Registry).NewGaugeVec(prometheus.GaugeOpts{
			Name: "confab_consumer_lag_records", Help: "Records of a partition that a consumer group has not committed yet.",
		}, []string{"group", "topic", "partition"}),
	}, nil
}

// Run updates the gauge at every interval until ctx ends, then returns nil. While brokers do not answer, the last values
// stay.
func (w *LagMonitor) Run(ctx context.Context) error {
	cfg := w.opts.Config
	cfg.Context = ctx
	cl, err := cfg.NewClient()
	if err != nil {
		return fmt.Errorf("open lag client: %w", err)
	}
	defer cl.Close()
	admin := kadm.NewClient(cl)
	tick := time.NewTicker(w.opts.Interval)
	defer tick.Stop()
	for {
		if err := w.update(ctx, admin); err != nil && ctx.Err() == nil {
			w.opts.Logger.Warn("read consumer lag failed", slog.Any("error", err))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

func (w *LagMonitor) update(ctx context.Context, admin *kadm.Client) error {
	ctx, cancel := context.WithTimeout(ctx, w.opts.Interval)
	defer cancel()
	lags, err := admin.Lag(ctx, slices.Clone(w.opts.Groups)...) // it overwrites its argument
	if err != nil {
		return fmt.Errorf("lag: %w", err)
	}
	seen := make(map[lagKey]bool, len(w.shown))
	for _, name := range w.opts.Groups {
		group := lags[name]
		if errors.Is(group.Error(), kerr.GroupIDNotFound) { // until its first member has joined
			w.opts.Logger.Debug("consumer group does not exist yet", slog.String("group", name))
			continue
		}
		if err := group.Error(); err != nil {
			return fmt.Errorf("lag of group %s: %w", name, err)
		}
		for _, lag := range group.Lag.Sorted() {
			if lag.Err != nil {
				continue
			}
			seen[lagKey{name, partitionKey{lag.Topic, lag.Partition}}] = true
			w.gauge.WithLabelValues(name, lag.Topic, strconv.Itoa(int(lag.Partition))).Set(float64(max(lag.Lag, 0)))
		}
	}
	for key := range w.shown {
		if !seen[key] {
			w.gauge.DeleteLabelValues(key.group, key.topic, strconv.Itoa(int(key.partition)))
		}
	}
	w.shown = seen
	return nil
}
