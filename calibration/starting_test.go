package calibration

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
)

func TestStartingLimits(t *testing.T) {
	c, err := Default()
	require.NoError(t, err)
	for _, name := range append(detectors.Names(standard.Deep(standard.Dependencies{})), "consistency.embedding") {
		_, armed := c.Threshold(name, "tenant", "operation", "")
		require.True(t, armed, name)
	}

	c, err = New(File{Format: Format, ID: "own", Thresholds: []Threshold{{Detector: "faithfulness", Operation: "qa", Threshold: .4, Armed: true}}})
	require.NoError(t, err)
	at, armed := c.Threshold("faithfulness", "", "qa", "")
	require.True(t, armed)
	require.InDelta(t, .4, at, 0)
	_, armed = c.Threshold("faithfulness", "", "summary", "")
	require.False(t, armed, "a file that names a detector says all there is to say of it")
	_, armed = c.Threshold("consistency", "", "qa", "")
	require.True(t, armed)
}
