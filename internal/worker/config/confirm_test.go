package config

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/sampling"
	"confab/schemas"
)

// Alerts wait for a judge where one is configured, unless the configuration says otherwise.
func TestConfirmFollowsTheJudge(t *testing.T) {
	const judge = "llm: {judge: {base_url: 'http://localhost:1/v1', model: m}}\n"
	for name, tt := range map[string]struct {
		text   string
		waits  map[string]bool // by tenant
		copies bool
	}{
		"no judge":         {"{}", map[string]bool{"": false}, false},
		"a judge":          {judge, map[string]bool{"": true, "any": true}, true},
		"off":              {judge + "alerting: {confirm: off}\nsampling: {rate: 0}", map[string]bool{"": false}, false},
		"off for a tenant": {judge + "tenants: {bank: {alerting: {confirm: off}}}", map[string]bool{"": true, "bank": false}, true},
		"for a tenant":     {judge + "alerting: {confirm: off}\ntenants: {bank: {alerting: {confirm: judge}}}", map[string]bool{"": false, "bank": true}, true},
		"opted out":        {judge + "tenants: {bank: {llm: {opt_out: true}}}", map[string]bool{"": true, "bank": false}, true},
		"no detector":      {judge + "detectors: {faithfulness: {enabled: false}}\nsampling: {rate: 0}", map[string]bool{"": false}, false},
		"elsewhere":        {"roles: [detect]\nalerting: {confirm: judge}", map[string]bool{"": true}, true},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "confab.yaml")
			require.NoError(t, os.WriteFile(file, []byte(tt.text), 0o600))
			c, err := Load(LoadOptions{File: file})
			require.NoError(t, err)
			require.Equal(t, tt.copies, c.ConfirmsAlerts())
			require.Equal(t, tt.copies, c.WritesCopies(), "at rate 0 nothing is sampled")
			p := alerting.NewPolicy(c.PolicyOptions())
			for tenant, waits := range tt.waits {
				f := schemas.Flag{Tenant: tenant, Pass: schemas.PassFast, Fired: []string{"citation", "facts"}}
				p.Stamp(&f)
				require.True(t, f.Alert)
				require.Equal(t, waits, p.NeedsConfirm(&f), tenant)
			}
		})
	}
}

func TestWorthOfTenants(t *testing.T) {
	c := Default()
	c.Sampling.Salt, c.Sampling.JudgeShare = "salt", 0.1
	c.Tenants = map[string]Tenant{"bank": {LLM: TenantLLM{Worth: new(5.0)}}, "private": {LLM: TenantLLM{OptOut: true, Worth: new(5.0)}}, "shop": {}}
	o := c.SamplingOptions()
	require.InDelta(t, 0.1, o.JudgeShare, 0)
	require.Equal(t, map[string]float64{"bank": 5, "private": 0}, o.Worth)
}

// Only where a verifier is named, and its detector is on, answers are copied for it; that needs no salt.
func TestCopiesForAVerifier(t *testing.T) {
	c := Default()
	require.Equal(t, sampling.VerifySampled, c.SamplingOptions().Verify)
	require.False(t, c.WritesCopies())
	c.LLM.Verifier.BaseURL = "http://host/predict"
	c.Tenants = map[string]Tenant{"private": {LLM: TenantLLM{OptOut: true}}}
	o := c.SamplingOptions()
	require.Equal(t, sampling.VerifyFlagged, o.Verify)
	require.True(t, o.OptedOut["private"])
	require.True(t, c.WritesCopies())
	require.False(t, o.Enabled(), "nothing is picked by chance")
	c.LLM.Verifier.On = "sampled"
	require.False(t, c.WritesCopies())
	c.LLM.Verifier.On = "grey"
	require.Equal(t, sampling.VerifyGrey, c.SamplingOptions().Verify)
	c.Detectors["entailment"].Enabled = false
	require.Equal(t, sampling.VerifySampled, c.SamplingOptions().Verify)
}
