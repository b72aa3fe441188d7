package calibration

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestThresholdsThatAreSet(t *testing.T) {
	t.Parallel()
	c, err := New(File{Format: Format, ID: "file", Thresholds: []Threshold{
		{Detector: "citation", Threshold: 0.6, Armed: true, N: 50, PrecisionLow: 0.9},
		{Detector: "citation", Tenant: "acme", Threshold: 0.7, Armed: true},
		{Detector: "facts", Threshold: 0.5, Armed: true},
		{Detector: "technical", Threshold: 0.6},
	}})
	require.NoError(t, err)
	same, err := c.WithThresholds(nil)
	require.NoError(t, err)
	require.Same(t, c, same)
	set, err := c.WithThresholds(map[string]float64{"citation": 0.45, "technical": 0.3, "faithfulness": 0.8})
	require.NoError(t, err)
	for _, want := range []struct {
		detector, tenant string
		at               float64
	}{
		{"citation", "", 0.45},
		{"citation", "acme", 0.45},
		{"technical", "acme", 0.3},
		{"faithfulness", "", 0.8},
		{"faithfulness.statements", "", 0.8},
		{"facts", "", 0.5},
		{"entailment", "", 0.6},
	} {
		at, armed := set.Threshold(want.detector, want.tenant, "", "")
		require.True(t, armed, want)
		require.InDelta(t, want.at, at, 0, want)
	}
	require.InDelta(t, fusedRisk, set.FiredRisk(ThresholdKey{Detector: "citation"}, false), 0, "the measured precision is of another threshold")
	again, err := New(set.File())
	require.NoError(t, err)
	require.Equal(t, set.thresholds, again.thresholds, "the file holds what is in force")
	at, _ := c.Threshold("citation", "acme", "", "")
	require.InDelta(t, 0.7, at, 0, "the calibration itself stays")
	for _, bad := range []float64{0, -1, 1.1} {
		_, err := c.WithThresholds(map[string]float64{"facts": bad})
		require.ErrorContains(t, err, "threshold of facts")
	}
}
