package worker

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/internal/files"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/internal/worker/tuning"
)

const (
	// checkEvery is the interval at which changed files are detected.
	checkEvery = 2 * time.Second
	// maxConfigBytes bounds a configuration file.
	maxConfigBytes = 1 << 20
)

// reloadMetrics say whether the files are in force.
type reloadMetrics struct{ successful, successAt, restart, unreachable prometheus.Gauge }

// newReloadMetrics registers the metrics with reg. The files that are read at the start count as reloaded.
func newReloadMetrics(reg prometheus.Registerer, now func() time.Time) *reloadMetrics {
	f := promauto.With(reg)
	m := &reloadMetrics{
		successful: f.NewGauge(prometheus.GaugeOpts{
			Name: "confab_config_last_reload_successful", Help: "1 when configuration, calibration and model are in force as their files stand; 0 when the last change was refused.",
		}),
		successAt: f.NewGauge(prometheus.GaugeOpts{
			Name: "confab_config_last_reload_success_timestamp_seconds", Help: "When configuration, calibration and model were last loaded.",
		}),
		restart: f.NewGauge(prometheus.GaugeOpts{
			Name: "confab_config_restart_required", Help: "1 when the configuration file has changes that need a restart; the log names them.",
		}),
		unreachable: f.NewGauge(prometheus.GaugeOpts{
			Name: "confab_alert_rules_unreachable", Help: "Parts of the alert rules that can never hold with the calibration and the model in force; the log and confab doctor name them.",
		}),
	}
	m.successful.Set(1)
	m.successAt.Set(float64(now().Unix()))
	return m
}

// reloadTarget prepares a change. commit applies it; it is called only if every target could prepare.
type reloadTarget func(next *config.Config, t confab.Tuning) (commit func(), err error)

// reloadOptions configure a reloader.
type reloadOptions struct {
	Config  *config.Config                 // in force
	File    string                         // of the configuration; "" for none
	Load    func() (*config.Config, error) // reads the configuration again; needed with File
	Level   *slog.LevelVar                 // of the log; nil: it does not change
	Metrics *reloadMetrics
	Logger  *slog.Logger
	Now     func() time.Time
	// Versions of the calibration, one of which may be in force in place of the file; nil for none.
	Versions *tuning.Follower
	Tick     <-chan time.Time // when to look; nil: every two seconds
	Hangup   <-chan os.Signal // when to apply what is there at once, changed or not; may be nil
}

// reloader applies changed files: hot settings of the configuration, the calibration and the model. If a new file is
// damaged, everything stays as it is.
//
// It compares file contents every two seconds. File system notifications do not cover all cases: an editor renames a new
// file over the old one, Kubernetes swaps a symbolic link two directories up, and network file systems send none. A content
// is applied once it was read twice in a row, because half of a file can be a valid one.
type reloader struct {
	o       reloadOptions
	running atomic.Pointer[config.Config]
	targets []reloadTarget

	handled [sha256.Size]byte // digest of the last content or read error that was applied or rejected
	seen    [sha256.Size]byte // digest at the last check
}

// newReloader makes a reloader of the files as they stand. Add its targets before Run.
func newReloader(o reloadOptions) *reloader {
	r := &reloader{o: o}
	r.running.Store(o.Config)
	r.handled = r.digest(o.Config)
	r.seen = r.handled
	if t, err := r.tuning(o.Config); err == nil { // else the evaluators report it
		r.countUnreachable(o.Config, &t)
	}
	return r
}

// Running is the configuration in force.
func (r *reloader) Running() *config.Config { return r.running.Load() }

// Add adds targets.
func (r *reloader) Add(targets ...reloadTarget) { r.targets = append(r.targets, targets...) }

