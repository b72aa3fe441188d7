package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/detectors"
	"confab/internal/model"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// oneStep is a fusion whose log-odds are -1, and 1 from a citation score of 0.5 on.
func oneStep() *model.Trees {
	citation := int16(slices.Index(detectors.FusionFeatures(), "citation.score"))
	return &model.Trees{
		Features: detectors.FusionFeatures(), Roots: []int32{0},
		Nodes: []model.Node{{Feature: citation, Left: 1, Limit: 0.5}, {Feature: -1, Limit: -1}, {Feature: -1, Limit: 1}},
	}
}

// TestRiskFromFileToFlag: a model and a calibration of one's own give risks, and the configuration says what they recommend
// and from which on a flag alerts.
func TestRiskFromFileToFlag(t *testing.T) {
	dir := t.TempDir()
	c := DefaultConfig()
	c.ModelFile, c.CalibrationFile = filepath.Join(dir, "model.json"), filepath.Join(dir, "calibration.yaml")
	text, err := json.Marshal(detectors.Model{Format: detectors.ModelFormat, ID: "m", Fusion: oneStep()})
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(c.ModelFile, text, 0o600))
	const risk = "risk: [{measurable: \"\", method: isotonic, points: [[-1, 0.1], [1, 0.6]]}]\n"
	require.NoError(t, os.WriteFile(c.CalibrationFile, []byte(tuned("mine", 0.5)+risk), 0o600))
	c.Alerting.MinRisk = new(0.5)
	c.Tenants = map[string]alerting.TenantOptions{
		"bank": {Recommendation: alerting.RecommendationOptions{Block: new(0.55)}},
		"calm": {Alerting: alerting.RuleOptions{MinRisk: new(0.61)}},
	}
	v, err := NewVerdict(c, nil, nil)
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
		f := v.Measure(t.Context(), &in, schemas.Origin{}, time.Time{})
		require.NotNil(t, f.Risk, tt.tenant)
		require.InDelta(t, tt.risk, *f.Risk, 1e-9, tt.tenant)
		require.Equal(t, tt.want, f.Recommendation, tt.tenant)
		require.Equal(t, tt.alert, f.Alert, tt.tenant)
	}
	f := v.Measure(t.Context(), &schemas.Interaction{Answer: "No."}, schemas.Origin{}, time.Time{})
	require.Nil(t, f.Risk, "nothing could be measured")
	require.Equal(t, schemas.Allow, f.Recommendation)
}
