package tuning

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/alerting"
	"confab/calibration"
	"confab/calibration/tune"
	"confab/internal/kafka"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
)

const (
	lookEvery  = time.Minute
	retryAfter = 10 * time.Minute
)

// RefitterOptions are the dependencies of a Refitter.
type RefitterOptions struct {
	Config   func() *config.Config // that in force
	Versions *Follower
	Kafka    kafka.Config
	Producer *kafka.Producer
	Decode   incidents.FlagDecoder
	Registry prometheus.Registerer
	Logger   *slog.Logger
	Now      func() time.Time
	Tick     <-chan time.Time // when to look whether a refit is due; nil: every minute
}

// Refitter refits the calibration once in every window, in the process that owns the first partition of the role.
type Refitter struct {
	RefitterOptions
	Lease

	outcomes  *prometheus.CounterVec
	notBefore time.Time // after a failure
}

// NewRefitter makes a refitter.
func NewRefitter(o RefitterOptions) *Refitter {
	r := &Refitter{RefitterOptions: o}
	r.outcomes = promauto.With(o.Registry).NewCounterVec(prometheus.CounterOpts{
		Name: "confab_tuning_refits_total",
		Help: "Refits of the calibration to live traffic, by outcome: applied, proposed, kept (nothing would change, or get better), too_few (judged answers), failed.",
	}, []string{"outcome"})
	for _, outcome := range []Outcome{Applied, Proposed, Kept, TooFew, Failed} {
		r.outcomes.WithLabelValues(string(outcome))
	}
	return r
}