// Run checks the files until ctx ends. It never fails.
func (r *reloader) Run(ctx context.Context) error {
	tick := r.o.Tick
	if c := r.Running(); r.o.File == "" && c.CalibrationFile == "" && c.ModelFile == "" && r.o.Versions == nil {
		tick = make(chan time.Time) // there are no files to look at
	}
	if tick == nil {
		ticker := time.NewTicker(checkEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	for {
		select {
		case <-tick:
			r.check(ctx)
		case <-r.o.Hangup:
			r.seen = r.digest(r.Running())
			if r.reload(ctx, r.seen) {
				r.o.Logger.InfoContext(ctx, "reloaded on SIGHUP")
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// check applies changed files.
func (r *reloader) check(ctx context.Context) {
	last := r.seen
	if r.seen = r.digest(r.Running()); r.seen == last && r.seen != r.handled {
		r.reload(ctx, r.seen)
	}
}

// reload applies the files with that digest; false if they are refused.
func (r *reloader) reload(ctx context.Context, found [sha256.Size]byte) bool {
	r.handled = found
	if err := r.apply(ctx); err != nil {
		r.o.Metrics.successful.Set(0)
		r.o.Logger.ErrorContext(ctx, "reload rejected, keeping the current files: correct the changed file, or restore the old one", "error", err)
		return false
	}
	r.handled = r.digest(r.Running()) // of the files that the new configuration names
	r.seen = r.handled
	r.o.Metrics.successful.Set(1)
	r.o.Metrics.successAt.Set(float64(r.o.Now().Unix()))
	return true
}

// digest is a digest of the files' contents, or of the error that reading them returns.
func (r *reloader) digest(c *config.Config) [sha256.Size]byte {
	h := sha256.New()
	if r.o.File != "" {
		text, err := files.Read(r.o.File, maxConfigBytes)
		if err != nil {
			text = []byte(err.Error())
		}
		sum := sha256.Sum256(text)
		h.Write(sum[:])
	}
	t, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	sum := t.Digest()
	if err != nil {
		sum = sha256.Sum256([]byte(err.Error()))
	}
	h.Write(sum[:])
	h.Write(r.o.Versions.State().Digest())
	return [sha256.Size]byte(h.Sum(nil))
}

// tuning is that of the files, or the version in force that was made from them.
func (r *reloader) tuning(c *config.Config) (confab.Tuning, error) {
	files, err := confab.ReadTuning(c.CalibrationFile, c.ModelFile)
	if err != nil {
		return files, err
	}
	t, _, err := r.o.Versions.State().Over(files)
	return t, err
}

func (r *reloader) apply(ctx context.Context) error {
	next, applied, cold := r.Running(), []string(nil), []string(nil)
	if r.o.File != "" {
		loaded, err := r.o.Load()
		if err != nil {
			return err
		}
		if next, applied, cold, err = merge(r.Running(), loaded); err != nil {
			return err
		}
	}
	t, err := r.tuning(next)
	if err != nil {
		return err
	}
	cal, err := t.ParseCalibration()
	if err != nil {
		return err
	}
	commits := make([]func(), 0, len(r.targets))
	for _, target := range r.targets {
		commit, err := target(next, t)
		if err != nil {
			return err
		}
		commits = append(commits, commit)
	}
	for _, commit := range commits {
		commit()
	}
	if r.o.Level != nil {
		_ = r.o.Level.UnmarshalText([]byte(next.Log.Level)) // the configuration allows no unknown ones
	}
	r.running.Store(next)
	r.countUnreachable(next, &t)
	r.o.Logger.InfoContext(ctx, "reloaded changed files", "calibration", cal.ID(), "settings", applied)
	r.o.Metrics.restart.Set(0)
	if len(cold) > 0 {
		r.o.Metrics.restart.Set(1)
		r.o.Logger.WarnContext(ctx, "changed settings need a restart", "settings", cold)
	}
	return nil
}

// countUnreachable sets the number of rules that can never hold. Evaluators log them.
func (r *reloader) countUnreachable(c *config.Config, t *confab.Tuning) {
	cal, err := t.CalibrationWith(c.Thresholds())
	if err != nil {
		return
	}
	policy := c.PolicyOptions()
	r.o.Metrics.unreachable.Set(float64(len(confab.UnreachableRules(&policy, cal, evaluation.RunningDetectors(c)))))
}
