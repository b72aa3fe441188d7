package alerting

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func detectors() []string { return []string{"citation", "confidence", "grounding", "schema"} }

func TestPolicyStamp(t *testing.T) {
	many := make([]string, 20)
	light := make(map[string]float64, len(many))
	for i := range many {
		many[i] = fmt.Sprintf("d%02d", i)
		light[many[i]] = 0.1
	}
	thirds := map[string]float64{"citation": 1.0 / 3, "grounding": 1.0 / 3, "schema": 1.0 / 3}
	three := []string{"citation", "grounding", "schema"}

	tests := []struct {
		name  string
		opts  RuleOptions
		fired []string
		risk  *float64
		alert bool
		want  schemas.Recommendation
	}{
		{name: "nothing fired", want: schemas.Allow},
		{name: "a risk alone flags nothing", risk: new(0.9), want: schemas.Allow},
		{name: "one is not enough", fired: []string{"citation"}, want: schemas.Recommend},
		{name: "two agree", fired: []string{"citation", "grounding"}, alert: true, want: schemas.Block},
		{name: "three agree", fired: three, alert: true, want: schemas.Block},
		{
			name: "one of weight 2 alerts alone", opts: RuleOptions{Weights: map[string]float64{"schema": 2}},
			fired: []string{"schema"}, alert: true, want: schemas.Block,
		},
		{
			name: "one of weight 0.5 needs two others", opts: RuleOptions{Weights: map[string]float64{"confidence": 0.5}},
			fired: []string{"confidence", "citation"}, want: schemas.Recommend,
		},
		{
			name: "one of weight 0.5 with two others", opts: RuleOptions{Weights: map[string]float64{"confidence": 0.5}},
			fired: []string{"confidence", "citation", "schema"}, alert: true, want: schemas.Block,
		},
		{name: "twenty tenths make two", opts: RuleOptions{Weights: light}, fired: many, alert: true, want: schemas.Block},
		{name: "ten tenths make one", opts: RuleOptions{Threshold: new(1.0), Weights: light}, fired: many[:10], alert: true, want: schemas.Block},
		{name: "nineteen tenths do not", opts: RuleOptions{Weights: light}, fired: many[:19], want: schemas.Recommend},
		{name: "three thirds make one", opts: RuleOptions{Threshold: new(1.0), Weights: thirds}, fired: three, alert: true, want: schemas.Block},
		{name: "just below", opts: RuleOptions{Threshold: new(2.000001)}, fired: three[:2], want: schemas.Recommend},
		{name: "muted weighs nothing", opts: RuleOptions{Muted: []string{"citation"}}, fired: []string{"citation", "grounding"}, want: schemas.Recommend},
		{
			name: "muted outweighs a weight", opts: RuleOptions{Muted: []string{"schema"}, Weights: map[string]float64{"schema": 5}},
			fired: []string{"schema"}, want: schemas.Recommend,
		},
		{name: "a minimum risk never holds without one", opts: RuleOptions{MinRisk: new(0.1)}, fired: three, want: schemas.Recommend},
		{name: "minimum risk not met", opts: RuleOptions{MinRisk: new(0.6)}, fired: three, risk: new(0.59), want: schemas.Recommend},
		{name: "minimum risk met", opts: RuleOptions{MinRisk: new(0.6)}, fired: three, risk: new(0.6), alert: true, want: schemas.Recommend},
		{name: "a minimum of 0 is none", opts: RuleOptions{MinRisk: new(0.0)}, fired: three, alert: true, want: schemas.Block},
		{name: "an alert is never allowed", fired: three, risk: new(0.1), alert: true, want: schemas.Recommend},
		{name: "risk decides: middle", fired: three, risk: new(0.41), alert: true, want: schemas.Recommend},
		{name: "risk decides: edge", fired: three, risk: new(0.7), alert: true, want: schemas.Recommend},
		{name: "risk decides: high", fired: three, risk: new(0.71), alert: true, want: schemas.Block},
		{name: "only an alert is blocked", fired: []string{"schema"}, risk: new(0.97), want: schemas.Recommend},
		{name: "one fired at low risk", fired: []string{"citation"}, risk: new(0.4), want: schemas.Allow},
		{name: "one fired at some risk", fired: []string{"citation"}, risk: new(0.41), want: schemas.Recommend},
		{name: "by_detector: a broken schema", opts: RuleOptions{Preset: ByDetector}, fired: []string{"schema"}, risk: new(0.97), alert: true, want: schemas.Block},
		{name: "by_detector: a wrong source", opts: RuleOptions{Preset: ByDetector}, fired: []string{"citation"}, risk: new(0.42), alert: true, want: schemas.Recommend},
		{name: "by_detector: confidence supports", opts: RuleOptions{Preset: ByDetector}, fired: []string{"confidence", "grounding"}, want: schemas.Recommend},
		{name: "by_detector: an explicit weight", opts: RuleOptions{Preset: ByDetector, Weights: map[string]float64{"schema": 1}}, fired: []string{"schema"}, want: schemas.Recommend},
		{name: "a NaN risk is unknown", opts: RuleOptions{MinRisk: new(0.1)}, fired: three, risk: new(math.NaN()), want: schemas.Recommend},
		{name: "nothing fired is never an alert", opts: RuleOptions{Threshold: new(1e-12)}, want: schemas.Allow},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := NewPolicy(PolicyOptions{Default: tt.opts})
			f := schemas.Flag{Tenant: "any", Fired: tt.fired, Risk: tt.risk}
			for range 2 { // stamping twice changes nothing
				p.Stamp(&f)
				require.Equal(t, tt.alert, f.Alert)
				require.Equal(t, tt.want, f.Recommendation)
				require.Equal(t, schemas.ActionLog, f.Action)
			}
		})
	}
}

