package evaluation

import (
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"confab"
	"confab/alerting"
	"confab/detectors"
	"confab/internal/worker/config"
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

// Shadow judges interactions by a second calibration, without effect, and counts where its verdicts differ. A nil *Shadow does
// nothing.
type Shadow struct {
	options   func(*config.Config) (confab.Options, error)
	evaluator atomic.Pointer[confab.Evaluator] // of the second calibration; nil: there is none

	verdicts  map[string]map[string]prometheus.Counter // by verdict and change
	detectors *prometheus.CounterVec
}

// NewShadow reads the configured second calibration, if there is one, and registers the metrics with reg. options are those of
// the evaluator in force.
func NewShadow(c *config.Config, reg prometheus.Registerer, options func(*config.Config) (confab.Options, error)) (*Shadow, error) {
	s := newShadow(reg, c.FastDetectors())
	s.options = options
	load, err := s.Reload(c, confab.Tuning{})
	if err != nil {
		return nil, err
	}
	load()
	return s, nil
}

func newShadow(reg prometheus.Registerer, names []string) *Shadow {
	f := promauto.With(reg)
	verdicts := f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_shadow_verdicts_total",
		Help: "Interactions judged by shadow_calibration_file too, by verdict (flag, alert, block) and what it would change: none, gained, lost.",
	}, []string{"verdict", "change"})
	s := &Shadow{verdicts: map[string]map[string]prometheus.Counter{}, detectors: f.NewCounterVec(prometheus.CounterOpts{
		Name: "confab_shadow_detectors_total", Help: "Detectors that fire by one calibration only: gained by shadow_calibration_file, or lost.",
	}, []string{"detector", "change"})}
	for _, verdict := range []string{verdictFlag, verdictAlert, verdictBlock} {
		s.verdicts[verdict] = map[string]prometheus.Counter{}
		for _, change := range []string{changeNone, changeGained, changeLost} {
			s.verdicts[verdict][change] = verdicts.WithLabelValues(verdict, change)
		}
	}
	for _, name := range names {
		s.detectors.WithLabelValues(name, changeGained)
		s.detectors.WithLabelValues(name, changeLost)
	}
	return s
}

// Reload prepares the second calibration of a new configuration; commit applies it. The tuning in force does not matter.
func (s *Shadow) Reload(next *config.Config, _ confab.Tuning) (commit func(), err error) {
	v, err := s.read(next)
	if err != nil {
		return nil, err
	}
	return func() { s.evaluator.Store(v) }, nil
}

// read makes the evaluator of the second calibration; nil if there is none.
func (s *Shadow) read(c *config.Config) (*confab.Evaluator, error) {
	if c.ShadowCalibrationFile == "" {
		return nil, nil //nolint:nilnil // no calibration is no error
	}
	t, err := confab.ReadTuning(c.ShadowCalibrationFile, c.ModelFile)
	if err != nil {
		return nil, fmt.Errorf("shadow_%w", err)
	}
	o, err := s.options(c)
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
func (s *Shadow) Observe(e *detectors.Evaluation, policy *alerting.Policy, f *schemas.Flag) {
	if s == nil {
		return
	}
	v := s.evaluator.Load()
	if v == nil || e.Skipped() {
		return
	}
	fired, risk := e.JudgeBy(v.Suite)
	other := schemas.Flag{Tenant: e.Interaction().Tenant, Fired: fired, Risk: risk}
	if len(fired) > 0 {
		other.Unchecked = e.Coverage().Reasons()
		v.Policy.Stamp(&other)
	}
	s.count(verdictFlag, e.AnyFired(), len(fired) > 0)
	s.count(verdictAlert, f != nil && policy.HoldsWithAnomalous(f), other.Alert)
	s.count(verdictBlock, f != nil && f.Recommendation == schemas.Block, other.Recommendation == schemas.Block)
	for _, name := range e.Fired() {
		if !slices.Contains(fired, name) {
			s.detectors.WithLabelValues(name, changeLost).Inc()
		}
	}
	for _, name := range fired {
		if !slices.Contains(e.Fired(), name) {
			s.detectors.WithLabelValues(name, changeGained).Inc()
		}
	}
}

func (s *Shadow) count(verdict string, before, after bool) {
	change := changeNone
	switch {
	case after && !before:
		change = changeGained
	case before && !after:
		change = changeLost
	}
	s.verdicts[verdict][change].Inc()
}
