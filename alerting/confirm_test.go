package alerting

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/schemas"
)

func confirmOptions() PolicyOptions {
	return PolicyOptions{
		TextDetectors: []string{"citation", "grounding", "facts"}, Default: RuleOptions{Confirm: ConfirmJudge},
		Tenants: map[string]TenantOptions{"private": {Alerting: RuleOptions{Confirm: ConfirmOff}}, "inherits": {}},
	}
}

// judgedFlag is a flag with these detectors fired and this outcome of the judge, "" for a fast flag.
func judgedFlag(judge schemas.Outcome, fired ...string) schemas.Flag {
	f := schemas.Flag{Fired: fired, Pass: schemas.PassFast}
	if judge != "" {
		f.Pass = schemas.PassDeep
		f.Signals = []schemas.Signal{{Detector: schemas.JudgeDetector, Outcome: judge}}
	}
	if judge == schemas.Fired {
		f.Fired = append(f.Fired, schemas.JudgeDetector)
	}
	return f
}

func TestPolicyHearsTheJudge(t *testing.T) {
	const right, none = schemas.Clear, schemas.NotConfirmed
	for _, tt := range []struct {
		name    string
		flag    schemas.Flag
		alert   bool
		waits   bool
		cleared bool
		by      string
	}{
		{"two text detectors", judgedFlag("", "citation", "facts"), true, true, false, ""},
		{"one", judgedFlag("", "citation"), false, false, false, ""},
		{"a schema is no text", judgedFlag("", "citation", "schema"), true, false, false, ""},
		{"a package that does not exist", judgedFlag("", "facts", "technical"), true, false, false, ""},
		{"two, confirmed", judgedFlag(schemas.Fired, "citation", "facts"), true, false, false, schemas.JudgeDetector},
		{"one and the judge", judgedFlag(schemas.Fired, "citation"), true, false, false, schemas.JudgeDetector},
		{"the judge alone", judgedFlag(schemas.Fired), false, false, false, ""},
		{"two, cleared", judgedFlag(right, "citation", "facts"), false, false, true, ""},
		{"one, cleared", judgedFlag(right, "citation"), false, false, false, ""},
		{"another witness, cleared", judgedFlag(right, "citation", "schema"), true, false, false, ""},
		{"sampled responses agree, cleared", judgedFlag(right, "citation", "consistency"), true, false, false, ""},
		{"no budget", judgedFlag(schemas.Skipped, "citation", "facts"), true, false, false, none},
		{"compromised", judgedFlag(schemas.Failed, "citation", "facts"), true, false, false, none},
		{"no verdict, another witness", judgedFlag(schemas.Failed, "citation", "technical"), true, false, false, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := NewPolicy(confirmOptions())
			for _, tenant := range []string{"", "inherits"} {
				f := tt.flag
				f.Tenant = tenant
				for range 2 { // a second call changes nothing
					p.Stamp(&f)
					require.Equal(t, tt.alert, f.Alert)
					require.Equal(t, tt.by, f.ConfirmedBy)
				}
				require.Equal(t, tt.waits, p.NeedsConfirm(&f))
				require.Equal(t, tt.cleared, p.Cleared(&f))
				require.False(t, p.BelowMinRisk(&f), "its risk does not keep it from being an alert")
				if tt.cleared {
					require.Equal(t, "no alert: the judge found the answer fine", p.NoAlert(&f))
				}
			}
		})
	}
}

// Without a second opinion the judge clears nothing, whatever the tenant's rule is.
func TestOptedOutTenantsAreNotConfirmed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o, plain := confirmOptions(), PolicyOptions{}
		f := randomFlag(t)
		withSignals(&f, nil)
		f.Tenant, f.Pass = "private", rapid.SampledFrom([]schemas.Pass{schemas.PassFast, schemas.PassDeep}).Draw(t, "pass")
		f.Signals = append(f.Signals, schemas.Signal{Detector: schemas.JudgeDetector, Outcome: rapid.SampledFrom(schemas.Outcomes()).Draw(t, "judge")})
		own, other := f, f
		NewPolicy(o).Stamp(&own)
		NewPolicy(plain).Stamp(&other)
		require.Equal(t, other, own)
		require.False(t, NewPolicy(o).NeedsConfirm(&own))
		require.NotEqual(t, schemas.NotConfirmed, own.ConfirmedBy)
	})
}

// A judge withdraws an alert only by finding right what text detectors alone hold to be wrong.
func TestJudgeOnlyClears(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, f := NewPolicy(confirmOptions()), randomFlag(t)
		withSignals(&f, nil)
		p.Stamp(&f)
		deep := f
		deep.Pass = schemas.PassDeep
		deep.Signals = append(deep.Signals, schemas.Signal{Detector: schemas.JudgeDetector, Outcome: rapid.SampledFrom(schemas.Outcomes()).Draw(t, "judge")})
		p.Stamp(&deep)
		require.Equal(t, f.Alert && !deep.Alert, p.Cleared(&deep))
		require.True(t, f.Alert || !deep.Alert)
	})
}
