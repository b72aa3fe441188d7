package confab

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"time"

	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/standard"
	"confab/internal/redact"
	"confab/schemas"
)

// Evaluator turns an interaction into a flag: the suite measures it under a calibration, and the alert policy is stamped on
// the result. Everything that evaluates interactions shares it, so that the same interaction gets the same flag. It is safe
// for concurrent use.
type Evaluator struct {
	Suite  *detectors.Suite
	Policy *alerting.Policy

	options     Options
	calibration string            // id of the one in force
	digest      [sha256.Size]byte // of the tuning it was made of
}

// Options say how an [Evaluator] measures and judges.
type Options struct {
	Suite    detectors.Options      // all but detectors and what is learned; without Redact, the standard rules redact excerpts
	Deps     standard.Dependencies  // what detectors need, but what is learned
	Settings map[string]any         // the options of every enabled detector, by name; nil enables all with their defaults
	Policy   alerting.PolicyOptions // the alert rule and what differs by tenant
	Pass     schemas.Pass           // of the flags; [schemas.PassFast] when empty. Only [schemas.PassDeep] runs deep detectors
	// Models are the language models of one deep evaluation for the tenant; nil in the fast pass.
	Models func(tenant string, now time.Time) deep.Models
}

// New makes an evaluator with the calibration and the model of t. What may not do what is expected of it is logged
// to the suite's logger.
func New(o Options, t Tuning) (*Evaluator, error) {
	if o.Pass == "" {
		o.Pass = schemas.PassFast
	}
	if o.Suite.Redact == nil {
		o.Suite.Redact = redact.Redact
	}
	e := &Evaluator{Policy: alerting.NewPolicy(o.Policy), options: o}
	return e.With(t)
}

// With is the evaluator under another calibration and another model. Metrics, policy and schemas stay what they are.
func (e *Evaluator) With(t Tuning) (*Evaluator, error) {
	cal, err := t.ParseCalibration()
	if err != nil {
		return nil, err
	}
	model, err := t.ParseModel()
	if err != nil {
		return nil, err
	}
	next := *e
	next.calibration, next.digest = cal.ID(), t.Digest()
	if next.Suite, err = NewSuite(&e.options, cal, model); err != nil {
		return nil, err
	}
	if log := e.options.Suite.Logger; log != nil {
		e.warn(log, t, cal, model)
	}
	return &next, nil
}

// warn logs what loads and may not do what is expected of it.
func (e *Evaluator) warn(log *slog.Logger, t Tuning, cal *calibration.Calibration, model *standard.Model) {
	if t.CalibrationFile != "" {
		for _, doubt := range cal.StalenessWarnings(e.options.Suite.Version, model.ID) {
			log.Warn("calibration may not fit this worker", "calibration", cal.ID(), "why", doubt)
		}
	}
	if why := UnreachableRisk(&e.options.Policy, cal, model); why != "" {
		log.Warn("minimum risk can never be reached, alerts that require one never fire", "calibration", cal.ID(), "why", why)
	}
}

// Calibration is the id of the calibration in force.
func (e *Evaluator) Calibration() string { return e.calibration }

// Digest identifies the tuning that the evaluator was made with.
func (e *Evaluator) Digest() [sha256.Size]byte { return e.digest }

// Evaluate is the flag of an interaction, quiet or not.
func (e *Evaluator) Evaluate(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag {
	var models deep.Models
	if e.options.Models != nil {
		models = e.options.Models(in.Tenant, now)
	}
	measured := deep.Evaluate(ctx, e.Suite, in, models)
	defer measured.Release()
	return e.Flag(measured, origin, now)
}

// Flag is the flag of an interaction that the suite has measured.
func (e *Evaluator) Flag(measured *detectors.Evaluation, origin schemas.Origin, now time.Time) schemas.Flag {
	f := measured.Flag(origin, e.options.Pass, now)
	e.Policy.Stamp(&f)
	return f
}

// UnreachableRisk is why no flag can have a risk although the alert rule of a tenant asks for one, with the remedy; "" where
// flags can, or where no rule asks.
func UnreachableRisk(policy *alerting.PolicyOptions, cal *calibration.Calibration, model *standard.Model) string {
	switch {
	case !wantsRisk(policy):
		return ""
	case model.Fusion == nil:
		return "the model " + model.ID + " has no fusion, so no flag has a risk: fit one with confab fit, or take min_risk out"
	case len(cal.File().Risk) == 0:
		return "the calibration " + cal.ID() + " has no risk map, so no flag has a risk: calibrate with this model, or take min_risk out"
	}
	return ""
}

// wantsRisk says whether the alert rule asks for a risk, of a tenant at least.
func wantsRisk(policy *alerting.PolicyOptions) bool {
	asks := func(o alerting.RuleOptions) bool { return o.MinRisk != nil && *o.MinRisk > 0 }
	for _, t := range policy.Tenants {
		if asks(t.Alerting) {
			return true
		}
	}
	return asks(policy.Default)
}

// NewSuite is a suite with what is learned.
func NewSuite(o *Options, cal *calibration.Calibration, model *standard.Model) (*detectors.Suite, error) {
	deps, suite := o.Deps, o.Suite
	deps.Baselines, deps.Model, deps.Reliability = cal, model, cal.Reliability()
	entries := standard.Fast(deps)
	if o.Pass == schemas.PassDeep {
		entries = append(entries, standard.Deep(deps)...)
	}
	suite.Detectors, suite.Settings = enabledDetectors(entries, o.Settings)
	suite.Thresholds, suite.Risks, suite.Fusion, suite.Calibration = cal, cal, model.Fuser(), cal.ID()
	return detectors.NewSuite(suite)
}

// enabledDetectors are the entries that have settings, and these; all of them when settings is nil.
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
