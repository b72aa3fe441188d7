package observations

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/consumer"
	"confab/detectors/knownfalse"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// patience is how long a worker waits for observations that are not required.
const patience = 30 * time.Second

// The reasons of ignored observations.
const (
	ignoredFull       = "full"
	ignoredUnreadable = "unreadable"
)

// FollowerOptions configure a Follower.
type FollowerOptions struct {
	Settings config.Observations
	Kafka    kafka.Config
	Topic    string
	Registry prometheus.Registerer
	Logger   *slog.Logger
	Now      func() time.Time
}

// Follower holds the observations of llm.observations in memory as they change. A nil one holds none.
type Follower struct {
	o      FollowerOptions
	store  *knownfalse.Store
	loaded chan struct{} // closed once everything is read that the topic held at the start
	warn   consumer.Throttle[string]

	entries prometheus.Gauge
	ignored *prometheus.CounterVec
}

// NewFollower makes a follower; nil if observations are not enabled. It reads nothing until Run.
func NewFollower(o FollowerOptions) *Follower {
	if !o.Settings.Enabled {
		return nil
	}
	factory := promauto.With(o.Registry)
	f := &Follower{
		o: o, loaded: make(chan struct{}), warn: consumer.Throttle[string]{Every: time.Minute},
		store: knownfalse.NewStore(knownfalse.Limits{Entries: o.Settings.MaxEntries, PerTenant: o.Settings.MaxPerTenant}, o.Now),
		entries: factory.NewGauge(prometheus.GaugeOpts{
			Name: "confab_observations", Help: "Claims in memory that were found false.",
		}),
		ignored: factory.NewCounterVec(prometheus.CounterOpts{
			Name: "confab_observations_ignored_total", Help: "Observations that do not count, by reason: full (a limit of observations), unreadable.",
		}, []string{"reason"}),
	}
	for _, reason := range []string{ignoredFull, ignoredUnreadable} {
		f.ignored.WithLabelValues(reason)
	}
	return f
}

// Detectors returns the detector known_false over the observations, none if they are not enabled.
func (f *Follower) Detectors() []confab.OwnDetector {
	if f == nil {
		return nil
	}
	return []confab.OwnDetector{{Entry: knownfalse.Entry(f.store), Threshold: knownfalse.Threshold}}
}

// Run follows the topic until ctx ends. What fails is logged and retried.
func (f *Follower) Run(ctx context.Context) error {
	return kafka.Follow(ctx, kafka.FollowOptions{
		Config: f.o.Kafka, Topic: f.o.Topic, Logger: f.o.Logger,
		CaughtUp: func() {
			f.entries.Set(float64(f.store.Len()))
			f.o.Logger.InfoContext(ctx, "observations loaded", "count", f.store.Len())
			close(f.loaded)
		},
	}, func(r *kafka.FetchedRecord) {
		f.apply(ctx, r)
		f.entries.Set(float64(f.store.Len()))
	})
}

// apply stores the observation of a record, or deletes it.
func (f *Follower) apply(ctx context.Context, r *kafka.FetchedRecord) {
	if r.Value == nil {
		if key, tenant, ok := strings.Cut(string(r.Key), ":"); ok {
			if claim, err := parseClaimKey(key); err == nil {
				f.store.Delete(tenant, claim)
			}
		}
		return
	}
	var o schemas.Observation
	err := json.DecodeObservation(r.Value, &o)
	if err == nil && o.Key() != string(r.Key) {
		err = errors.New("the key is not that of the claim and the tenant")
	}
	if err == nil {
		err = putObservation(f.store, &o, f.o.Now())
	}
	if err == nil {
		return
	}
	reason := ignoredUnreadable
	if errors.Is(err, knownfalse.ErrStoreFull) {
		reason = ignoredFull
	}
	f.ignored.WithLabelValues(reason).Inc()
	if f.warn.Allow(reason) {
		f.o.Logger.WarnContext(ctx, "ignored observation", "reason", reason, "topic", f.o.Topic, "partition", r.Partition, "offset", r.Offset, "error", err)
	}
}

// putObservation stores an observation. An expired one, which replaces an earlier one of the claim, deletes it.
func putObservation(store *knownfalse.Store, o *schemas.Observation, now time.Time) error {
	claim, err := parseClaimKey(o.ClaimKey)
	if err != nil {
		return err
	}
	if o.Verdict != schemas.ClaimIsFalse {
		return fmt.Errorf("verdict: expected %s", schemas.ClaimIsFalse)
	}
	if o.Expired(now) {
		store.Delete(o.Tenant, claim)
		return nil
	}
	sources, err := parseSources(o.Sources)
	if err != nil {
		return err
	}
	return store.Put(o.Tenant, claim, knownfalse.Observation{Source: string(o.Source), At: o.At, Expires: o.ExpiresAt, Sources: sources})
}

func parseSources(list []string) (all []knownfalse.SourceHash, err error) {
	for _, text := range list[:min(len(list), maxSources)] {
		var h knownfalse.SourceHash
		if !decodeHex(h[:], text) {
			return nil, fmt.Errorf("sources: expected %d hexadecimal digits each", 2*len(h))
		}
		all = append(all, h)
	}
	return all, nil
}

func parseClaimKey(text string) (key knownfalse.ClaimKey, err error) {
	if !decodeHex(key[:], text) {
		return key, fmt.Errorf("claim_key: expected %d hexadecimal digits", 2*len(key))
	}
	return key, nil
}

func decodeHex(dst []byte, text string) bool {
	if len(text) != 2*len(dst) {
		return false
	}
	_, err := hex.Decode(dst, []byte(text))
	return err == nil
}

// Wait blocks until the observations are loaded. If they are not required, it gives up after a while.
func (f *Follower) Wait(ctx context.Context) {
	if f == nil {
		return
	}
	var late <-chan time.Time
	if !f.o.Settings.Required {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	select {
	case <-f.loaded:
	case <-ctx.Done():
	case <-late:
		f.o.Logger.WarnContext(ctx, "start without observations, they are read as soon as they can be: see the earlier warnings", "topic", f.o.Topic)
	}
}
