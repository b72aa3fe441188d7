package confab_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/alerting"
	"confab/calibration"
	"confab/detectors"
)

// ruleCalibration has citation, grounding and schema armed, and the risk maps.
func ruleCalibration(t *testing.T, minRisk float64, maps ...calibration.RiskMap) *calibration.Calibration {
	t.Helper()
	f := calibration.File{Format: calibration.Format, ID: "c", Risk: maps, Alert: &calibration.Alert{MinRisk: minRisk}}
	for _, name := range []string{"citation", "grounding", "schema"} {
		f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: name, Threshold: 0.5, Armed: true})
	}
	f.Thresholds = append(f.Thresholds, calibration.Threshold{Detector: "facts", Threshold: 1},
		calibration.Threshold{Detector: "facts", Tenant: "bank", Threshold: 0.5, Armed: true})
	c, err := calibration.New(f)
	require.NoError(t, err)
	return c
}

func TestUnreachableRules(t *testing.T) {
	t.Parallel()
	rising := calibration.RiskMap{A: 1, B: -0.5}
	rule := func(o alerting.RuleOptions) alerting.PolicyOptions { return alerting.PolicyOptions{Default: o} }
	for _, tt := range []struct {
		name    string
		policy  alerting.PolicyOptions
		minRisk float64
		maps    []calibration.RiskMap
		own     []string
		want    []string // the beginning of each
	}{
		{name: "shipped rule", minRisk: 0.84, maps: []calibration.RiskMap{rising}},
		{name: "no map meets the calibration's minimum", minRisk: 0.84},
		{name: "no map, configured", policy: rule(alerting.RuleOptions{MinRisk: new(0.5)}), want: []string{"alerting.min_risk: the calibration c has no risk map"}},
		{name: "threshold above all weights", policy: rule(alerting.RuleOptions{Threshold: new(3.5)}), maps: []calibration.RiskMap{rising}, want: []string{"alerting.threshold: the detectors that are enabled, armed and not muted cannot reach 3.5 together (citation, grounding, schema)"}},
		{name: "threshold of all", policy: rule(alerting.RuleOptions{Threshold: new(3.0)}), maps: []calibration.RiskMap{rising}},
		{name: "muted", policy: rule(alerting.RuleOptions{Muted: []string{"citation", "grounding"}}), maps: []calibration.RiskMap{rising}, want: []string{"alerting.threshold: the detectors that are enabled, armed and not muted cannot reach 2 together (schema)"}},
		{name: "muted, with an own one", policy: rule(alerting.RuleOptions{Muted: []string{"citation", "grounding"}}), maps: []calibration.RiskMap{rising}, own: []string{"mine"}},
		{name: "weights of 0", policy: rule(alerting.RuleOptions{Weights: map[string]float64{"citation": 0, "grounding": 0, "schema": 0}}), maps: []calibration.RiskMap{rising}, want: []string{"alerting.threshold: the detectors that are enabled, armed and not muted cannot reach 2 together (none)"}},
		{name: "armed for one tenant only", maps: []calibration.RiskMap{rising}, policy: alerting.PolicyOptions{
			Default: alerting.RuleOptions{Threshold: new(4.0)}, Tenants: map[string]alerting.TenantOptions{"bank": {}},
		}, want: []string{"alerting.threshold: "}},
		{name: "of one tenant", maps: []calibration.RiskMap{rising}, policy: alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{
			"bank": {Alerting: alerting.RuleOptions{Threshold: new(5.0)}}, "shop": {},
		}}, want: []string{"tenants.bank.alerting.threshold: "}},
		{name: "off for one tenant", maps: []calibration.RiskMap{rising}, policy: alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{
			"off": {Alerting: alerting.RuleOptions{Threshold: new(3.0)}}, "shop": {Alerting: alerting.RuleOptions{Threshold: new(3.0)}},
		}}, want: []string{"tenants.off.alerting.threshold: "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			running := confab.RunningDetectors{Standard: []string{"citation", "grounding", "facts", "schema"}, Own: tt.own, Off: detectors.OffByTenant{"off": {"schema"}}}
			got := confab.UnreachableRules(&tt.policy, ruleCalibration(t, tt.minRisk, tt.maps...), running)
			require.Len(t, got, len(tt.want), got)
			for i, want := range tt.want {
				require.True(t, strings.HasPrefix(got[i], want), got[i])
				require.Contains(t, got[i], ": ", "the remedy")
			}
		})
	}
}

// The shipped calibration and model leave no rule that cannot hold; an evaluator says so.
func TestShippedRulesCanHold(t *testing.T) {
	t.Parallel()
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	require.Empty(t, e.UnreachableRules())
	e, err = confab.New(confab.Options{Policy: alerting.PolicyOptions{Default: alerting.RuleOptions{Threshold: new(50.0)}}}, confab.Tuning{})
	require.NoError(t, err)
	require.Len(t, e.UnreachableRules(), 1)
}

func TestDescribeAlertRules(t *testing.T) {
	t.Parallel()
	policy := alerting.PolicyOptions{Tenants: map[string]alerting.TenantOptions{
		"bank": {Alerting: alerting.RuleOptions{MinRisk: new(0.0)}}, "same": {}, "strict": {Alerting: alerting.RuleOptions{Threshold: new(3.0), MinRisk: new(0.5)}},
	}}
	require.Equal(t, []string{
		"alert: the weights of the detectors that fired sum to 2 or more and the risk is at least 0.8 or unknown " +
			"(alert.min_risk of the calibration c, since alerting.min_risk is not set); recommendation.block 0.7 has no effect, since every alert has a higher risk",
		"alert of bank: the weights of the detectors that fired sum to 2 or more, whatever the risk",
		"alert of strict: the weights of the detectors that fired sum to 3 or more and the risk is at least 0.5",
	}, confab.DescribeAlertRules(&policy, ruleCalibration(t, 0.8)))
}
