package calibration

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlertSection(t *testing.T) {
	t.Parallel()
	f := File{Format: Format, ID: "x"}
	c, err := New(f)
	require.NoError(t, err)
	_, ok := c.AlertRisk()
	require.False(t, ok, "old files have none")

	f.Alert = &Alert{MinRisk: 0.8123}
	f.Thresholds = []Threshold{{Detector: "d", Model: "m", Threshold: 0.5, Armed: true, FalseAlarms: 0.02, FalseAlarmsHigh: 0.03}}
	var text bytes.Buffer
	require.NoError(t, Encode(&text, f))
	c, err = Load(&text)
	require.NoError(t, err)
	require.Equal(t, f.Alert, c.File().Alert)
	require.Equal(t, f.Thresholds, c.File().Thresholds)
	at, ok := c.AlertRisk()
	require.True(t, ok)
	require.InDelta(t, 0.8123, at, 0)

	for yaml, want := range map[string]string{
		"{}":                           "alert.min_risk: is missing",
		"{min_risk: 1.2}":              "alert.min_risk: 1.2 is outside 0 to 1",
		"{min_risk: 0.5, colour: red}": `unknown key "colour"`,
	} {
		_, err := Load(strings.NewReader("format: 1\nid: x\nalert: " + yaml + "\n"))
		require.ErrorContains(t, err, want, yaml)
	}
}
