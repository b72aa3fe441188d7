package alerting

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"confab/schemas"
)

const (
	defaultThreshold = 2.0 // with every weight 1: two or more detectors fired
	defaultWeight    = 1.0
	defaultAction    = schemas.ActionLog

	// tolerance absorbs the rounding of a sum of weights: twenty times 0.1 holds a threshold of 2.
	tolerance = 1e-9
)

// RuleOptions say which flags are alerts, and where they are told.
type RuleOptions struct {
	// Threshold is the sum of weights at which a flag becomes an alert. Default: 2.
	Threshold *float64 `yaml:"threshold"`
	// Weights by detector. A detector that is not named weighs 1.
	Weights map[string]float64 `yaml:"weights"`
	// MinRisk is the calibrated risk, 0 to 1, below which nothing is an alert. It never holds for a flag without a risk.
	// 0 means no minimum.
	MinRisk *float64 `yaml:"min_risk"`
	// Muted detectors weigh nothing. Their signals still appear in the flag.
	Muted []string `yaml:"muted"`
	// Channel to tell, an id or a name. "" means the sink's own. Only a bot token can choose channels.
	Channel string `yaml:"channel"`
}

// TenantOptions override the policy for one tenant. What is not set is inherited; weights are inherited one by one,
// muted detectors as a whole.
type TenantOptions struct {
	// Action is what whoever enforces flags downstream shall do: LOG, FLAG or BLOCK. Default: LOG.
	Action schemas.Action `yaml:"action"`
	// Alerting overrides the alert rule.
	Alerting RuleOptions `yaml:"alerting"`
	// Recommendation overrides the risks from which something is recommended.
	Recommendation RecommendationOptions `yaml:"recommendation"`
}

// PolicyOptions configure a Policy.
type PolicyOptions struct {
	Default        RuleOptions
	Recommendation RecommendationOptions
	Tenants        map[string]TenantOptions
}

// Policy is the alert rule of every tenant: a pure function of a flag, safe for concurrent use.
type Policy struct {
	fallback rule
	tenants  map[string]rule
}

// rule is one tenant's policy with every default in place.
type rule struct {
	threshold float64
	weights   map[string]float64
	minRisk   float64 // 0 for none
	channel   string
	action    schemas.Action
	limits    limits
}

// NewPolicy makes the policy that opts describe. Options that Validate refuses give a policy of no defined meaning.
func NewPolicy(opts PolicyOptions) *Policy {
	base := rule{threshold: defaultThreshold, action: defaultAction, limits: opts.Recommendation.limits()}.with("", opts.Default)
	p := &Policy{fallback: base, tenants: make(map[string]rule, len(opts.Tenants))}
	for name, t := range opts.Tenants {
		own := opts.Default
		own.Weights = maps.Clone(opts.Default.Weights)
		if own.Weights == nil {
			own.Weights = make(map[string]float64, len(t.Alerting.Weights))
		}
		maps.Copy(own.Weights, t.Alerting.Weights)
		if t.Alerting.Muted != nil {
			own.Muted = t.Alerting.Muted
		}
		if t.Alerting.Threshold != nil {
			own.Threshold = t.Alerting.Threshold
		}
		if t.Alerting.MinRisk != nil {
			own.MinRisk = t.Alerting.MinRisk
		}
		if t.Alerting.Channel != "" {
			own.Channel = t.Alerting.Channel
		}
		r := base.with(t.Action, own)
		r.limits = t.Recommendation.over(opts.Recommendation).limits()
		p.tenants[name] = r
	}
	return p
}

// with is r under the given options.
func (r rule) with(action schemas.Action, opts RuleOptions) rule {
	if action != "" {
		r.action = action
	}
	if opts.Threshold != nil {
		r.threshold = *opts.Threshold
	}
	if opts.MinRisk != nil {
		r.minRisk = *opts.MinRisk
	}
	r.channel = opts.Channel
	r.weights = maps.Clone(opts.Weights)
	if r.weights == nil {
		r.weights = make(map[string]float64, len(opts.Muted))
	}
	for _, name := range opts.Muted {
		r.weights[name] = 0
	}
	return r
}

