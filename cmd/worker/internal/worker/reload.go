package worker

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"sync/atomic"
	"time"

	"confab"
	"confab/cmd/worker/internal/config"
)

// reloadEvery is the interval at which changed files are detected.
const reloadEvery = 2 * time.Second

// tuningReloader applies a changed calibration or model while the worker runs. If the new one is damaged, the last good one
// stays in force.
//
// It compares file contents every two seconds. File system notifications do not cover all cases: an editor renames a new
// file over the old one, Kubernetes swaps a symbolic link two directories up, and network file systems send none. A content
// is applied once it was read twice in a row, because half of a file can be a valid calibration.
type tuningReloader struct {
	config    *config.Config
	evaluator *atomic.Pointer[confab.Evaluator]
	metrics   *roleMetrics
	log       *slog.Logger
	now       func() time.Time
	tick      <-chan time.Time

	handled [sha256.Size]byte // digest of the last content or read error that was applied or rejected
	seen    [sha256.Size]byte // digest at the last check
}

// newReloader watches the configured calibration and model files; nil if neither is configured.
func (w *worker) newReloader(evaluator *atomic.Pointer[confab.Evaluator]) *tuningReloader {
	c := w.Config
	if c.CalibrationFile == "" && c.ModelFile == "" {
		return nil
	}
	r := &tuningReloader{config: c, evaluator: evaluator, metrics: w.metrics, log: w.Logger, now: w.Now, tick: w.reloadTick}
	if r.tick == nil {
		ticker := time.NewTicker(reloadEvery)
		r.tick = ticker.C
		w.closers = append(w.closers, ticker.Stop)
	}
	r.handled = evaluator.Load().Digest()
	r.seen = r.handled
	return r
}

// run checks the files until ctx ends. It never fails.
func (r *tuningReloader) run(ctx context.Context) error {
	for {
		select {
		case <-r.tick:
			r.check(ctx)
		case <-ctx.Done():
			return nil
		}
	}
}

// check applies changed files.
func (r *tuningReloader) check(ctx context.Context) {
	t, err := confab.ReadTuning(r.config.CalibrationFile, r.config.ModelFile)
	found := t.Digest()
	if err != nil {
		found = sha256.Sum256([]byte(err.Error()))
	}
	stable := found == r.seen
	r.seen = found
	if found == r.handled || !stable {
		return
	}
	r.handled = found
	var next *confab.Evaluator
	if err == nil {
		next, err = r.evaluator.Load().With(t)
	}
	if err != nil {
		r.metrics.reloaded.Set(0)
		r.log.ErrorContext(ctx, "reload rejected, keeping the current files: correct the changed file, or restore the old one",
			"error", err, "calibration", r.evaluator.Load().Calibration())
		return
	}
	r.log.InfoContext(ctx, "reloaded changed files", "calibration", next.Calibration(), "before", r.evaluator.Load().Calibration())
	r.evaluator.Store(next)
	r.metrics.reloaded.Set(1)
	r.metrics.reloadedAt.Set(float64(r.now().Unix()))
}
