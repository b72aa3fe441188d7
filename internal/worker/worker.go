package worker

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"confab/alerting/dispatch"
	"confab/consumer"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/internal/kafka"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
	"confab/internal/worker/httpserver"
	"confab/internal/worker/observations"
	"confab/internal/worker/records"
	"confab/internal/worker/resources"
	"confab/internal/worker/tuning"
)

// Options are the dependencies of a worker. Config, Registry and Logger are required.
type Options struct {
	Config   *config.Config
	Registry *prometheus.Registry
	Logger   *slog.Logger
	Console  io.Writer // where the console sink prints; nil discards
	Color    bool      // the console is a terminal
	DryRun   bool      // measure and log; write, post and commit nothing
	// ConfigFile is the file that Config was read from, if any. When it changes, Reload reads the configuration again.
	ConfigFile string
	Reload     func() (*config.Config, error)
	Hangup     <-chan os.Signal // reloads at once; may be nil
	Level      *slog.LevelVar   // of Logger; may be nil
	// FromStart says that the configuration starts at the oldest record because someone asked for it: committed offsets,
	// which win, are logged.
	FromStart bool
	Now       func() time.Time

	Baselines *confidence.Live // of answers before the start; nil: none are known

	serving    func(net.Addr)   // called once the role serve listens; may be nil
	reloadTick <-chan time.Time // when to check files for changes; nil: every two seconds
	refitTick  <-chan time.Time // when to look whether a refit is due; nil: every minute
}

// worker holds the connections, metrics and roles of the process.
type worker struct {
	Options
	kafka      kafka.Config
	producer   *kafka.Producer
	clusterID  string
	partitions map[string]int         // by topic
	limits     *kafka.SizeLimits      // of the topics that the roles write
	registry   *schemaregistry.Client // nil: none is configured
	flags      *records.FlagEncoder   // nil: flags are written as JSON

	metrics      *roleMetrics
	loopMetrics  *consumer.Metrics
	suiteMetrics *detectors.Metrics // of both passes
	alertMetrics *dispatch.Metrics

	reloader *reloader
	observed *observations.Follower // nil: the active roles read none
	versions *tuning.Follower       // of the calibration; nil: the active roles follow none

	roles      []*role
	servers    []func(context.Context) error // of roles that answer requests
	ready      []httpserver.Check            // of them
	background []func(context.Context) error // runs until the roles stop
	closers    []func()                      // called in reverse
}

const (
	watchEvery     = time.Second      // interval of the watchdog's checks
	ackWindow      = time.Minute      // the producer is ready if it is idle or had an acknowledgement within it
	connectTimeout = 20 * time.Second // for the first response of a broker
)

// Run checks the cluster, runs the active roles until ctx ends and shuts down in order. It returns nil after an orderly
// shutdown, else an error with the remedy. It blocks for at most ShutdownGrace after the end of ctx.
func Run(ctx context.Context, opts Options) error {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Console == nil {
		opts.Console = io.Discard
	}
	w := &worker{Options: opts}
	return w.runWithGrace(ctx, w.Config.ShutdownGrace, func() error {
		// Client requests end before the rest is closed.
		life, cut := consumer.WithGrace(ctx, w.Config.ShutdownGrace-stopTime(w.Config))
		defer cut()
		if err := w.open(ctx, life); err != nil {
			if ctx.Err() != nil { // asked to stop during the start
				return nil
			}
			return err
		}
		defer w.close()
		return w.serve(ctx)
	})
}

// open connects and builds the roles. On an error it closes everything again. Connections work until life ends.
func (w *worker) open(ctx, life context.Context) (err error) {
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	w.metrics = w.newMetrics(w.Registry)
	w.loopMetrics = consumer.NewMetrics(w.Registry)
	w.alertMetrics = dispatch.NewMetrics(w.Registry)
	w.suiteMetrics = detectors.NewMetrics(w.Registry, w.detectorNames())
	w.learnBaselines()
	w.kafka = w.Config.KafkaClient(w.Logger)
	w.kafka.Context = life
	w.kafka.Metrics = kafka.NewClientMetrics(w.Registry)
	w.createSeries()
	if w.usesKafka() {
		if err := w.openKafka(ctx); err != nil {
			return err
		}
	}
	w.followVersions(ctx)
	w.followFiles()
	w.followObservations()
	for _, name := range w.activeRoles() {
		if err := builders()[name](w); err != nil {
			return err
		}
	}
	return nil
}

