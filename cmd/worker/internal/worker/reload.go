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

// reloadEvery is how often the files that may change are looked at.
const reloadEvery = 2 * time.Second

// tuningReloader puts a changed calibration or model in force while the worker runs, and keeps the last good one when the new
// one is damaged.
//
// It compares contents, every other second. Notifications of the file system would come sooner and would have to be asked
// for anew whenever the file is another one: an editor renames a new file over the old, Kubernetes swaps a symbolic link
// two directories up, and network file systems tell nobody. Contents are the same question everywhere, and reading a few
// kilobytes costs nothing. A content counts once it was seen twice in a row: the half of a file that is being written may
// well be a valid calibration with half of the thresholds.
type tuningReloader struct {
	config    *config.Config
	evaluator *atomic.Pointer[confab.Evaluator]
	metrics   *roleMetrics
	log       *slog.Logger
	now       func() time.Time
	tick      <-chan time.Time

	handled [sha256.Size]byte // the content, or the failure to read it, that was last taken over or refused
	seen    [sha256.Size]byte // what was there at the last look
}

// newReloader watches the files that the evaluator was made of; nil when it was made of none.
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

// run looks until ctx ends. It never fails: whatever the files hold, the last good ones stay in force.
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

// check takes over what has changed.
func (r *tuningReloader) check(ctx context.Context) {
	t, err := confab.ReadTuning(r.config.CalibrationFile, r.config.ModelFile)
	found := t.Digest()
	if err != nil {
		found = sha256.Sum256([]byte(err.Error()))
	}
	settled := found == r.seen
	r.seen = found
	if found == r.handled || !settled {
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