func TestPolicyTenants(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{
			Weights: map[string]float64{"schema": 2, "confidence": 0.5},
			Muted:   []string{"grounding"}, Channel: "C-ALL",
		},
		Tenants: map[string]TenantOptions{
			"bank":  {Action: schemas.ActionBlock, Alerting: RuleOptions{Threshold: new(1.0), Channel: "C-BANK"}},
			"shop":  {Alerting: RuleOptions{Weights: map[string]float64{"schema": 1}, Muted: []string{}}},
			"plain": {},
		},
	})
	tests := []struct {
		tenant  string
		fired   []string
		alert   bool
		action  schemas.Action
		channel string
	}{
		{"unknown", []string{"schema"}, true, schemas.ActionLog, "C-ALL"},
		{"unknown", []string{"citation", "grounding"}, false, schemas.ActionLog, "C-ALL"},
		{"plain", []string{"schema"}, true, schemas.ActionLog, "C-ALL"},
		{"plain", []string{"citation", "grounding"}, false, schemas.ActionLog, "C-ALL"},
		{"bank", []string{"citation"}, true, schemas.ActionBlock, "C-BANK"},
		{"bank", []string{"grounding"}, false, schemas.ActionBlock, "C-BANK"},                     // inherits the mute
		{"bank", []string{"confidence", "grounding"}, false, schemas.ActionBlock, "C-BANK"},       // inherits the weight
		{"shop", []string{"schema"}, false, schemas.ActionLog, "C-ALL"},                           // its own weight
		{"shop", []string{"citation", "grounding"}, true, schemas.ActionLog, "C-ALL"},             // mutes nothing
		{"shop", []string{"confidence", "schema"}, false, schemas.ActionLog, "C-ALL"},             // one weight each way
		{"shop", []string{"confidence", "schema", "grounding"}, true, schemas.ActionLog, "C-ALL"}, // 0.5 + 1 + 1
		{"BANK", []string{"citation"}, false, schemas.ActionLog, "C-ALL"},                         // names are exact
		{"", []string{"citation", "schema"}, true, schemas.ActionLog, "C-ALL"},                    // empty tenant
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.tenant, tt.fired), func(t *testing.T) {
			f := schemas.Flag{Tenant: tt.tenant, Fired: tt.fired}
			p.Stamp(&f)
			require.Equal(t, tt.alert, f.Alert)
			require.Equal(t, tt.action, f.Action)
			require.Equal(t, tt.channel, p.ChannelFor(tt.tenant, schemas.SeverityNormal))
		})
	}
}

func TestRecommendationByTenant(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Recommendation: RecommendationOptions{Flag: new(0.2)},
		Tenants: map[string]TenantOptions{
			"bank":  {Recommendation: RecommendationOptions{Block: new(0.3)}},
			"never": {Recommendation: RecommendationOptions{Flag: new(1.0), Block: new(1.0)}},
			"plain": {},
		},
	})
	for _, tt := range []struct {
		tenant string
		risk   float64
		want   schemas.Recommendation
	}{
		{"", 0.2, schemas.Allow},
		{"", 0.21, schemas.Recommend},
		{"", 0.7, schemas.Recommend},
		{"", 0.71, schemas.Block},
		{"plain", 0.21, schemas.Recommend},
		{"bank", 0.2, schemas.Allow},
		{"bank", 0.3, schemas.Recommend}, // inherits the flag
		{"bank", 0.31, schemas.Block},
		{"never", 1, schemas.Allow},
	} {
		for _, fired := range [][]string{{"citation"}, {"citation", "schema"}} {
			f := schemas.Flag{Tenant: tt.tenant, Risk: &tt.risk, Fired: fired}
			p.Stamp(&f)
			want := tt.want
			switch {
			case f.Alert && want == schemas.Allow, !f.Alert && want == schemas.Block:
				want = schemas.Recommend
			}
			require.Equal(t, want, f.Recommendation, "%s at %v: %v", tt.tenant, tt.risk, fired)
			require.Equal(t, len(fired) > 1, f.Alert, "the alert follows the rule")
		}
	}
}

