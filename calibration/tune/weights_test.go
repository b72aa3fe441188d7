package tune

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/schemas"
)

// TestForecastsWeighAnswers: of recorded answers a flag stands for itself, and a sampled quiet one for many.
func TestForecastsWeighAnswers(t *testing.T) {
	c, err := calibration.Default()
	require.NoError(t, err)
	row := func(score, weight float64) measure.Row {
		var r measure.Row
		for _, name := range []string{"citation", "facts"} {
			r.Signals = append(r.Signals, measure.Signal{Detector: name, Outcome: schemas.Clear, Score: score, HasScore: true})
		}
		r.Weight = weight
		return r
	}
	var answers []measure.Row
	for range 50 {
		answers = append(answers, row(1, 1), row(0, 19))
	}
	rows := []Row{{Row: row(1, 0), Wrong: 1}, {Row: row(0, 0)}}
	_, r, err := Fit(rows, Options{Current: c, Policy: twoOrMore{}, Answers: answers})
	require.NoError(t, err)
	require.InDelta(t, perThousand/20, r.Before.Flags.Value, 10)
	require.Less(t, r.Before.Flags.Low, float64(perThousand)/20)
	require.Greater(t, r.Before.Flags.High, float64(perThousand)/20)
}
