package alerting

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/schemas"
)

// randomPolicy has any rule for the tenants "own" and all others.
func randomPolicy(t *rapid.T) *Policy {
	share := rapid.Float64Range(0, 1)
	optional := func(name string, g *rapid.Generator[float64]) *float64 { return rapid.Ptr(g, true).Draw(t, name) }
	rule := func() RuleOptions {
		return RuleOptions{
			Preset:    rapid.SampledFrom([]Preset{"", TwoOrMore, ByDetector}).Draw(t, "preset"),
			Threshold: optional("threshold", rapid.Float64Range(0.1, 4)), MinRisk: optional("min_risk", share),
			Weights: rapid.MapOf(rapid.SampledFrom(detectors()), rapid.Float64Range(0, 3)).Draw(t, "weights"),
			Muted:   rapid.SliceOf(rapid.SampledFrom(detectors())).Draw(t, "muted"),
		}
	}
	flag := share.Draw(t, "flag")
	block := rapid.Float64Range(flag, 1).Draw(t, "block")
	return NewPolicy(PolicyOptions{
		Default: rule(), Tenants: map[string]TenantOptions{"own": {Alerting: rule()}},
		Recommendation: RecommendationOptions{Flag: &flag, Block: &block}, CalibratedMinRisk: optional("calibrated", share),
	})
}

func randomFlag(t *rapid.T) schemas.Flag {
	return schemas.Flag{
		Tenant: rapid.SampledFrom([]string{"", "own"}).Draw(t, "tenant"),
		Fired:  rapid.SliceOfDistinct(rapid.SampledFrom(detectors()), rapid.ID[string]).Draw(t, "fired"),
		Risk:   rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(t, "risk"),
	}
}

// withSignals gives each fired detector its signal; those of the witness compared with sampled responses.
func withSignals(f *schemas.Flag, witness []string) {
	f.Signals = nil
	for _, name := range f.Fired {
		s := schemas.Signal{Detector: name, Outcome: schemas.Fired}
		if slices.Contains(witness, name) {
			s.Measures = map[string]float64{schemas.AgainstSamples: 1}
		}
		f.Signals = append(f.Signals, s)
	}
}

func strength(r schemas.Recommendation) int {
	return slices.Index([]schemas.Recommendation{schemas.Allow, schemas.Recommend, schemas.Block}, r)
}

// TestRecommendationAgreesWithAlert requires of any flag and policy that block implies an alert, that an alert is never
// allowed, and that a higher risk or one more fired detector withdraws neither.
func TestRecommendationAgreesWithAlert(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, f := randomPolicy(t), randomFlag(t)
		if rapid.Bool().Draw(t, "default policy") {
			p = NewPolicy(PolicyOptions{})
		}
		witness := rapid.SliceOf(rapid.SampledFrom(detectors())).Draw(t, "witness")
		withSignals(&f, witness)
		p.Stamp(&f)
		consistent := func(f *schemas.Flag) {
			if f.Recommendation == schemas.Block {
				require.True(t, f.Alert, "blocked without an alert")
			}
			if f.Alert {
				require.NotEqual(t, schemas.Allow, f.Recommendation, "an alert that is allowed")
			}
		}
		consistent(&f)

		worse := f
		if f.Risk != nil {
			worse.Risk = new(rapid.Float64Range(*f.Risk, 1).Draw(t, "higher"))
		}
		if more := rapid.SampledFrom(detectors()).Draw(t, "more"); !slices.Contains(f.Fired, more) {
			worse.Fired = append(slices.Clone(f.Fired), more)
		}
		withSignals(&worse, witness)
		p.Stamp(&worse)
		consistent(&worse)
		require.GreaterOrEqual(t, strength(worse.Recommendation), strength(f.Recommendation))
		require.True(t, worse.Alert || !f.Alert, "an alert was withdrawn")
	})
}

