package measure

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

// fixedJudge fires from .5 on, has the log-odds as risk, and alerts from .8 on.
type fixedJudge struct{ minRisk float64 }

func (fixedJudge) Threshold(_, _, _, _ string) (float64, bool) { return 0.5, true }

func (fixedJudge) Risk(_ string, logOdds float64) (float64, bool) { return logOdds, true }

func (fixedJudge) PriorRisk() (float64, bool) { return 0, true }

func (fixedJudge) FiredRisk(detectors.ThresholdKey, bool) float64 { return 0 }

func (j fixedJudge) AlertRisk() (float64, bool) { return j.minRisk, j.minRisk > 0 }

func TestRowAlerts(t *testing.T) {
	t.Parallel()
	row := func(risk float64, scores ...float64) *Row {
		r := &Row{Measurable: "a+b", Fused: risk}
		for _, s := range scores {
			r.Signals = append(r.Signals, Signal{Score: s, HasScore: s >= 0})
		}
		return r
	}
	for name, c := range map[string]struct {
		row  *Row
		want bool
	}{
		"two and the risk":      {row(0.8, 0.5, 0.9), true},
		"two below the risk":    {row(0.79, 0.5, 0.9), false},
		"one above the risk":    {row(0.99, 0.4, 0.9), false},
		"one that was measured": {row(0.99, -1, 0.9), false},
		"an unknown risk":       {row(math.NaN(), 0.5, 0.9), true},
	} {
		require.Equal(t, c.want, c.row.Alerts(fixedJudge{0.8}), name)
	}
	require.True(t, row(0.1, 0.5, 0.9).Alerts(fixedJudge{}), "without a minimum risk two are enough")
}