// Stamp sets the flag's Alert, Action and Recommendation from its Fired, Risk and Tenant. It reads nothing else, so
// stamping twice changes nothing.
func (p *Policy) Stamp(f *schemas.Flag) {
	r := p.rule(f.Tenant)
	risk := math.NaN() // unknown: it compares with nothing
	if f.Risk != nil {
		risk = *f.Risk
	}
	f.Alert = r.holds(f.Fired, risk)
	f.Action = r.action
	f.Recommendation = r.limits.recommend(f, risk)
}

// holds is the alert rule. An unknown risk meets no minimum.
func (r rule) holds(fired []string, risk float64) bool {
	sum := 0.0
	for _, name := range fired {
		sum += r.weight(name)
	}
	return len(fired) > 0 && sum >= r.threshold-tolerance && (r.minRisk <= 0 || risk >= r.minRisk)
}

// Channel is where the tenant's alerts are told, "" for the sink's own channel.
func (p *Policy) Channel(tenant string) string { return p.rule(tenant).channel }

func (p *Policy) rule(tenant string) rule {
	if r, ok := p.tenants[tenant]; ok {
		return r
	}
	return p.fallback
}

func (r rule) weight(detector string) float64 {
	if w, ok := r.weights[detector]; ok {
		return w
	}
	return defaultWeight
}

// Validate reports everything that is wrong with the options at once, each by the path it has in the configuration.
// detectors are the names that weights and mutes may use.
func (o PolicyOptions) Validate(detectors []string) error {
	errs := o.Default.validate("alerting", detectors)
	errs = append(errs, o.Recommendation.validate("recommendation", RecommendationOptions{})...)
	for _, name := range slices.Sorted(maps.Keys(o.Tenants)) {
		t := o.Tenants[name]
		path := "tenants." + name
		switch t.Action {
		case "", schemas.ActionLog, schemas.ActionFlag, schemas.ActionBlock:
		default:
			errs = append(errs, fmt.Errorf("%s.action: %q is no action; use LOG, FLAG or BLOCK", path, t.Action))
		}
		errs = append(errs, t.Alerting.validate(path+".alerting", detectors)...)
		errs = append(errs, t.Recommendation.validate(path+".recommendation", o.Recommendation)...)
	}
	return errors.Join(errs...)
}

func (o RuleOptions) validate(path string, detectors []string) []error {
	var errs []error
	if t := o.Threshold; t != nil && (!finite(*t) || *t <= 0) {
		errs = append(errs, fmt.Errorf("%s.threshold: %v can never mean \"agree\"; use a positive sum of weights", path, *t))
	}
	if r := o.MinRisk; r != nil && (!finite(*r) || *r < 0 || *r > 1) {
		errs = append(errs, fmt.Errorf("%s.min_risk: %v is no probability; use 0 to 1", path, *r))
	}
	if o.Channel != strings.TrimSpace(o.Channel) {
		errs = append(errs, fmt.Errorf("%s.channel: %q has spaces around it; remove them", path, o.Channel))
	}
	return append(errs, o.validateNames(path, detectors)...)
}

// validateNames checks what is said about detectors.
func (o RuleOptions) validateNames(path string, detectors []string) []error {
	var errs []error
	known := strings.Join(detectors, ", ")
	for _, name := range slices.Sorted(maps.Keys(o.Weights)) {
		if w := o.Weights[name]; !finite(w) || w < 0 {
			errs = append(errs, fmt.Errorf("%s.weights.%s: %v is no weight; use 0 or more", path, name, w))
		}
		if !slices.Contains(detectors, name) {
			errs = append(errs, fmt.Errorf("%s.weights.%s: no such detector; known are %s", path, name, known))
		}
	}
	for _, name := range o.Muted {
		if !slices.Contains(detectors, name) {
			errs = append(errs, fmt.Errorf("%s.muted: no detector is called %q; known are %s", path, name, known))
		}
	}
	return errs
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
