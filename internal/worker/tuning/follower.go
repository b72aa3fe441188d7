package tuning

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab/consumer"
	"confab/internal/kafka"
)

// The reasons of ignored records.
const (
	ignoredForeign    = "foreign"
	ignoredUnreadable = "unreadable"
)

// FollowerOptions configure a Follower.
type FollowerOptions struct {
	Kafka    kafka.Config
	Topic    string
	Registry prometheus.Registerer
	Logger   *slog.Logger
}

// Follower holds the versions of the calibration as they change. A nil one holds none.
type Follower struct {
	o       FollowerOptions
	state   atomic.Pointer[State]
	ignored *prometheus.CounterVec
	warn    consumer.Throttle[string]
}

// NewFollower makes a follower without versions.
func NewFollower(o FollowerOptions) *Follower {
	f := &Follower{o: o, warn: consumer.Throttle[string]{Every: time.Minute}}
	f.state.Store(new(State))
	f.ignored = promauto.With(o.Registry).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_calibration_records_ignored_total",
		Help: "Records of kafka.topics.calibrations that do not count, by reason: foreign (an unknown key), unreadable (no valid calibration).",
	}, []string{"reason"})
	for _, reason := range []string{ignoredForeign, ignoredUnreadable} {
		f.ignored.WithLabelValues(reason)
	}
	return f
}

// State is what the topic holds; read-only.
func (f *Follower) State() *State {
	if f == nil {
		return new(State)
	}
	return f.state.Load()
}

// Load reads the topic, so that the first answer is measured by the version in force. If it cannot be read, the files hold until Run
// has read it.
func (f *Follower) Load(ctx context.Context) {
	s, err := ReadState(ctx, f.o.Kafka, f.o.Topic)
	if err != nil {
		if ctx.Err() == nil {
			f.o.Logger.WarnContext(ctx, "start with the calibration file, versions of it cannot be read yet: create the topic with `confab topics apply`, or grant READ",
				"topic", f.o.Topic, "error", err)
		}
		return
	}
	f.state.Store(s)
}

// Run follows the topic until ctx ends. What fails is logged and retried.
func (f *Follower) Run(ctx context.Context) error {
	building, caughtUp := new(State), false
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: f.o.Kafka, Topic: f.o.Topic, Partitions: []int32{versionsPartition}, Logger: f.o.Logger,
		CaughtUp: func() {
			caughtUp = true
			f.state.Store(building.clone())
		},
	}, func(r *kafka.FetchedRecord) {
		if err := building.apply(r); err != nil {
			f.ignore(ctx, r, err)
		} else if caughtUp { // before, it would show versions of the past
			f.state.Store(building.clone())
		}
	})
}

func (f *Follower) ignore(ctx context.Context, r *kafka.FetchedRecord, err error) {
	reason := ignoredUnreadable
	if errors.Is(err, errForeign) {
		reason = ignoredForeign
	}
	f.ignored.WithLabelValues(reason).Inc()
	if f.warn.Allow(reason) {
		f.o.Logger.WarnContext(ctx, "ignored a record of calibrations, the version before it stays in force: see confab tune --versions, and who may write to the topic",
			"reason", reason, "topic", r.Topic, "partition", r.Partition, "offset", r.Offset, "error", err)
	}
}