func TestPolicyOptionsAreNotKept(t *testing.T) {
	weights := map[string]float64{"schema": 2}
	p := NewPolicy(PolicyOptions{Default: RuleOptions{Weights: weights}})
	weights["schema"] = 0
	f := schemas.Flag{Fired: []string{"schema"}}
	p.Stamp(&f)
	require.True(t, f.Alert)
}

func TestPolicyOptionsValidate(t *testing.T) {
	good := PolicyOptions{
		Default: RuleOptions{
			Threshold: new(1.5), Weights: map[string]float64{"schema": 0, "citation": 3.5}, MinRisk: new(1.0),
			Muted: []string{"confidence"}, Channel: "C1",
		},
		Recommendation: RecommendationOptions{Flag: new(0.9), Block: new(0.9)},
		Tenants:        map[string]TenantOptions{"a": {Action: schemas.ActionBlock}, "b": {}},
	}
	require.NoError(t, good.Validate(detectors()))
	require.NoError(t, PolicyOptions{}.Validate(detectors()))

	bad := PolicyOptions{
		Default: RuleOptions{
			Threshold: new(0.0), Weights: map[string]float64{"citatoin": 1, "schema": -1, "citation": math.NaN()},
			MinRisk: new(1.01), Muted: []string{"unknown"}, Channel: " C1",
		},
		Recommendation: RecommendationOptions{Flag: new(-0.1), Block: new(math.NaN())},
		Tenants: map[string]TenantOptions{
			"bank": {Action: "block", Alerting: RuleOptions{Threshold: new(math.Inf(1)), MinRisk: new(math.NaN())}},
			"shop": {Recommendation: RecommendationOptions{Flag: new(0.8), Block: new(0.75)}},
		},
	}
	err := bad.Validate(detectors())
	require.Error(t, err)
	for _, want := range []string{ // every fault, at once
		`alerting.threshold: 0 is not a finite, positive number`,
		`alerting.min_risk: 1.01 is not a probability; use 0 to 1`,
		`alerting.weights.citatoin: no such detector; known are citation, confidence, grounding, schema`,
		`alerting.weights.schema: -1 is not a weight`,
		`alerting.weights.citation: NaN is not a weight`,
		`alerting.muted: no detector is called "unknown"`,
		`alerting.channel: " C1" has spaces around it`,
		`tenants.bank.action: "block" is not an action; use LOG, FLAG or BLOCK`,
		`tenants.bank.alerting.threshold: +Inf is not a finite, positive number`,
		`tenants.bank.alerting.min_risk: NaN is not a probability`,
		`recommendation.flag: -0.1 is not a probability`,
		`recommendation.block: NaN is not a probability`,
		`tenants.shop.recommendation.flag: 0.8 exceeds block (0.75)`,
	} {
		require.ErrorContains(t, err, want)
	}
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Len(t, joined.Unwrap(), 13, "one error per setting")
}

func BenchmarkPolicyStamp(b *testing.B) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{Weights: map[string]float64{"schema": 2}},
		Tenants: map[string]TenantOptions{"acme": {Action: schemas.ActionBlock}},
	})
	f := samples.Flag()
	b.ReportAllocs()
	for b.Loop() {
		p.Stamp(&f)
	}
}

func TestPolicyStampAllocatesNothing(t *testing.T) {
	p := NewPolicy(PolicyOptions{Tenants: map[string]TenantOptions{"acme": {}}})
	f := samples.Flag()
	require.Zero(t, testing.AllocsPerRun(100, func() { p.Stamp(&f) }))
}

// TestOneWitnessCountsOnce has every combination of detectors that fired, those that compare with sampled responses where
// there are no sources, with and without others: together they count as one, with the largest of their weights.
func TestOneWitnessCountsOnce(t *testing.T) {
	sampled, others := []string{"consistency", "faithfulness", "entailment"}, []string{"grounding", "facts"}
	names := slices.Concat(sampled, others)
	for name, weights := range map[string]map[string]float64{
		"equal": nil, "by detector": {"consistency": 0.5}, "one alone": {"entailment": 2}, "muted": {"faithfulness": 0, "entailment": 0},
	} {
		p := NewPolicy(PolicyOptions{Default: RuleOptions{Weights: weights}})
		for set := range 1 << len(names) {
			f := schemas.Flag{Fired: []string{}}
			sum, most := 0.0, 0.0
			for i, detector := range names {
				if set&(1<<i) == 0 {
					continue
				}
				f.Fired = append(f.Fired, detector)
				weight, set := weights[detector]
				if !set {
					weight = 1
				}
				if slices.Contains(sampled, detector) {
					most = max(most, weight)
				} else {
					sum += weight
				}
			}
			withSignals(&f, sampled)
			p.Stamp(&f)
			require.Equal(t, sum+most >= 2, f.Alert, "%s: %v", name, f.Fired)
		}
	}
}

