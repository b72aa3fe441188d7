package tune

import (
	"math/rand/v2"
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

// TestSpendingWeighsAnswers: alerts are spent on the traffic, not on what of it was recorded.
func TestSpendingWeighsAnswers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(9, 9))
	rows := someTraffic(rng, 300, 0.15, 0)
	o := options(t)
	o.Policy, o.PerDay, o.Alerts = anyOne{}, 1000, 8
	o.Answers = answersOf(someTraffic(rng, 1000, 0.15, 0))
	for i := range o.Answers {
		if o.Answers[i].Signals[0].Score < 0.7 { // sampled quiet ones
			o.Answers[i].Weight = 5
		}
	}
	_, r := mustFit(t, rows, o)
	require.InDelta(t, o.Alerts, r.After.Alerts.Value, 0.2*o.Alerts)
}