// Run refits when it is time until ctx ends. Failures are logged, counted and retried.
func (r *Refitter) Run(ctx context.Context) error {
	tick := r.Tick
	if tick == nil {
		ticker := time.NewTicker(lookEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			r.look(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// look refits if this process owns the partition and the last window was not read yet. All replicas have the same windows: a second
// refit of one would write the same.
func (r *Refitter) look(ctx context.Context) {
	window := r.Config().Tuning.Every
	until := r.Now().UTC().Truncate(window)
	if r.Now().Before(r.notBefore) || r.Versions.State().Refit.covers(until, r.Now()) {
		return
	}
	held, release, ok := r.hold(ctx)
	if !ok {
		return
	}
	defer release()
	done, err := r.refit(held, until)
	switch {
	case err == nil && done.Outcome == "":
	case err == nil:
		r.outcomes.WithLabelValues(string(done.Outcome)).Inc()
		r.Logger.InfoContext(ctx, "refitted the calibration", "outcome", done.Outcome, "version", done.Version, "judged", done.Judged, "words", done.Words)
	case held.Err() == nil:
		r.notBefore = r.Now().Add(retryAfter)
		r.outcomes.WithLabelValues(string(Failed)).Inc()
		r.Logger.WarnContext(ctx, "refit of the calibration failed, the one in force stays; it is tried again in ten minutes", "error", err)
	}
}

// refit reads the window that ends at until, decides and writes the result.
func (r *Refitter) refit(ctx context.Context, until time.Time) (done Refit, err error) {
	c := r.Config()
	t := &c.Kafka.Topics
	state, err := ReadState(ctx, r.Kafka, t.Calibrations)
	if err != nil {
		return done, err
	}
	if state.Refit.covers(until, r.Now()) { // it is done, and the follower has not read it yet
		return done, nil
	}
	if v := state.madeBy(until); v != nil { // its last record was lost: a second step would have itself as parent
		return r.write(ctx, state, Refit{Until: until, At: r.Now().UTC(), Outcome: Applied, Version: v.ID, Words: v.Words})
	}
	files, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	if err != nil {
		return done, err
	}
	v := Version{At: until}
	if v.Base, err = BaseOf(files); err != nil {
		return done, err
	}
	in, err := r.input(ctx, state, files, &v)
	if err != nil {
		return done, err
	}
	d, err := decide(ctx, in)
	if err != nil {
		return done, fmt.Errorf("fit: %w", err)
	}
	done = Refit{Until: until, At: r.Now().UTC(), Outcome: d.outcome, Judged: in.notes.Judged, Words: d.words}
	if d.outcome != Applied && d.outcome != Proposed {
		return r.write(ctx, state, done)
	}
	messages, err := r.version(state, &d, &v)
	switch done.Version, done.Words = v.ID, v.Words; {
	case errors.Is(err, errTooLarge): // so it would be in ten minutes
		done.Outcome, done.Version, done.Words, messages = Failed, "", []string{err.Error()}, nil
	case err != nil:
		return done, err
	}
	return r.write(ctx, state, done, messages...)
}

// write writes the result, unless a person has chosen a version since the state was read: then the next attempt starts from that.
func (r *Refitter) write(ctx context.Context, read *State, done Refit, messages ...kafka.Message) (Refit, error) {
	topic := r.Config().Kafka.Topics.Calibrations
	m, err := record(topic, keyRefit, done)
	if err != nil {
		return done, err
	}
	now, err := ReadState(ctx, r.Kafka, topic)
	if err == nil {
		err = ctx.Err() // the partition has another owner
	}
	switch {
	case err != nil:
		return done, err
	case now.InForce.Version != read.InForce.Version || now.InForce.Held != read.InForce.Held:
		return done, errors.New("another version was put in force meanwhile")
	}
	return done, r.Producer.ProduceSync(ctx, append(messages, m)...)
}

// input reads the rows, and what is in force, the parent of the next version.
func (r *Refitter) input(ctx context.Context, state *State, files confab.Tuning, next *Version) (*refitInput, error) {
	c, until := r.Config(), next.At
	t := &c.Kafka.Topics
	tuning, version, err := state.Over(files)
	if err != nil {
		return nil, err
	}
	if version != nil {
		next.Parent = version.ID
	}
	cal, err := tuning.ParseCalibration()
	if err != nil {
		return nil, err
	}
	effective, err := cal.WithThresholds(c.Thresholds())
	if err != nil {
		return nil, err
	}
	model, err := tuning.ParseModel()
	if err != nil {
		return nil, err
	}
	store, err := readAnswers(ctx, &ReadOptions{
		Kafka: r.Kafka, Incidents: t.Incidents, Labels: t.Feedback, Decode: r.Decode, Since: until.Add(-windows * c.Tuning.Every), Until: until,
	})
	if err != nil {
		return nil, err
	}
	j := store.join(numOwners, "")
	notes := j.notes()
	return &refitInput{
		store: store, rows: j.rows, notes: notes, window: c.Tuning.Every, auto: c.Tuning.Auto, held: state.InForce.Held, inForce: cal, set: c.Thresholds(),
		fit: tune.Options{
			Current: effective, Policy: alerting.NewPolicy(c.PolicyOptions()), Answers: notes.Answers, PerDay: notes.PerDay,
			Fingerprint: notes.Fingerprint, CreatedBy: "confab tuning.auto " + buildinfo.Version(), Model: model.ID, Now: until,
		},
	}, nil
}

// version completes the version, and returns its records and that of the choice if it is applied.
func (r *Refitter) version(state *State, d *decision, v *Version) (all []kafka.Message, err error) {
	topic := r.Config().Kafka.Topics.Calibrations
	v.ID, v.Words = d.file.ID, append(d.words, "Nothing, if you agree. To go back: confab tune --rollback")
	if d.outcome == Proposed {
		v.Words = append(d.words, "To accept it: confab tune --accept "+v.ID)
	}
	var text strings.Builder
	if err := calibration.Encode(&text, d.file); err != nil {
		return nil, err
	}
	v.Calibration = text.String()
	add := func(key string, value any) {
		if err == nil {
			var m kafka.Message
			m, err = record(topic, key, value)
			all = append(all, m)
		}
	}
	add(versionPrefix+v.ID, *v)
	if d.outcome == Applied {
		add(keyInForce, Choice{Version: v.ID, At: r.Now().UTC()})
	}
	for i, old := range state.List() {
		if i >= maxVersions-1 && old.ID != v.Parent && old.ID != state.InForce.Version {
			add(versionPrefix+old.ID, nil)
		}
	}
	return all, err
}

// Lease is what only one process may do: the one that owns the first partition of its role's topic.
type Lease struct {
	mu     sync.Mutex
	owned  bool
	cancel context.CancelFunc // of what runs under it
}

// Assign takes the lease with the partition.
func (l *Lease) Assign(partitions []int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.owned = l.owned || slices.Contains(partitions, 0)
}

// Revoke gives the lease up with the partition, and cancels what runs under it.
func (l *Lease) Revoke(partitions []int32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !slices.Contains(partitions, 0) {
		return
	}
	l.owned = false
	if l.cancel != nil {
		l.cancel()
	}
}

// hold returns a context that ends with the lease; false without the lease.
func (l *Lease) hold(ctx context.Context) (held context.Context, release context.CancelFunc, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.owned {
		return ctx, nil, false
	}
	held, l.cancel = context.WithCancel(ctx)
	return held, l.cancel, true
}