func (w *worker) openKafka(ctx context.Context) (err error) {
	if w.clusterID, err = w.checkCluster(ctx); err != nil {
		return err
	}
	if err := w.openRegistry(ctx); err != nil {
		return err
	}
	if w.producer, err = kafka.NewProducer(w.kafka); err != nil {
		return err
	}
	w.closers = append(w.closers, w.producer.Close)
	return nil
}

// usesKafka reports whether an active role reads or writes a topic. The page connects by itself, and starts without a broker.
func (w *worker) usesKafka() bool {
	return slices.ContainsFunc(w.activeRoles(), func(r config.Role) bool {
		return r != config.RoleUI && len(resources.RoleTopics(w.Config, r)) > 0
	})
}

// detectorNames are those that the active roles run.
func (w *worker) detectorNames() []string {
	names := w.Config.FastDetectors()
	if slices.Contains(w.activeRoles(), config.RoleSample) {
		names = append(names, detectors.Names(w.Config.SelectDetectors(standard.Deep(standard.Dependencies{})))...)
	}
	return names
}

// close closes what was opened.
func (w *worker) close() {
	for _, closeIt := range slices.Backward(w.closers) {
		closeIt()
	}
}

// serve runs the roles, the admin server and the lag watch. The latter two outlive the roles: probes and metrics respond
// until the last offset is committed. The first role to fail stops the others.
func (w *worker) serve(ctx context.Context) error {
	var lag *kafka.LagMonitor
	if w.usesKafka() {
		var err error
		lag, err = kafka.NewLagMonitor(kafka.LagOptions{
			Config: w.kafka, Groups: w.groups(), Registry: w.Registry, Logger: w.Logger,
		})
		if err != nil {
			return err
		}
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	side, stopSide := context.WithCancel(context.WithoutCancel(ctx))
	defer stopSide()

	var sideWork, work sync.WaitGroup
	errs := make(chan error, len(w.roles)+len(w.background)+len(w.servers)+4)
	run := func(wg *sync.WaitGroup, ctx context.Context, f func(context.Context) error) {
		wg.Go(func() {
			if err := f(ctx); err != nil {
				errs <- err
				stop()
			}
		})
	}
	if lag != nil {
		run(&sideWork, side, lag.Run)
	}
	run(&sideWork, side, w.serveAdmin)
	w.Logger.InfoContext(ctx, "worker started", "version", buildinfo.Version(), "roles", w.activeRoles(), "dry_run", w.DryRun)
	if !w.Config.Alerting.HasSink() {
		w.Logger.InfoContext(ctx, "no alert sink is configured: flags are marked as alerts, no message is sent", "remedy", "set a sink under alerting, such as alerting.slack or alerting.console: true")
	}
	run(&sideWork, ctx, w.runWatchdog)
	run(&sideWork, side, w.logProgress) // to the end of the roles
	for _, f := range w.background {
		run(&sideWork, ctx, f)
	}
	for _, r := range w.roles {
		run(&work, ctx, r.loop.Run)
	}
	for _, serve := range w.servers {
		run(&work, ctx, serve)
	}
	work.Wait()
	stop()
	stopSide()
	sideWork.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	w.Logger.InfoContext(ctx, "worker stopped")
	return errors.Join(all...)
}

// activeRoles are the configured roles; in a dry run only detect.
func (w *worker) activeRoles() []config.Role {
	if w.DryRun {
		return []config.Role{config.RoleDetect}
	}
	return w.Config.ActiveRoles()
}

func (w *worker) groups() []string {
	names := make([]string, 0, len(w.roles))
	for _, r := range w.roles {
		names = append(names, w.Config.Group(r.name))
	}
	return names
}

// serveAdmin runs the admin server. Live and ready never depend on lag, Slack or other services: a restart does not fix
// those.
func (w *worker) serveAdmin(ctx context.Context) error {
	o := httpserver.AdminOptions{Config: w.Config, Gatherer: w.Registry, StopTime: stopTime(w.Config), Logger: w.Logger}
	for _, r := range w.roles {
		o.Live = append(o.Live, httpserver.Check{Name: string(r.name), Ask: func() error { return r.alive(w.Now(), w.Config.Watchdog) }})
		o.Ready = append(o.Ready, httpserver.Check{Name: string(r.name), Ask: r.ready, Note: r.note})
	}
	o.Ready = append(o.Ready, w.ready...)
	if w.producer != nil {
		o.Ready = append(o.Ready, httpserver.Check{Name: "producer", Ask: w.producerReady})
	}
	return httpserver.ServeAdmin(ctx, o)
}

var errNoAck = errors.New("no record was acknowledged for a minute although some are pending")

func (w *worker) producerReady() error {
	if w.producer.Healthy(ackWindow) {
		return nil
	}
	return errNoAck
}
