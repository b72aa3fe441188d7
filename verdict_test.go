package confab_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/alerting"
	"confab/calibration"
	"confab/schemas"
)

const invoiceSchema = `{"type": "object", "required": ["number", "total"], "properties": {"number": {"type": "string"}, "total": {"type": "number"}}}`

// invoice is an extraction from an invoice.
func invoice(answer, schema string) *schemas.Interaction {
	return &schemas.Interaction{
		Temperature: schemas.UnknownTemperature,
		Messages:    []schemas.Message{{Role: "user", Content: "Extract number, seller, due date and total."}},
		Sources:     []schemas.Source{{ID: "1", Text: "Invoice 2041-77. Seller: Halden Timber, Moss. Due on 14 March 2025. Total: 1,290.50 EUR."}},
		Answer:      answer, ResponseSchema: schema,
	}
}

// TestKeptSchemaDoesNotChangeTheVerdict requires the same verdict with and without a schema that the answer follows.
func TestKeptSchemaDoesNotChangeTheVerdict(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	for name, answer := range map[string]string{
		"right":                 `{"number": "2041-77", "seller": "Halden Timber, Moss", "due": "2025-03-14", "total": 1290.50}`,
		"three invented values": `{"number": "5518-02", "seller": "Kvist Paper, Oslo", "due": "2025-03-14", "total": 2410.75}`,
	} {
		t.Run(name, func(t *testing.T) {
			plain, err := e.Check(t.Context(), invoice(answer, ""))
			require.NoError(t, err)
			kept, err := e.Check(t.Context(), invoice(answer, invoiceSchema))
			require.NoError(t, err)
			require.Contains(t, fmt.Sprint(kept.Signals), "schema clear")
			require.NotNil(t, plain.Risk)
			require.InDelta(t, *plain.Risk, *kept.Risk, 0)
			require.Equal(t, plain.Recommendation, kept.Recommendation)
			require.Equal(t, plain.Alert, kept.Alert)
		})
	}
}

// TestBrokenSchemaAlone requires that a broken schema is recorded with a high risk, and alerts with the published rule only.
func TestBrokenSchemaAlone(t *testing.T) {
	for preset, alert := range map[alerting.Preset]bool{"": false, alerting.TwoOrMore: false, alerting.ByDetector: true} {
		e, err := confab.New(confab.Options{Policy: alerting.PolicyOptions{Default: alerting.RuleOptions{Preset: preset}}}, confab.Tuning{})
		require.NoError(t, err)
		f, err := e.Check(t.Context(), &schemas.Interaction{Answer: `{"number": 5}`, ResponseSchema: invoiceSchema})
		require.NoError(t, err)
		require.Equal(t, []string{"schema"}, f.Fired)
		require.Greater(t, *f.Risk, 0.95)
		require.Equal(t, alert, f.Alert)
		want := schemas.Recommend
		if alert {
			want = schemas.Block
		}
		require.Equal(t, want, f.Recommendation, preset)
	}
}

// TestReloadedCalibrationChangesTheAlertRule requires that the minimum risk of a calibration applies when it is loaded.
func TestReloadedCalibrationChangesTheAlertRule(t *testing.T) {
	shipped, err := calibration.Default()
	require.NoError(t, err)
	tuning := func(least float64) confab.Tuning {
		f := shipped.File()
		f.Alert = &calibration.Alert{MinRisk: least}
		path := filepath.Join(t.TempDir(), "calibration.yaml")
		require.NoError(t, calibration.Save(path, f))
		read, err := confab.ReadTuning(path, "")
		require.NoError(t, err)
		return read
	}
	own := map[string]alerting.TenantOptions{"eager": {Alerting: alerting.RuleOptions{MinRisk: new(0.0)}}}
	e, err := confab.New(confab.Options{Policy: alerting.PolicyOptions{Tenants: own}}, tuning(0.999))
	require.NoError(t, err)
	check := func(tenant string) schemas.Flag {
		in := bridge("The bridge was opened in 1937 [1]. It is 480 metres long [1].")
		in.Tenant = tenant
		f, err := e.Check(t.Context(), in)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(f.Fired), 2)
		return f
	}
	require.False(t, check("").Alert)
	require.Equal(t, schemas.Recommend, check("").Recommendation)
	require.True(t, check("eager").Alert, "the tenant's own minimum")
	e, err = e.With(tuning(0.1))
	require.NoError(t, err)
	require.True(t, check("").Alert)
}