func TestOneWitnessWithSources(t *testing.T) {
	p := NewPolicy(PolicyOptions{})
	f := schemas.Flag{Fired: []string{"faithfulness", "entailment"}}
	withSignals(&f, nil) // compared with sources, each by a reading of its own
	p.Stamp(&f)
	require.True(t, f.Alert)
	withSignals(&f, f.Fired)
	p.Stamp(&f)
	require.False(t, f.Alert)
	f.Fired = []string{"grounding", "faithfulness", "entailment"}
	withSignals(&f, []string{"faithfulness", "entailment"})
	p.Stamp(&f)
	require.True(t, f.Alert, "another detector agrees")
}

// Holds says for any minimum of a calibration what Stamp says with it, and NoAlert why a flag is no alert.
func TestPolicyHoldsAsStamped(t *testing.T) {
	two := []string{"citation", "grounding"}
	rules := map[string]RuleOptions{
		"": {}, "own": {MinRisk: new(0.6)}, "none": {MinRisk: new(0.0)}, "three": {Threshold: new(3.0)}, "heavy": {Weights: map[string]float64{"citation": 2}},
	}
	tenants := map[string]TenantOptions{}
	for name, o := range rules {
		tenants[name] = TenantOptions{Alerting: o}
	}
	for _, minRisk := range []float64{0, 0.5, 0.8, 2} {
		stamping := NewPolicy(PolicyOptions{Tenants: tenants, CalibratedMinRisk: &minRisk})
		plain := NewPolicy(PolicyOptions{Tenants: tenants})
		for tenant := range rules {
			for _, fired := range [][]string{nil, two[:1], two} {
				for _, risk := range []float64{math.NaN(), 0, 0.5, 0.7, 1} {
					f := schemas.Flag{Tenant: tenant, Fired: fired}
					if !math.IsNaN(risk) {
						f.Risk = &risk
					}
					stamping.Stamp(&f)
					require.Equal(t, f.Alert, plain.Holds(tenant, fired, risk, minRisk), "%q %v %v %v", tenant, fired, risk, minRisk)
					below := !f.Alert && plain.Holds(tenant, fired, 1, 0)
					require.Equal(t, below, stamping.BelowMinRisk(&f))
					require.Equal(t, !f.Alert && len(fired) > 0, stamping.NoAlert(&f) != "")
				}
			}
		}
	}
}

func TestPolicyNoAlert(t *testing.T) {
	p := NewPolicy(PolicyOptions{CalibratedMinRisk: new(0.84558), Tenants: map[string]TenantOptions{
		"own": {Alerting: RuleOptions{MinRisk: new(0.5)}}, "half": {Alerting: RuleOptions{Weights: map[string]float64{"citation": 0.5}}},
	}})
	two := []string{"citation", "grounding"}
	for want, f := range map[string]schemas.Flag{
		"no alert: risk 0.74 below the minimum 0.85":                                     {Fired: two, Risk: new(0.743)},
		"no alert: risk 0.8450 below the minimum 0.8456":                                 {Fired: two, Risk: new(0.845)},
		"no alert: no risk is known, and the minimum is 0.50":                            {Fired: two, Tenant: "own"},
		"no alert: one detector fired, the rule needs two":                               {Fired: two[:1], Risk: new(0.1)},
		"no alert: the weights of the detectors that fired sum to 0.5, the rule needs 2": {Fired: two[:1], Tenant: "half"},
		"": {Risk: new(0.1)},
	} {
		require.Equal(t, want, p.NoAlert(&f))
	}
}

func TestPolicyLimits(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		CalibratedMinRisk: new(0.8), Recommendation: RecommendationOptions{Block: new(0.75)},
		Tenants: map[string]TenantOptions{"own": {Alerting: RuleOptions{MinRisk: new(0.0), Threshold: new(1.5)}}},
	})
	require.Equal(t, RuleLimits{Threshold: 2, MinRisk: 0.8, BlockRisk: 0.75}, p.Limits("any"))
	require.Equal(t, RuleLimits{Threshold: 1.5, Configured: true, BlockRisk: 0.75}, p.Limits("own"))
}
