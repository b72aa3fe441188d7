package worker

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/detectors/fusion"
	"confab/detectors/standard"
	"confab/internal/model"
	"confab/internal/worker/config"
	"confab/internal/worker/evaluation"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// singleSplitTrees is a fusion whose log-odds are -1, and 1 from a citation score of 0.5 on.
func singleSplitTrees() *model.Trees {
	citation := int16(slices.Index(fusion.Features(), "citation.score"))
	return &model.Trees{
		Features: fusion.Features(), Roots: []int32{0},
		Nodes: []model.Node{{Feature: citation, Left: 1, Limit: 0.5}, {Feature: -1, Limit: -1}, {Feature: -1, Limit: 1}},
	}
}

// riskMap gives log-odds of -1 and 1 the risks 0.1 and 0.6.
const riskMap = "risk: [{measurable: \"\", a: 1.301345, b: -0.89588}]\n"

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
	c := tuningFiles(t, standard.Model{Format: standard.ModelFormat, ID: "m", Fusion: singleSplitTrees()}, calibrationText("mine", 0.5)+riskMap)
	c.Alerting.MinRisk = new(0.5)
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
		model standard.Model
		risk  string
		want  string
	}{
		"no fusion":   {standard.Model{Format: standard.ModelFormat, ID: "m-1"}, riskMap, "the model m-1 has no fusion"},
		"no risk map": {standard.Model{Format: standard.ModelFormat, ID: "m-1", Fusion: singleSplitTrees()}, "", "the calibration mine has no risk map"},
		"both":        {standard.Model{Format: standard.ModelFormat, ID: "m-1", Fusion: singleSplitTrees()}, riskMap, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := tuningFiles(t, tt.model, calibrationText("mine", 0.5)+tt.risk)
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
