package confab

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/deep"
	"confab/detectors/standard"
	"confab/internal/promptsources"
	"confab/internal/redact"
	"confab/schemas"
)

// Evaluator turns an interaction into a flag: it measures the interaction with the suite and stamps the alert policy on the
// result. It is safe for concurrent use.
type Evaluator struct {
	Suite  *detectors.Suite
	Policy *alerting.Policy

	options     Options
	calibration string // its id
	knowsModel  func(model string) bool
	unreachable []string
}

// OwnDetector is a detector of another module with its threshold, since no calibration knows it. It can fire and weighs
// in the alert rule. When it fires, it raises the risk; clear, it does not lower it.
type OwnDetector struct {
	detectors.Entry
	Threshold float64 // 0 to 1: the rule fires at a score of at least this
}

// Options are the options of an [Evaluator]. The zero value enables all standard detectors with their defaults, the
// default alert rule, and redaction.
type Options struct {
	Suite    detectors.Options     // without detectors, calibration and model; if Redact is nil, the standard rules redact excerpts; if Now is nil, it is the wall clock
	Deps     standard.Dependencies // dependencies of detectors, without calibration and model
	Settings map[string]any        // the options of every enabled detector, by name; nil enables all with their defaults
	// Thresholds outweigh the calibration, by standard detector: above 0, at most 1, for every answer.
	Thresholds map[string]float64
	Own        []OwnDetector          // detectors of other modules, which run after the standard ones
	Policy     alerting.PolicyOptions // the alert rule and its overrides by tenant
	Pass       schemas.Pass           // of the flags; [schemas.PassFast] when empty. Only [schemas.PassDeep] runs deep detectors
	// Sources finds sources in messages; nil finds the usual shapes.
	Sources *promptsources.Finder
	// Models are the language models of one deep evaluation for the tenant; nil in the fast pass.
	Models func(tenant string, now time.Time) deep.Models
}

// New makes an evaluator with the calibration and the model of t: New(Options{}, Tuning{}) has the defaults of the worker.
// It logs warnings about them to the suite's logger.
func New(o Options, t Tuning) (*Evaluator, error) {
	if o.Pass == "" {
		o.Pass = schemas.PassFast
	}
	if o.Suite.Redact == nil {
		o.Suite.Redact = redact.Redact
	}
	if o.Suite.Now == nil {
		o.Suite.Now = time.Now
	}
	if o.Deps.Live == nil && o.Pass != schemas.PassDeep {
		o.Deps.Live = confidence.NewLive(o.Suite.Now)
	}
	e := &Evaluator{options: o}
	return e.With(t)
}

// With returns a copy of the evaluator with another calibration and model. Metrics, schemas and options stay the same; the
// alert rule takes the calibration's minimum risk.
func (e *Evaluator) With(t Tuning) (*Evaluator, error) {
	cal, err := t.CalibrationWith(e.options.Thresholds)
	if err != nil {
		return nil, err
	}
	model, err := t.ParseModel()
	if err != nil {
		return nil, err
	}
	next := *e
	next.calibration, next.knowsModel, next.Policy = cal.ID(), cal.KnowsModel, NewPolicy(e.options.Policy, cal)
	if next.Suite, err = NewSuite(&e.options, cal, model); err != nil {
		return nil, err
	}
	next.unreachable = UnreachableRules(&e.options.Policy, cal, e.options.running())
	if log := e.options.Suite.Logger; log != nil {
		next.warn(log, t, cal, model)
	}
	return &next, nil
}

// warn logs a calibration that may not fit, and rules that can never hold.
func (e *Evaluator) warn(log *slog.Logger, t Tuning, cal *calibration.Calibration, model *standard.Model) {
	if t.CalibrationFile != "" {
		for _, reason := range cal.StalenessWarnings(e.options.Suite.Version, model.ID) {
			log.Warn("calibration may not fit this worker", "calibration", cal.ID(), "why", reason)
		}
	}
	unarmed := slices.DeleteFunc(e.options.running().Standard, func(name string) bool { return cal.CanFire(name, "") })
	if len(unarmed) > 0 {
		log.Warn("detectors are not armed, they never fire", "calibration", cal.ID(), "detectors", unarmed)
	}
	for _, why := range e.unreachable {
		log.Warn("alert rule can never hold", "calibration", cal.ID(), "why", why)
	}
}

// Calibration is the id of the calibration.
func (e *Evaluator) Calibration() string { return e.calibration }

// KnowsModel reports whether the calibration was made on answers of the model, or does not say of which ones.
func (e *Evaluator) KnowsModel(model string) bool { return e.knowsModel(model) }

// UnreachableRules returns the parts of the policy that can never hold, as the function of that name does.
func (e *Evaluator) UnreachableRules() []string { return e.unreachable }

