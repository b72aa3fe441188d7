package calibration

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/confidence"
	"confab/internal/model"
)

func loadTestCalibration(t testing.TB) *Calibration {
	t.Helper()
	c, err := Load(strings.NewReader(wholeFile))
	require.NoError(t, err)
	return c
}

func TestThresholdTakesTheMostSpecificKey(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		detector, tenant, operation string
		at                          float64
		armed                       bool
	}{
		"tenant and operation":         {"grounding", "acme", "qa", 0.4, true},
		"tenant before operation":      {"grounding", "acme", "summary", 0.6, true},
		"operation, unarmed is final":  {"grounding", "other", "qa", 1, false},
		"any":                          {"grounding", "other", "summary", 0.7, true},
		"nothing named":                {"grounding", "", "", 0.7, true},
		"a detector without threshold": {"schema", "acme", "qa", 0, false},
	}
	c := loadTestCalibration(t)
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at, armed := c.Threshold(tc.detector, tc.tenant, tc.operation, "")
			require.InDelta(t, tc.at, at, 0)
			require.Equal(t, tc.armed, armed)
		})
	}
}

// The tenant comes before the operation, and both before the model.
func TestThresholdsByModel(t *testing.T) {
	t.Parallel()
	var rows []Threshold
	at := map[string]float64{}
	for n, names := range [][3]string{
		{"", "", ""}, {"", "", "m"}, {"", "o", ""}, {"", "o", "m"}, {"t", "", ""}, {"t", "", "m"}, {"t", "o", ""}, {"t", "o", "m"},
	} {
		limit := float64(n) / 10
		at[strings.Join(names[:], "/")] = limit
		rows = append(rows, Threshold{Detector: "d", Tenant: names[0], Operation: names[1], Model: names[2], Threshold: limit, Armed: true})
	}
	for names, want := range map[string]string{
		"t/o/m": "t/o/m", "t/o/x": "t/o/", "t/x/m": "t//m", "t/x/x": "t//", "x/o/m": "/o/m", "x/o/x": "/o/", "x/x/m": "//m", "x/x/x": "//", "//": "//",
	} {
		n := strings.Split(names, "/")
		got := indexThresholds(rows).limit(ThresholdKey{Detector: "d", Tenant: n[0], Operation: n[1], Model: n[2]})
		require.True(t, got.armed)
		require.InDelta(t, at[want], got.at, 0, names)
	}
	few, err := New(File{Format: Format, ID: "x", Thresholds: []Threshold{rows[2], rows[1]}}) // an operation and a model
	require.NoError(t, err)
	got, _ := few.Threshold("d", "t", "o", "m")
	require.InDelta(t, at["/o/"], got, 0, "the operation is more specific")
	_, armed := few.Threshold("d", "t", "x", "x")
	require.False(t, armed)
	require.True(t, few.Has(ThresholdKey{Detector: "d", Operation: "o"}))
	require.False(t, few.Has(ThresholdKey{Detector: "d"}))
}

func TestKnownModels(t *testing.T) {
	t.Parallel()
	file := File{Format: Format, ID: "x", Baselines: []Baseline{{Model: "based", Baseline: confidence.Baseline{PeakStdev: 1, Stdev: 1}}}}
	known := func(f File, model string) bool {
		c, err := New(f)
		require.NoError(t, err)
		return c.KnowsModel(model)
	}
	require.True(t, known(file, "any"), "made for any model")
	file.Data.Models = []string{"labelled"}
	for model, want := range map[string]bool{"labelled": true, "based": true, "": true, "new": false} {
		require.Equal(t, want, known(file, model), model)
	}
	file.Data.Models, file.Thresholds = nil, []Threshold{{Detector: "d", Model: "keyed", Armed: true}}
	require.True(t, known(file, "keyed"))
	require.False(t, known(file, "new"))
	shipped, err := Default()
	require.NoError(t, err)
	require.True(t, shipped.KnowsModel("new"), "the embedded file is for any model")
}

func TestBaselineFallsBackWithinTheModel(t *testing.T) {
	t.Parallel()
	c, err := Load(strings.NewReader(`format: 1
id: x
baselines:
  - {model: m1, operation: qa, mean: 1, stdev: 1, peak_mean: 1, peak_stdev: 1, n: 9}
  - {model: m1, operation: "", mean: 2, stdev: 1, peak_mean: 1, peak_stdev: 1, n: 9}
  - {model: m2, operation: qa, mean: 3, stdev: 1, peak_mean: 1, peak_stdev: 1, n: 9}
`))
	require.NoError(t, err)
	require.InDelta(t, 1, c.Baseline("m1", "qa").Mean, 0)
	require.InDelta(t, 2, c.Baseline("m1", "summary").Mean, 0)
	require.InDelta(t, 3, c.Baseline("m2", "qa").Mean, 0)
	require.Nil(t, c.Baseline("m2", "summary"))
	require.Nil(t, c.Baseline("m1-2027", "qa"), "another model")
}

func TestLookupsDoNotAllocate(t *testing.T) {
	c := loadTestCalibration(t)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Threshold("grounding", "other", "summary", "")
		c.Baseline("m1", "summary")
		c.Baseline("m9", "summary")
		c.Risk("citation+grounding", 1)
		c.Risk("citation", 1)
	}))
}

func TestRiskLookup(t *testing.T) {
	t.Parallel()
	c, err := Load(strings.NewReader(wholeFile))
	require.NoError(t, err)
	for _, tt := range []struct {
		measurable string
		x, want    float64
	}{
		{"citation+grounding", 1, model.Logistic(1.5)},
		{"citation+grounding", math.Inf(-1), 0},
		{"grounding+citation", 1, model.Logistic(1)}, // another set: any
		{"", 1, model.Logistic(1)},
		{"", math.Inf(-1), 0},
		{"", math.Inf(1), 1},
	} {
		p, ok := c.Risk(tt.measurable, tt.x)
		require.True(t, ok)
		require.InDelta(t, tt.want, p, 1e-12, "%s at %v", tt.measurable, tt.x)
	}
	_, ok := c.Risk("", math.NaN())
	require.False(t, ok)
	none, err := New(File{Format: Format, ID: "x"})
	require.NoError(t, err)
	_, ok = none.Risk("", 0)
	require.False(t, ok, "no map, no risk")
}
