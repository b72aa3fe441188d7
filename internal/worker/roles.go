package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/consumer"
	"confab/detectors/confidence"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/export"
	"confab/internal/worker/observations"
	"confab/internal/worker/records"
	"confab/internal/worker/tuning"
	"confab/schemas"
)

// roleLoop is a consumer loop of any record type.
type roleLoop interface { //nolint:interfacebloat // what the wiring asks of a loop
	Run(ctx context.Context) error
	Ready() bool
	Progress() consumer.Progress
	Unreadable() []consumer.Unreadable
}

// role is a running role: one consumer group member.
type role struct {
	name    config.Role
	loop    roleLoop
	waiting atomic.Pointer[time.Time] // until when a handler may take, with the monotonic clock reading
}

// busyUntil extends the watchdog's limit for the handler to t. t keeps its monotonic reading, so a jump of the wall clock has
// no effect.
func (r *role) busyUntil(t time.Time) { r.waiting.Store(&t) }

// builders build the roles: consumer group members, or servers.
func builders() map[config.Role]func(w *worker) error {
	return map[config.Role]func(w *worker) error{
		config.RoleDetect: (*worker).buildDetect, config.RoleSample: (*worker).buildSample, config.RoleAlert: (*worker).buildAlert,
		config.RoleExport: (*worker).buildExport, config.RoleServe: (*worker).buildServe, config.RoleUI: (*worker).buildUI,
	}
}

// addRole adds a consumer group member with the loop.
func (w *worker) addRole(name config.Role, loop roleLoop, err error) error {
	if err == nil {
		w.roles = append(w.roles, &role{name: name, loop: loop})
	}
	return err
}

const (
	// exportTimeout bounds one delivery of a batch. It stays below the watchdog's limit.
	exportTimeout = time.Minute
	// exportBytes bounds the flags that a destination's loop reads ahead: a dead one keeps them.
	exportBytes = 16 << 20
	// exportWorkers is how many partitions may wait for a destination at a time.
	exportWorkers = 8
)

func (w *worker) buildExport() error {
	c, metrics := w.Config, export.NewMetrics(w.Registry)
	patience := min(exportTimeout, c.Watchdog/2)
	for _, destination := range c.Export.Destinations() {
		name := config.ExportRole(destination)
		opts := loopOptions[*schemas.Flag](w, name)
		h, err := export.NewHandler(destination, &export.Dependencies{Config: c, Metrics: metrics, Logger: opts.Logger}, patience)
		if err != nil {
			return err
		}
		w.closers = append(w.closers, h.Close)
		opts.Topics, opts.Reasons = []string{c.Kafka.Topics.Incidents}, records.LetterReasons(config.RoleExport)
		opts.Codec, opts.Handler, opts.Outcomes = records.NewFlagCodec(w.registry), h, export.Outcomes()
		opts.MaxBatch, opts.Workers, opts.InFlightBytes, opts.TotalBytes = h.MaxBatch(), exportWorkers, exportBytes/4, exportBytes
		opts.HandlerWaits, opts.SlowRecord = true, patience+time.Second
		loop, err := consumer.New(opts)
		if err := w.addRole(name, loop, err); err != nil {
			return err
		}
	}
	return nil
}

// observedLoop starts a loop when the observations are loaded.
type observedLoop struct {
	roleLoop
	observed *observations.Follower
}

func (l observedLoop) Run(ctx context.Context) error {
	l.observed.Wait(ctx)
	return l.roleLoop.Run(ctx)
}

// followFiles makes the reloader of configuration, calibration and model.
func (w *worker) followFiles() {
	w.reloader = newReloader(reloadOptions{
		Config: w.Config, File: w.ConfigFile, Load: w.Reload, Level: w.Level, Metrics: newReloadMetrics(w.Registry, w.Now),
		Logger: w.Logger, Now: w.Now, Tick: w.reloadTick, Hangup: w.Hangup, Versions: w.versions,
	})
	w.background = append(w.background, w.reloader.Run)
}

// learnBaselines makes the baselines that the answers of the stream teach, if an active role reads them first.
func (w *worker) learnBaselines() {
	if roles := w.activeRoles(); !slices.Contains(roles, config.RoleDetect) && !slices.Contains(roles, config.RoleServe) {
		w.Baselines = nil
		return
	}
	w.Baselines = cmp.Or(w.Baselines, confidence.NewLive(w.Now))
	for state, ready := range map[string]bool{"learning": false, "ready": true} {
		promauto.With(w.Registry).NewGaugeFunc(prometheus.GaugeOpts{
			Name: "confab_confidence_baselines", ConstLabels: prometheus.Labels{"state": state},
			Help: "Tenants' models and operations whose usual token uncertainty this worker learns or has learned, by state: learning, ready.",
		}, func() float64 { return float64(w.Baselines.Count(ready)) })
	}
}

