package alerting

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	"confab/schemas"
)

const (
	defaultThreshold = 2.0 // with every weight 1: two or more detectors fired
	defaultWeight    = 1.0
	defaultAction    = schemas.ActionLog

	// tolerance absorbs the rounding of a sum of weights: twenty times 0.1 reaches a threshold of 2.
	tolerance = 1e-9
)

// RuleOptions say which flags are alerts, and where they are sent.
type RuleOptions struct {
	// Preset is the alert rule that the other keys adapt.
	Preset Preset `yaml:"preset" enum:"two_or_more|by_detector"`
	// Threshold is the sum of weights at which a flag becomes an alert. Default: 2.
	Threshold *float64 `yaml:"threshold"`
	// Weights by detector. A detector that is not named weighs 1.
	Weights map[string]float64 `yaml:"weights"`
	// MinRisk is the calibrated risk, 0 to 1, below which nothing is an alert. It never holds for a flag without a risk.
	// 0 means no minimum. Unset: the calibration's.
	MinRisk *float64 `yaml:"min_risk"`
	// Muted detectors weigh nothing. Their signals still appear in the flag.
	Muted []string `yaml:"muted"`
	// `judge`: an alert by citation, facts and grounding alone waits for the verdict of llm.judge, which confirms or clears it; the
	// answer is sent there, redacted, unless the tenant has llm.opt_out. Empty: judge if llm.judge is configured, else off.
	Confirm Confirmation `yaml:"confirm" enum:"off|judge"`
	// Channel of the alerts, an id or a name. Empty: the sink's own. It needs a bot token.
	Channel string `yaml:"channel"`
	// Alerts of high severity. They are sent first.
	High SeverityOptions `yaml:"high"`
}

// TenantOptions override the policy for one tenant. Unset options are inherited: weights one by one, lists as a whole. A
// tenant with its own channel does not inherit the channel of high severity.
type TenantOptions struct {
	// Action that downstream consumers of flags enforce: LOG, FLAG or BLOCK. Default: LOG.
	Action schemas.Action `yaml:"action"`
	// Alerting overrides the alert rule.
	Alerting RuleOptions `yaml:"alerting"`
	// Recommendation overrides the risks from which something is recommended.
	Recommendation RecommendationOptions `yaml:"recommendation"`
}

// PolicyOptions configure a Policy.
type PolicyOptions struct {
	// Action of tenants that have none of their own. Default: LOG.
	Action         schemas.Action
	Default        RuleOptions
	Recommendation RecommendationOptions
	Tenants        map[string]TenantOptions
	// TextDetectors compare an answer with its sources, as a judge does, who may therefore overrule them; see
	// [RuleOptions.Confirm]. What others prove stands whatever the judge says.
	TextDetectors []string
	// CalibratedMinRisk is the minimum risk of the calibration, for tenants without MinRisk; nil for none.
	CalibratedMinRisk *float64
}

// Policy is the alert rule of every tenant: a pure function of a flag, safe for concurrent use.
type Policy struct{ rules atomic.Pointer[policyRules] }

// policyRules are the rules of all tenants.
type policyRules struct {
	fallback tenantRule
	tenants  map[string]*tenantRule
}

// tenantRule is the policy of one tenant with defaults.
type tenantRule struct {
	threshold float64
	weights   map[string]float64
	minRisk   float64 // 0 for none
	ownRisk   bool    // minRisk is configured, not the calibration's: above 0, nothing without a risk is an alert
	text      []string
	confirm   bool // alerts by text detectors alone wait for the judge
	channel   string
	action    schemas.Action
	limits    riskLimits
	high      severityRule
}

// NewPolicy returns the policy of opts, which must pass Validate.
func NewPolicy(opts PolicyOptions) *Policy {
	p := &Policy{}
	p.Replace(opts)
	return p
}

// Replace replaces the rules by those of opts, which must pass Validate.
func (p *Policy) Replace(opts PolicyOptions) { p.rules.Store(newRules(opts)) }

