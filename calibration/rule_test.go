package calibration

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
)

const fileWithRule = `format: 1
id: x
rule:
  rows: 6
  joint_false_positive_rate: 0.02
  independence_estimate: 0.01
  joint_false_positive_rate_high: 0.03
  pairs: [{a: citation, b: grounding, rows: 5, phi: 0.25}]
`

func TestLoadReadsTheRule(t *testing.T) {
	t.Parallel()
	c, err := Load(strings.NewReader(fileWithRule))
	require.NoError(t, err)
	want := &Rule{
		Rows: 6, JointRate: 0.02, JointHigh: 0.03, Independence: 0.01,
		Pairs: []Pair{{A: "citation", B: "grounding", Rows: 5, Phi: 0.25}},
	}
	require.Empty(t, cmp.Diff(want, c.File().Rule))
}

func TestLoadRejectsAnInvalidRule(t *testing.T) {
	t.Parallel()
	faulty := strings.NewReplacer("high: 0.03", "high: 3", "b: grounding", "b: citation", "rows: 5", "rows: -5",
		"0.25", "1.25").Replace(fileWithRule)
	_, err := Load(strings.NewReader(faulty))
	want := []string{
		"line 7, column 35: rule.joint_false_positive_rate_high: 3 is outside 0 to 1",
		`line 8, column 11: rule.pairs[0]: names "citation" and "citation": name two detectors`,
		"line 8, column 44: rule.pairs[0].rows: -5 is negative",
		"line 8, column 53: rule.pairs[0].phi: 1.25 is outside -1 to 1",
	}
	require.Empty(t, cmp.Diff(want, strings.Split(strings.TrimPrefix(err.Error(), "calibration: "), "\n")))
}