func TestCalibratedMinRisk(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		CalibratedMinRisk: new(0.8),
		Tenants: map[string]TenantOptions{
			"none": {Alerting: RuleOptions{MinRisk: new(0.0)}}, "low": {Alerting: RuleOptions{MinRisk: new(0.5)}},
			"published": {Alerting: RuleOptions{Preset: ByDetector}},
		},
	})
	for _, tt := range []struct {
		tenant string
		risk   *float64
		alert  bool
	}{
		{"", new(0.79), false},
		{"", new(0.8), true},
		{"", nil, true}, // nothing says that it is low
		{"none", new(0.0), true},
		{"low", new(0.5), true},
		{"low", new(0.49), false},
		{"low", nil, false},
		{"published", new(0.1), true},
	} {
		f := schemas.Flag{Tenant: tt.tenant, Fired: []string{"citation", "grounding"}, Risk: tt.risk}
		p.Stamp(&f)
		require.Equal(t, tt.alert, f.Alert, "%q at %v", tt.tenant, tt.risk)
	}
}

func TestPresetOfTenant(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{Preset: ByDetector, Weights: map[string]float64{"grounding": 2}, Channel: "C-ALL"},
		Tenants: map[string]TenantOptions{
			"plain": {}, "two": {Alerting: RuleOptions{Preset: TwoOrMore}},
			"adapted": {Alerting: RuleOptions{Preset: TwoOrMore, Weights: map[string]float64{"schema": 2}}},
		},
	})
	for tenant, alone := range map[string][]string{
		"": {"citation", "grounding", "schema"}, "plain": {"citation", "grounding", "schema"}, "two": nil, "adapted": {"schema"},
	} {
		for _, name := range detectors() {
			f := schemas.Flag{Tenant: tenant, Fired: []string{name}}
			p.Stamp(&f)
			require.Equal(t, slices.Contains(alone, name), f.Alert, "%s: %s", tenant, name)
		}
		require.Equal(t, "C-ALL", p.ChannelFor(tenant, schemas.SeverityNormal))
	}
	require.ErrorContains(t, PolicyOptions{Default: RuleOptions{Preset: "strict"}}.Validate(detectors()),
		`alerting.preset: "strict" is not a preset; use two_or_more or by_detector`)
}

// TestUnmeasuredNeverAllows is the promise of docs/alerts.md: a detector that fails or is skipped never makes an answer look
// better. Whatever the others measured, and whatever risk they have without it, the answer is not allowed; and it is blocked if
// those that fired suffice for the alert rule, unless its explicit min_risk exceeds that risk.
func TestUnmeasuredNeverAllows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, complete := randomPolicy(t), randomFlag(t)
		p.Stamp(&complete)

		partial := complete // without some of the detectors
		lost := rapid.SliceOfDistinct(rapid.SampledFrom(detectors()), rapid.ID[string]).Draw(t, "lost")
		partial.Fired = slices.DeleteFunc(slices.Clone(complete.Fired), func(name string) bool { return slices.Contains(lost, name) })
		partial.Risk = rapid.Ptr(rapid.Float64Range(0, 1), true).Draw(t, "risk without them")
		partial.Unchecked = []string{rapid.SampledFrom([]string{schemas.UncheckedError, schemas.UncheckedSkipped}).Draw(t, "why")}
		p.Stamp(&partial)

		require.GreaterOrEqual(t, strength(partial.Recommendation), min(strength(complete.Recommendation), strength(schemas.Recommend)))
		require.NotEqual(t, schemas.Allow, partial.Recommendation)
		enough := partial
		enough.Risk = new(1.0)
		if p.Stamp(&enough); enough.Alert && !p.rule(partial.Tenant).needsRisk() {
			require.Equal(t, schemas.Block, partial.Recommendation)
			require.True(t, partial.Alert)
		}
		if len(partial.Fired) == len(complete.Fired) && !p.rule(partial.Tenant).needsRisk() {
			require.GreaterOrEqual(t, strength(partial.Recommendation), strength(complete.Recommendation))
			require.True(t, partial.Alert || !complete.Alert)
		}
	})
}
