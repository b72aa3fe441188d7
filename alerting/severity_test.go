package alerting

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
	"confab/schemas"
)

func TestSeverity(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{High: SeverityOptions{MinRisk: new(0.6), Tags: []string{"Medical"}, Detectors: []string{"schema"}}},
		Tenants: map[string]TenantOptions{
			"plain": {},
			"bank":  {Alerting: RuleOptions{High: SeverityOptions{MinRisk: new(0.5), Tags: []string{"financial"}}}},
			"none":  {Alerting: RuleOptions{High: SeverityOptions{MinRisk: new(1.0), Tags: []string{}, Detectors: []string{}}}},
		},
	})
	two := []string{"citation", "grounding"}
	for _, tt := range []struct {
		name string
		flag schemas.Flag
		high bool
	}{
		{"no match", schemas.Flag{Fired: two, Risk: new(0.59), Tags: []string{"chat"}}, false},
		{"block alone", schemas.Flag{Fired: two, Recommendation: schemas.Block, Risk: new(0.59)}, false},
		{"unknown risk", schemas.Flag{Fired: two}, false},
		{"risk", schemas.Flag{Fired: two, Risk: new(0.6)}, true},
		{"a tag, whatever its case", schemas.Flag{Fired: two, Tags: []string{"chat", "medicaL"}}, true},
		{"half a tag", schemas.Flag{Fired: two, Tags: []string{"medical-devices"}}, false},
		{"a detector", schemas.Flag{Fired: []string{"citation", "schema"}}, true},
		{"inherited", schemas.Flag{Tenant: "plain", Fired: two, Tags: []string{"medical"}}, true},
		{"its own risk", schemas.Flag{Tenant: "bank", Fired: two, Risk: new(0.5)}, true},
		{"its own tags replace the others", schemas.Flag{Tenant: "bank", Fired: two, Tags: []string{"medical"}}, false},
		{"its own tags", schemas.Flag{Tenant: "bank", Fired: two, Tags: []string{"financial"}}, true},
		{"detectors are inherited one option at a time", schemas.Flag{Tenant: "bank", Fired: []string{"schema"}}, true},
		{"names are exact", schemas.Flag{Tenant: "BANK", Fired: two, Tags: []string{"financial"}}, false},
		{"no rule", schemas.Flag{Tenant: "none", Fired: []string{"schema"}, Risk: new(0.99), Tags: []string{"medical"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			want := schemas.SeverityNormal
			if tt.high {
				want = schemas.SeverityHigh
			}
			require.Equal(t, want, p.Severity(&tt.flag))
		})
	}
}

func TestSeverityByDefault(t *testing.T) {
	p := NewPolicy(PolicyOptions{})
	require.Equal(t, schemas.SeverityNormal, p.Severity(&schemas.Flag{Risk: new(0.89), Recommendation: schemas.Block}))
	require.Equal(t, schemas.SeverityHigh, p.Severity(&schemas.Flag{Risk: new(0.9), Recommendation: schemas.Block}))
	require.Equal(t, schemas.SeverityNormal, p.Severity(&schemas.Flag{Recommendation: schemas.Block}), "without a risk")
}

func TestChannelFor(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{Channel: "C-ALL", High: SeverityOptions{Channel: "C-PAGE"}},
		Tenants: map[string]TenantOptions{
			"plain": {},
			"own":   {Alerting: RuleOptions{Channel: "C-OWN"}},
			"both":  {Alerting: RuleOptions{Channel: "C-BOTH", High: SeverityOptions{Channel: "C-BOTH-PAGE"}}},
			"page":  {Alerting: RuleOptions{High: SeverityOptions{Channel: "C-THEIR-PAGE"}}},
		},
	})
	for tenant, want := range map[string][2]string{
		"": {"C-ALL", "C-PAGE"}, "unnamed": {"C-ALL", "C-PAGE"}, "plain": {"C-ALL", "C-PAGE"},
		"own":  {"C-OWN", "C-OWN"}, // a tenant with its own channel does not inherit the other one
		"both": {"C-BOTH", "C-BOTH-PAGE"}, "page": {"C-ALL", "C-THEIR-PAGE"},
	} {
		require.Equal(t, want[0], p.ChannelFor(tenant, schemas.SeverityNormal), tenant)
		require.Equal(t, want[1], p.ChannelFor(tenant, schemas.SeverityHigh), tenant)
		require.Equal(t, want[0], p.ChannelFor(tenant, schemas.SeverityNormal), tenant)
	}
	require.Empty(t, NewPolicy(PolicyOptions{}).ChannelFor("any", schemas.SeverityHigh), "the sink's own")
}

