package calibration

import (
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
)

// TestShippedPartsBelongTogether checks that the embedded calibration was fitted with the embedded model.
func TestShippedPartsBelongTogether(t *testing.T) {
	t.Parallel()
	c, err := Default()
	require.NoError(t, err)
	m, err := standard.DefaultModel()
	require.NoError(t, err)
	f := c.File()
	require.Equal(t, m.ID, f.Model)
	require.Equal(t, m.Data.Fingerprint, f.Data.Fingerprint)
	require.NotNil(t, m.Grounding)
	for _, detector := range detectors.Names(standard.Fast(standard.Dependencies{})) {
		_, armed := c.Threshold(detector, "any tenant", "any operation", "")
		require.True(t, armed, detector)
	}
	for _, x := range f.Thresholds {
		require.Empty(t, x.Operation+x.Tenant, "the shipped calibration knows no names")
	}
	page, err := os.ReadFile("../docs/detectors.md")
	require.NoError(t, err)
	for _, detector := range detectors.Names(slices.Concat(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{}))) {
		at, _ := c.Threshold(detector, "", "", "")
		require.Regexp(t, fmt.Sprintf(`(?m)^\| \[.%s.\]\(.* \| %g \|$`, detector, at), string(page))
	}
	low, ok := c.Risk("grounding+facts", -6)
	require.True(t, ok)
	high, _ := c.Risk("grounding+facts", 6)
	require.Less(t, low, 0.2)
	require.Greater(t, high, 0.8)
}