func newRules(opts PolicyOptions) *policyRules {
	start := tenantRule{threshold: defaultThreshold, action: cmp.Or(opts.Action, defaultAction), limits: opts.Recommendation.limits(), text: opts.TextDetectors}
	start.minRisk = *cmp.Or(opts.CalibratedMinRisk, &start.minRisk)
	rule := opts.Default.withDefaults(RuleOptions{})
	base := start.withOptions("", rule)
	p := &policyRules{fallback: base, tenants: make(map[string]*tenantRule, len(opts.Tenants))}
	for name, t := range opts.Tenants {
		r := start.withOptions(t.Action, t.Alerting.withDefaults(rule))
		r.limits = t.Recommendation.withDefaults(opts.Recommendation).limits()
		p.tenants[name] = &r
	}
	return p
}

// withDefaults returns o with unset options taken from its preset, or else from base.
func (o RuleOptions) withDefaults(base RuleOptions) RuleOptions {
	merged := o.Preset.apply(base)
	merged.Weights = maps.Clone(merged.Weights)
	if merged.Weights == nil {
		merged.Weights = make(map[string]float64, len(o.Weights))
	}
	maps.Copy(merged.Weights, o.Weights)
	if o.Muted != nil {
		merged.Muted = o.Muted
	}
	merged.Threshold, merged.MinRisk = cmp.Or(o.Threshold, merged.Threshold), cmp.Or(o.MinRisk, merged.MinRisk)
	merged.Confirm = cmp.Or(o.Confirm, merged.Confirm)
	if o.Channel != "" {
		merged.Channel, merged.High.Channel = o.Channel, ""
	}
	merged.High = o.High.withDefaults(merged.High)
	return merged
}

// withOptions returns r with the set options applied.
func (r tenantRule) withOptions(action schemas.Action, opts RuleOptions) tenantRule {
	r.action, r.threshold = cmp.Or(action, r.action), *cmp.Or(opts.Threshold, &r.threshold)
	if opts.MinRisk != nil {
		r.minRisk, r.ownRisk = *opts.MinRisk, true
	}
	r.channel, r.confirm = opts.Channel, opts.Confirm == ConfirmJudge
	r.high = opts.High.severity()
	r.weights = maps.Clone(opts.Weights)
	if r.weights == nil {
		r.weights = make(map[string]float64, len(opts.Muted))
	}
	for _, name := range opts.Muted {
		r.weights[name] = 0
	}
	return r
}

// Stamp sets the flag's Alert, ConfirmedBy, Action and Recommendation from its Pass, Fired, Signals, Risk, Unchecked and Tenant.
// It reads nothing else, so a second call changes nothing.
func (p *Policy) Stamp(f *schemas.Flag) {
	r := p.rule(f.Tenant)
	f.Alert = r.meetsRisk(riskOf(f), f.Incomplete()) && r.reaches(f.Fired, f.OneWitness()) && !r.clears(f)
	f.ConfirmedBy = r.confirmedBy(f)
	f.Action = r.action
	f.Recommendation = r.limits.recommend(f, riskOf(f))
}

// Action is the action of the tenant's flags.
func (p *Policy) Action(tenant string) schemas.Action { return p.rule(tenant).action }

