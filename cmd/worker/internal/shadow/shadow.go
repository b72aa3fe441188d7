// Package shadow judges interactions by a second calibration, without effect, and counts where its verdicts differ.
package shadow

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/reloading"
	"confab/detectors"
	"confab/schemas"
)

// Verdicts that are compared.
const (
	verdictFlag  = "flag"
	verdictAlert = "alert"
	verdictBlock = "block"
)

// Changes of a verdict under the second calibration.
const (
	changeNone   = "none"
	changeGained = "gained"
	changeLost   = "lost"
)

// Judge compares what two calibrations make of the same findings. A nil *Judge compares nothing.
type Judge struct {
	evaluator atomic.Pointer[confab.Evaluator] // of the second calibration; nil: there is none

	verdicts  map[string]map[string]prometheus.Counter // by verdict and change
	detectors *prometheus.CounterVec
}

// New registers the metrics with reg. names are the detectors of the fast pass.
func New(reg prometheus.Registerer, names []string) *Judge {
	f := promauto.With(reg)
	verdicts := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_shadow_verdicts_total",
		Help: "Interactions judged by shadow_calibration_file too, by verdict (flag, alert, block) and what it would change: none, gained, lost.",
	}, []string{"verdict", "change"})
	j := &Judge{verdicts: map[string]map[string]prometheus.Counter{}, detectors: f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_shadow_detectors_total", Help: "Detectors that fire by one calibration only: gained by shadow_calibration_file, or lost.",
	}, []string{"detector", "change"})}
	for _, verdict := range []string{verdictFlag, verdictAlert, verdictBlock} {
		j.verdicts[verdict] = map[string]prometheus.Counter{}
		for _, change := range []string{changeNone, changeGained, changeLost} {
			j.verdicts[verdict][change] = verdicts.WithLabelValues(verdict, change)
		}
	}
	for _, name := range names {
		j.detectors.WithLabelValues(name, changeGained)
		j.detectors.WithLabelValues(name, changeLost)
	}
	return j
}

// Target replaces the second calibration by that of the new configuration. options are those of the evaluator in force.
func (j *Judge) Target(options func(*config.Config) (confab.Options, error)) reloading.Target {
	return func(next *config.Config, _ confab.Tuning) (func(), error) {
		v, err := newEvaluator(next, options)
		if err != nil {
			return nil, err
		}
		return func() { j.evaluator.Store(v) }, nil
	}
}

// newEvaluator makes the evaluator of the second calibration; nil if there is none.
func newEvaluator(c *config.Config, options func(*config.Config) (confab.Options, error)) (*confab.Evaluator, error) {
	if c.ShadowCalibrationFile == "" {
		return nil, nil //nolint:nilnil // no calibration is no error
	}
	t, err := confab.ReadTuning(c.ShadowCalibrationFile, c.ModelFile)
	if err != nil {
		return nil, fmt.Errorf("shadow_%w", err)
	}
	o, err := options(c)
	if err != nil {
		return nil, err
	}
	v, err := confab.New(o, t)
	if err != nil {
		return nil, fmt.Errorf("shadow_%w", err)
	}
	return v, nil
}

// Observe compares the verdicts on an evaluation, of which f is the flag; nil if nothing fired. Anomalous firing rates count in
// neither.
func (j *Judge) Observe(e *detectors.Evaluation, policy interface{ HoldsWithAnomalous(f *schemas.Flag) bool }, f *schemas.Flag) {
	if j == nil {
		return
	}
	v := j.evaluator.Load()
	if v == nil || e.Skipped() {
		return
	}
	fired, risk := e.JudgeBy(v.Suite)
	other := schemas.Flag{Tenant: e.Interaction().Tenant, Fired: fired, Risk: risk}
	if len(fired) > 0 {
		v.Policy.Stamp(&other)
	}
	j.count(verdictFlag, e.AnyFired(), len(fired) > 0)
	j.count(verdictAlert, f != nil && policy.HoldsWithAnomalous(f), other.Alert)
	j.count(verdictBlock, f != nil && f.Recommendation == schemas.Block, other.Recommendation == schemas.Block)
	for _, name := range e.Fired() {
		if !slices.Contains(fired, name) {
			j.detectors.WithLabelValues(name, changeLost).Inc()
		}
	}
	for _, name := range fired {
		if !slices.Contains(e.Fired(), name) {
			j.detectors.WithLabelValues(name, changeGained).Inc()
		}
	}
}

func (j *Judge) count(verdict string, before, after bool) {
	change := changeNone
	switch {
	case after && !before:
		change = changeGained
	case before && !after:
		change = changeLost
	}
	j.verdicts[verdict][change].Inc()
}
