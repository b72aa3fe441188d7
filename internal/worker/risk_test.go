package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/detectors/standard"
	"confab/internal/model"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// riskMap gives answers without a finding the risk 0.1, and those of which citation alone is sure, which
// adds log-odds of 3, 0.6.
func riskMap() string {
	return fmt.Sprintf("risk: [{measurable: \"\", a: %v, b: %v}]\n", (model.Logit(0.6)-model.Logit(0.1))/3, model.Logit(0.1))
}

// tuningFiles is a configuration that names the model and the calibration.
func tuningFiles(t *testing.T, m standard.Model, cal string) *config.Config {
	t.Helper()
	dir := t.TempDir()
	c := config.Default()
	c.ModelFile, c.CalibrationFile = filepath.Join(dir, "model.json"), filepath.Join(dir, "calibration.yaml")
	text, err := json.Marshal(m)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.ModelFile, text, 0o600))
	require.NoError(t, os.WriteFile(c.CalibrationFile, []byte(cal), 0o600))
	return c
}

// TestRiskFromFileToFlag: a configured model and calibration give risks; the configuration sets recommendations and the
// minimum risk of an alert.
func TestRiskFromFileToFlag(t *testing.T) {
	c := tuningFiles(t, standard.Model{Format: standard.ModelFormat, ID: "m"}, calibrationText("mine", 0.5)+riskMap())
	for _, name := range []string{"grounding", "facts"} {
		c.Detectors[name].Enabled = false
	}
	c.Alerting.MinRisk, c.Alerting.Threshold = new(0.5), new(1.0)
	c.Tenants = map[string]config.Tenant{
		"bank": {TenantOptions: alerting.TenantOptions{Recommendation: alerting.RecommendationOptions{Block: new(0.55)}}},
		"calm": {TenantOptions: alerting.TenantOptions{Alerting: alerting.RuleOptions{MinRisk: new(0.61)}}},
	}
	v, err := evaluation.NewFast(c, nil, nil)
	require.NoError(t, err)
	for _, tt := range []struct {
		text, tenant string
		risk         float64
		want         schemas.Recommendation
		alert        bool
	}{
		{ungrounded, "default", 0.6, schemas.Recommend, true},
		{ungrounded, "bank", 0.6, schemas.Block, true},
		{ungrounded, "calm", 0.6, schemas.Recommend, false},
		{grounded, "default", 0.1, schemas.Allow, false},
	} {
		var in schemas.Interaction
		require.NoError(t, schemasjson.NewDecoder(schemasjson.Options{}).Decode([]byte(fmt.Sprintf(tt.text, "i")), &in))
		in.Tenant = tt.tenant
		f := v.Evaluate(t.Context(), &in, schemas.Origin{}, time.Time{})
		require.NotNil(t, f.Risk, tt.tenant)
		require.InDelta(t, tt.risk, *f.Risk, 1e-5, tt.tenant)
		require.Equal(t, tt.want, f.Recommendation, tt.tenant)
		require.Equal(t, tt.alert, f.Alert, tt.tenant)
	}
	f := v.Evaluate(t.Context(), &schemas.Interaction{Answer: "No."}, schemas.Origin{}, time.Time{})
	require.Nil(t, f.Risk, "nothing could be measured")
	require.Equal(t, schemas.Allow, f.Recommendation)
}

func TestUnreachableMinimumRiskIsLogged(t *testing.T) {
	for name, tt := range map[string]struct {
		risk string
		want string
	}{
		"no risk map": {"", "the calibration mine has no risk map"},
		"a risk map":  {riskMap(), ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := tuningFiles(t, standard.Model{Format: standard.ModelFormat, ID: "m-1"}, calibrationText("mine", 0.5)+tt.risk)
			var log bytes.Buffer
			logger := slog.New(slog.NewTextHandler(&log, nil))
			_, err := evaluation.NewFast(c, nil, logger)
			require.NoError(t, err)
			require.NotContains(t, log.String(), "minimum", "nobody asked for a risk")
			c.Alerting.MinRisk = new(0.5)
			_, err = evaluation.NewFast(c, nil, logger)
			require.NoError(t, err)
			if tt.want == "" {
				require.NotContains(t, log.String(), "minimum")
				return
			}
			require.Contains(t, log.String(), tt.want)
		})
	}
}
