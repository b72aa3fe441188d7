package calibration

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/standard"
)

func TestStartingLimits(t *testing.T) {
	c, err := Default()
	require.NoError(t, err)
	for _, name := range append(detectors.Names(standard.Deep(standard.Dependencies{})), "consistency.embedding") {
		_, armed := c.Threshold(name, "tenant", "operation", "")
		require.True(t, armed, name)
	}
	require.Equal(t, deep.DefaultReliability(), c.Reliability())

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

func TestReliabilityWeights(t *testing.T) {
	const head = "format: 1\nid: x\ncreated_by: y\ndata: {fingerprint: \"\", rows: 0, positives: 0}\nthresholds: []\nbaselines: []\n"
	for name, tt := range map[string]struct{ yaml, problem string }{
		"own":       {"reliability: {consistency: 1, source: 0, entailment: 2.5}", ""},
		"negative":  {"reliability: {consistency: -1, source: 1, entailment: 1}", "0 or more"},
		"all zero":  {"reliability: {consistency: 0, source: 0, entailment: 0}", "above 0"},
		"nan":       {"reliability: {consistency: .nan, source: 1, entailment: 1}", "expected a number"},
		"infinite":  {"reliability: {consistency: .inf, source: 1, entailment: 1}", "expected a number"},
		"missing":   {"reliability: {consistency: 1, source: 1}", "entailment: is missing"},
		"unknown":   {"reliability: {consistency: 1, source: 1, entailment: 1, judge: 1}", "unknown key"},
		"no number": {"reliability: {consistency: much, source: 1, entailment: 1}", "expected a number"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := Load(strings.NewReader(head + tt.yaml + "\n"))
			if tt.problem != "" {
				require.ErrorContains(t, err, tt.problem)
				return
			}
			require.NoError(t, err)
			require.Equal(t, deep.Reliability{Consistency: 1, Entailment: 2.5}, c.Reliability())
			var saved strings.Builder
			require.NoError(t, Encode(&saved, c.File()))
			again, err := Load(strings.NewReader(saved.String()))
			require.NoError(t, err)
			require.Equal(t, c.Reliability(), again.Reliability())
		})
	}
}