func TestSeverityRejects(t *testing.T) {
	bad := SeverityOptions{MinRisk: new(1.5), Tags: []string{"ok", " medical", ""}, Detectors: []string{"unknown", "schema"}, Channel: "C1 "}
	err := PolicyOptions{
		Default: RuleOptions{High: bad}, Tenants: map[string]TenantOptions{"bank": {Alerting: RuleOptions{High: bad}}},
	}.Validate(detectors())
	for _, path := range []string{"alerting.high", "tenants.bank.alerting.high"} {
		for _, want := range []string{
			`.min_risk: 1.5 is not a probability; use 0 to 1`,
			`.tags: " medical" is empty or has spaces around it`,
			`.tags: "" is empty or has spaces around it`,
			`.detectors: no detector is called "unknown"; known are citation, confidence, grounding, schema`,
			`.channel: "C1 " has spaces around it; remove them`,
		} {
			require.ErrorContains(t, err, path+want)
		}
	}
	joined, ok := err.(interface{ Unwrap() []error })
	require.True(t, ok)
	require.Len(t, joined.Unwrap(), 10, "one error per setting")
}

// Producers may write any tenant, but only the exact name gets its channel, and severity.
func TestTenantNamesAreExact(t *testing.T) {
	own := RuleOptions{
		Channel: "C-BANK", High: SeverityOptions{Channel: "C-BANK-PAGE", Tags: []string{"gold"}}, Threshold: new(1.0),
	}
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{Channel: "C-ALL"},
		Tenants: map[string]TenantOptions{"bank": {Action: schemas.ActionBlock, Alerting: own}},
	})
	for _, name := range samples.LookalikeTenants() {
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			f := schemas.Flag{Tenant: name, Fired: []string{"citation"}, Tags: []string{"gold"}, Attributes: map[string]string{"tenant": "bank", "payload_tenant": "bank"}}
			p.Stamp(&f)
			require.False(t, f.Alert)
			require.Equal(t, schemas.ActionLog, f.Action)
			require.Equal(t, schemas.SeverityNormal, p.Severity(&f))
			for _, severity := range []schemas.Severity{schemas.SeverityNormal, schemas.SeverityHigh, "", "bank"} {
				require.Equal(t, "C-ALL", p.ChannelFor(name, severity))
			}
		})
	}
	f := schemas.Flag{Tenant: "bank", Fired: []string{"citation"}, Tags: []string{"gold"}}
	p.Stamp(&f)
	require.True(t, f.Alert, "the tenant itself")
	require.Equal(t, "C-BANK-PAGE", p.ChannelFor("bank", p.Severity(&f)))
}

func TestCounts(t *testing.T) {
	p := NewPolicy(PolicyOptions{
		Default: RuleOptions{Muted: []string{"schema"}, Weights: map[string]float64{"citation": 0.1}},
		Tenants: map[string]TenantOptions{"bank": {Alerting: RuleOptions{Muted: []string{}, Weights: map[string]float64{"citation": 0}}}},
	})
	require.True(t, p.Counts("unnamed", "citation"))
	require.True(t, p.Counts("unnamed", "grounding"))
	require.False(t, p.Counts("unnamed", "schema"))
	require.True(t, p.Counts("bank", "schema"))
	require.False(t, p.Counts("bank", "citation"))
}
