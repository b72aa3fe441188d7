package alerting

import (
	"maps"
	"math"
	"slices"
	"time"

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
	// Which alerts are of high severity: they wait neither for the others nor for quiet hours to end.
	High SeverityOptions `yaml:"high"`
	// Hours in which alerts of normal severity are kept back. They are told in a digest when the hours end.
	Quiet []QuietHours `yaml:"quiet_hours"`
}

// TenantOptions override the policy for one tenant. What is not set is inherited: weights one by one, lists as a whole. A
// tenant with a channel of its own inherits no channel of the lane of high severity.
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
	tenants  map[string]*rule
}

// rule is one tenant's policy with every default in place.
type rule struct {
	threshold float64
	weights   map[string]float64
	minRisk   float64 // 0 for none
	channel   string
	action    schemas.Action
	limits    limits
	high      severity
	quiet     []window
}

// NewPolicy makes the policy that opts describe. Options that Validate refuses give a policy of no defined meaning.
func NewPolicy(opts PolicyOptions) *Policy {
	base := rule{threshold: defaultThreshold, action: defaultAction, limits: opts.Recommendation.limits()}.with("", opts.Default)
	p := &Policy{fallback: base, tenants: make(map[string]*rule, len(opts.Tenants))}
	for name, t := range opts.Tenants {
		r := base.with(t.Action, t.Alerting.over(opts.Default))
		r.limits = t.Recommendation.over(opts.Recommendation).limits()
		p.tenants[name] = &r
	}
	return p
}

// over is what holds where o is laid over base.
func (o RuleOptions) over(base RuleOptions) RuleOptions {
	own := base
	own.Weights = make(map[string]float64, len(base.Weights)+len(o.Weights))
	maps.Copy(own.Weights, base.Weights)
	maps.Copy(own.Weights, o.Weights)
	if o.Muted != nil {
		own.Muted = o.Muted
	}
	if o.Threshold != nil {
		own.Threshold = o.Threshold
	}
	if o.MinRisk != nil {
		own.MinRisk = o.MinRisk
	}
	if o.Channel != "" {
		own.Channel, own.High.Channel = o.Channel, ""
	}
	if o.Quiet != nil {
		own.Quiet = o.Quiet
	}
	own.High = o.High.over(own.High)
	return own
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
	r.high = opts.High.severity()
	r.quiet = windows(opts.Quiet)
	r.weights = maps.Clone(opts.Weights)
	if r.weights == nil {
		r.weights = make(map[string]float64, len(opts.Muted))
	}
	for _, name := range opts.Muted {
		r.weights[name] = 0
	}
	return r
}

// Stamp sets the flag's Alert, Action and Recommendation from its Fired, Unusual, Risk and Tenant. It reads nothing else,
// so stamping twice changes nothing.
func (p *Policy) Stamp(f *schemas.Flag) {
	r := p.rule(f.Tenant)
	f.Alert = r.holds(f, f.AnomalousRates)
	f.Action = r.action
	f.Recommendation = r.limits.recommend(f, riskOf(f))
}

// HoldsDespite says whether the flag would be an alert if its unusual detectors counted. One that is no alert and holds
// despite tells of a detector that may be broken, not of an incident.
func (p *Policy) HoldsDespite(f *schemas.Flag) bool {
	return p.rule(f.Tenant).holds(f, nil)
}

// Counts says whether the detector counts towards the tenant's alerts: a weight of 0 and being muted are a person's word
// that nobody wants to hear of it, broken or not.
func (p *Policy) Counts(tenant, detector string) bool { return p.rule(tenant).weight(detector) > 0 }

// Scope is whom a notice about all traffic is for: the tenant where the configuration names it, else "", which stands for
// all that it does not name. [Shares] are counted so too.
func (p *Policy) Scope(tenant string) string {
	if _, named := p.tenants[tenant]; named {
		return tenant
	}
	return ""
}

// Tenants are those with a policy of their own, in no order.
func (p *Policy) Tenants() []string { return slices.Collect(maps.Keys(p.tenants)) }

// riskOf is the flag's risk. One that is unknown is no number, which compares with nothing.
func riskOf(f *schemas.Flag) float64 {
	if f.Risk == nil {
		return math.NaN()
	}
	return *f.Risk
}

// holds is the alert rule, in which detectors that are left out count for nothing. An unknown risk meets no minimum.
func (r *rule) holds(f *schemas.Flag, leftOut map[string]float64) bool {
	sum, counted := 0.0, false
	for _, name := range f.Fired {
		if _, out := leftOut[name]; !out {
			sum, counted = sum+r.weight(name), true
		}
	}
	return counted && sum >= r.threshold-tolerance && (r.minRisk <= 0 || riskOf(f) >= r.minRisk)
}

// Lane is the severity of the flag, by its tenant's rule: high where a block is recommended, or where what
// [SeverityOptions] name is met.
func (p *Policy) Lane(f *schemas.Flag) schemas.Severity {
	if f.Recommendation == schemas.Block || p.rule(f.Tenant).high.holds(f) {
		return schemas.SeverityHigh
	}
	return schemas.SeverityNormal
}

// Quiet says whether the tenant has quiet hours now, and when they end. They hold for the normal lane only.
func (p *Policy) Quiet(tenant string, now time.Time) (until time.Time, quiet bool) {
	return quietUntil(p.rule(tenant).quiet, now)
}

// ChannelFor is where the tenant's alerts of a lane are told, "" for the sink's own channel.
func (p *Policy) ChannelFor(tenant string, lane schemas.Severity) string {
	r := p.rule(tenant)
	if lane == schemas.SeverityHigh && r.high.channel != "" {
		return r.high.channel
	}
	return r.channel
}

// Channel is where the tenant's alerts of normal severity are told, "" for the sink's own channel.
func (p *Policy) Channel(tenant string) string { return p.ChannelFor(tenant, schemas.SeverityNormal) }

func (p *Policy) rule(tenant string) *rule {
	if r, ok := p.tenants[tenant]; ok {
		return r
	}
	return &p.fallback
}

func (r *rule) weight(detector string) float64 {
	if w, ok := r.weights[detector]; ok {
		return w
	}
	return defaultWeight
}