// Actions returns every action that a flag may have, sorted.
func (p *Policy) Actions() []schemas.Action {
	rules := p.rules.Load()
	all := []schemas.Action{rules.fallback.action}
	for _, r := range rules.tenants {
		all = append(all, r.action)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Holds reports whether the alert rule holds for an answer of the tenant on which the detectors fired. risk is NaN if it is
// unknown. minRisk is the minimum of a calibration, for tenants without their own.
func (p *Policy) Holds(tenant string, fired []string, risk, minRisk float64) bool {
	r := *p.rule(tenant)
	if !r.ownRisk {
		r.minRisk = minRisk
	}
	return r.meetsRisk(risk, false) && r.reaches(fired, nil)
}

// RuleLimits are the numbers of a tenant's rule that are in force.
type RuleLimits struct {
	Threshold  float64 // sum of weights at which a flag becomes an alert
	MinRisk    float64 // of an alert; 0 for none
	Configured bool    // MinRisk is configured, not the calibration's
	BlockRisk  float64 // above which an alert is recommended to be blocked
}

// Limits returns the numbers of the tenant's rule.
func (p *Policy) Limits(tenant string) RuleLimits {
	r := p.rule(tenant)
	return RuleLimits{Threshold: r.threshold, MinRisk: r.minRisk, Configured: r.ownRisk, BlockRisk: r.limits.block}
}

// BelowMinRisk reports whether only its risk keeps the flag from being an alert: the detectors that fired reach the
// threshold.
func (p *Policy) BelowMinRisk(f *schemas.Flag) bool {
	r := p.rule(f.Tenant)
	return !f.Alert && !r.clears(f) && r.reaches(f.Fired, f.OneWitness())
}

// NoAlert says why a flag is no alert although a detector fired; "" if it is one, or if none fired.
func (p *Policy) NoAlert(f *schemas.Flag) string {
	r := p.rule(f.Tenant)
	least, sum := r.minRisk, r.sum(f.Fired, f.OneWitness())
	switch {
	case f.Alert || len(f.Fired) == 0:
		return ""
	case p.Cleared(f):
		return "no alert: the judge found the answer fine"
	case sum == 1 && r.threshold == defaultThreshold && len(f.Fired) == 1:
		return "no alert: one detector fired, the rule needs two"
	case sum < r.threshold-tolerance:
		return fmt.Sprintf("no alert: the weights of the detectors that fired sum to %.3g, the rule needs %.3g", sum, r.threshold)
	case f.Risk == nil:
		return fmt.Sprintf("no alert: no risk is known, and the minimum is %.2f", least)
	case least-*f.Risk < 0.01: // two digits may look equal
		return fmt.Sprintf("no alert: risk %.4f below the minimum %.4f", *f.Risk, least)
	default:
		return fmt.Sprintf("no alert: risk %.2f below the minimum %.2f", *f.Risk, least)
	}
}

// Counts reports whether the detector counts towards the tenant's alerts. A muted detector and one of weight 0 do not.
func (p *Policy) Counts(tenant, detector string) bool { return p.rule(tenant).weight(detector) > 0 }

// Tenants returns the tenants with their own policy, unordered.
func (p *Policy) Tenants() []string { return slices.Collect(maps.Keys(p.rules.Load().tenants)) }

// riskOf returns the flag's risk, NaN when it is unknown.
func riskOf(f *schemas.Flag) float64 {
	if f.Risk == nil {
		return math.NaN()
	}
	return *f.Risk
}

// meetsRisk reports whether a risk, NaN if it is unknown, is enough for an alert. A risk that is unknown, or that misses a
// detector that failed or was skipped, meets the minimum of a calibration only.
func (r *tenantRule) meetsRisk(risk float64, incomplete bool) bool {
	return risk >= r.minRisk || (math.IsNaN(risk) || incomplete) && !r.needsRisk()
}

// needsRisk reports whether a minimum risk is configured: nothing below it is an alert.
func (r *tenantRule) needsRisk() bool { return r.ownRisk && r.minRisk > 0 }

// reaches reports whether the weights of the detectors reach the threshold.
func (r *tenantRule) reaches(fired, witness []string) bool {
	return len(fired) > 0 && r.sum(fired, witness) >= r.threshold-tolerance
}

// sum adds the weights of the detectors. Those that are one witness count once, with the largest of their weights.
func (r *tenantRule) sum(fired, witness []string) (sum float64) {
	shared := 0.0
	for _, name := range fired {
		if slices.Contains(witness, name) {
			shared = max(shared, r.weight(name))
		} else {
			sum += r.weight(name)
		}
	}
	return sum + shared
}

// Severity returns the severity of the flag: high when the tenant's [SeverityOptions] match.
func (p *Policy) Severity(f *schemas.Flag) schemas.Severity {
	if p.rule(f.Tenant).high.matches(f) {
		return schemas.SeverityHigh
	}
	return schemas.SeverityNormal
}

// ChannelFor returns the channel for the tenant's alerts of a severity, "" for the sink's own channel.
func (p *Policy) ChannelFor(tenant string, severity schemas.Severity) string {
	r := p.rule(tenant)
	if severity == schemas.SeverityHigh && r.high.channel != "" {
		return r.high.channel
	}
	return r.channel
}

func (p *Policy) rule(tenant string) *tenantRule {
	rules := p.rules.Load()
	if r, ok := rules.tenants[tenant]; ok {
		return r
	}
	return &rules.fallback
}

func (r *tenantRule) weight(detector string) float64 {
	if w, ok := r.weights[detector]; ok {
		return w
	}
	return defaultWeight
}