// followVersions makes the follower of the versions of the calibration, and reads those that there are.
func (w *worker) followVersions(ctx context.Context) {
	follows := func(r config.Role) bool { return r != config.RoleExport && r != config.RoleUI }
	if !w.Config.Tuning.Learns() || !slices.ContainsFunc(w.activeRoles(), follows) {
		return
	}
	w.versions = tuning.NewFollower(tuning.FollowerOptions{
		Kafka: w.kafka, Topic: w.Config.Kafka.Topics.Calibrations, Registry: w.Registry, Logger: w.Logger,
	})
	w.versions.Load(ctx)
	w.background = append(w.background, w.versions.Run)
}

// newEvaluator makes an evaluator with the calibration and the model in force.
func (w *worker) newEvaluator(o confab.Options) (*confab.Evaluator, error) {
	t, err := w.reloader.tuning(w.Config)
	if err != nil {
		return nil, err
	}
	return confab.New(o, t)
}

// followObservations makes the follower of claims that were found false, if an active role measures answers by them.
func (w *worker) followObservations() {
	if roles := w.activeRoles(); slices.Contains(roles, config.RoleDetect) || slices.Contains(roles, config.RoleServe) {
		w.observed = observations.NewFollower(observations.FollowerOptions{
			Settings: w.Config.Observations, Kafka: w.kafka, Topic: w.Config.Kafka.Topics.Observations,
			Registry: w.Registry, Logger: w.Logger, Now: w.Now,
		})
	}
	if w.observed != nil {
		w.background = append(w.background, w.observed.Run)
	}
}

// fastOptions are the options of the evaluator of the fast pass under a configuration.
func (w *worker) fastOptions(c *config.Config) (confab.Options, error) {
	o, err := evaluation.FastOptions(c, nil, w.Logger)
	if err != nil {
		return o, err
	}
	o.Suite.Metrics, o.Deps.Live = w.suiteMetrics, w.Baselines
	o.Suite.Deadline, o.Own = c.Limits.EventDeadline, w.observed.Detectors()
	return o, nil
}

func (w *worker) publisher() records.Publisher {
	return records.Publisher{Topics: w.Config.Kafka.Topics, Flags: w.flags, Limits: w.limits, Metrics: w.metrics.records}
}

// loopOptions are the options that the loops of all roles share.
func loopOptions[T any](w *worker, name config.Role) consumer.Options[T] {
	k, poisonShare, crashDeaths := &w.Config.Kafka, 0.0, 0
	if k.PoisonCircuit {
		poisonShare = 0.5
	}
	if k.CrashSuspect {
		crashDeaths = 2
	}
	return consumer.Options[T]{
		Kafka: w.kafka, Producer: w.producer,
		DeadLetter: deadletter.NewWriter(deadletter.Options{
			Producer: w.producer, Topic: k.Topics.DLQ, Name: w.Config.Group(name),
		}),
		Role: string(name), Group: w.Config.Group(name), InstanceID: k.InstanceID, ServerSide: k.GroupProtocol == config.GroupProtocolConsumer,
		Reasons: records.LetterReasons(name), Remedy: records.NewRemedy(w.Config), FromStart: w.FromStart,
		StartOffset: consumer.StartOffset(w.Config.StartOffset(name)), OnDataLoss: consumer.OnDataLoss(k.OnDataLoss),
		PoisonShare: poisonShare, CrashDeaths: crashDeaths,
		Workers: w.Config.Workers, MaxValueBytes: int(k.MaxRecordBytes),
		Grace: roleGrace(w.Config), SessionTimeout: k.SessionTimeout, LeaveOnExit: k.LeaveOnExit, Metrics: w.loopMetrics, Logger: w.Logger.With("role", string(name)),
	}
}

var errStuck = errors.New("a handler has made no progress")

// alive returns an error if a handler has made no progress for longer than limit.
func (r *role) alive(now time.Time, limit time.Duration) error {
	p := r.loop.Progress()
	if !p.Busy {
		return nil
	}
	since := p.Since
	if waiting := r.waiting.Load(); waiting != nil && waiting.After(since) {
		since = *waiting
	}
	if stuck := now.Sub(since); stuck > limit {
		return fmt.Errorf("%s: %w for %s on topic %s partition %d offset %d",
			r.name, errStuck, stuck.Round(time.Second), p.Topic, p.Partition, p.Offset)
	}
	return nil
}

// note says which partitions cannot be read; "" for none. It does not make the worker unready: the owner of a partition cannot be
// replaced by another that can read it, and a rollout of what helps would wait for the worker.
func (r *role) note() string {
	var lines []string
	for _, u := range r.loop.Unreadable() {
		lines = append(lines, u.String())
	}
	return strings.Join(lines, "; ")
}

var errNotJoined = errors.New("has not joined its consumer group, or is shutting down")

func (r *role) ready() error {
	if !r.loop.Ready() {
		return fmt.Errorf("%s: %w", r.name, errNotJoined)
	}
	return nil
}