// Evaluate measures an interaction and returns its flag, quiet or not. A deep pass asks the language models. Unless
// in.SourcesFrom is set, sources of an interaction without any are taken from its messages.
func (e *Evaluator) Evaluate(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag {
	measured := e.Measure(ctx, in, now)
	defer measured.Release()
	return e.Flag(measured, origin, now)
}

// Measure is Evaluate without the flag. The caller releases the evaluation.
func (e *Evaluator) Measure(ctx context.Context, in *schemas.Interaction, now time.Time) *detectors.Evaluation {
	e.options.Sources.Fill(in)
	var models deep.Models
	if e.options.Models != nil {
		models = e.options.Models(in.Tenant, now)
	}
	return deep.Evaluate(ctx, e.Suite, in, models)
}

// Flag makes the flag of a measured interaction. The caller still releases measured.
func (e *Evaluator) Flag(measured *detectors.Evaluation, origin schemas.Origin, now time.Time) schemas.Flag {
	f := measured.Flag(origin, e.options.Pass, now)
	e.Policy.Stamp(&f)
	return f
}

// NewPolicy makes the alert rule of the options with the calibration's minimum risk.
func NewPolicy(o alerting.PolicyOptions, cal *calibration.Calibration) *alerting.Policy {
	if least, ok := cal.AlertRisk(); ok {
		o.CalibratedMinRisk = &least
	}
	return alerting.NewPolicy(o)
}

// NewSuite makes the suite of the options with a calibration and a model.
func NewSuite(o *Options, cal *calibration.Calibration, model *standard.Model) (*detectors.Suite, error) {
	deps, suite := o.Deps, o.Suite
	deps.Baselines, deps.Model = cal, model
	entries := standard.Fast(deps)
	if deps.Live != nil && o.Pass != schemas.PassDeep { // the deep pass reads answers again
		suite.Learn = deps.Live.Learn
	}
	if o.Pass == schemas.PassDeep {
		entries = append(entries, standard.Deep(deps)...)
	}
	suite.Detectors, suite.Settings = enabledDetectors(entries, o.Settings)
	suite.Thresholds, suite.Risks, suite.Fusion, suite.Calibration = cal, cal, model.Fuser(), cal.ID()
	if len(o.Own) > 0 {
		own, err := ownThresholds(cal, o.Own)
		if err != nil {
			return nil, err
		}
		suite.Thresholds = own
		suite.Detectors = slices.Concat(suite.Detectors, ownEntries(o.Own))
	}
	return detectors.NewSuite(suite)
}

// running returns the names of the detectors of both passes, and of own ones: a rule that only the deep pass meets can hold.
func (o *Options) running() RunningDetectors {
	entries, _ := enabledDetectors(append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...), o.Settings)
	return RunningDetectors{Standard: detectors.Names(entries), Own: detectors.Names(ownEntries(o.Own))}
}

// enabledDetectors returns the entries that have settings, and their settings; all entries if settings is nil.
func enabledDetectors(entries []detectors.Entry, settings map[string]any) ([]detectors.Entry, map[string]any) {
	if settings == nil {
		return entries, nil
	}
	var enabled []detectors.Entry
	used := map[string]any{}
	for _, e := range entries {
		if options, ok := settings[e.Name]; ok {
			enabled, used[e.Name] = append(enabled, e), options
		}
	}
	return enabled, used
}

// thresholdsWithOwn adds the thresholds of own detectors to those of a calibration.
type thresholdsWithOwn struct {
	detectors.Thresholds
	own map[string]float64
}

// Threshold implements [detectors.Thresholds].
func (t *thresholdsWithOwn) Threshold(detector, tenant, operation, model string) (limit float64, armed bool) {
	if limit, ok := t.own[detector]; ok {
		return limit, true
	}
	return t.Thresholds.Threshold(detector, tenant, operation, model)
}

// ownThresholds returns the thresholds of the calibration and of own detectors.
func ownThresholds(cal detectors.Thresholds, own []OwnDetector) (detectors.Thresholds, error) {
	t := &thresholdsWithOwn{cal, make(map[string]float64, len(own))}
	for i := range own {
		if at := own[i].Threshold; !(at > 0 && at <= 1) {
			return nil, fmt.Errorf("detector %q: the threshold is %v: set one above 0, at most 1", own[i].Name, at)
		}
		t.own[own[i].Name] = own[i].Threshold
	}
	return t, nil
}

// ownEntries returns the entries of own detectors, which fusion does not read.
func ownEntries(own []OwnDetector) []detectors.Entry {
	entries := make([]detectors.Entry, len(own))
	for i := range own {
		entries[i] = own[i].Entry
		entries[i].Own = true
	}
	return entries
}
