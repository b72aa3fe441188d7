package thresholds

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/internal/model"
)

// randomRows are rows with that probability of being bad by log-odds.
func randomRows(n int, seed uint64, truth func(x float64) float64) []measure.Row {
	random := rand.New(rand.NewPCG(seed, 7))
	rows := make([]measure.Row, n)
	for i := range rows {
		x := random.NormFloat64() * 2
		rows[i] = measure.Row{Dataset: "d", Group: strconv.Itoa(i / 2), Fused: x, Positive: random.Float64() < truth(x), Measurable: "a"}
	}
	return rows
}

func curvedTruth(x float64) float64 { return model.Logistic(0.5*x - 1) }

func fitRows(rows []measure.Row) ([]calibration.RiskMap, error) {
	c, err := newRun(rows, Options{}.withDefaults())
	if err != nil {
		return nil, err
	}
	return c.fitRisk()
}

func TestFitRisk(t *testing.T) {
	t.Parallel()
	rows := append(randomRows(3000, 1, curvedTruth), measure.Row{Fused: math.NaN(), Positive: true})
	maps, err := fitRows(rows)
	require.NoError(t, err)
	require.Len(t, maps, 1)
	m := maps[0]
	require.Equal(t, 3000, m.N)
	require.Empty(t, m.Measurable)
	before := 0.0
	for x := -3.0; x <= 3; x += 0.25 {
		require.InDelta(t, curvedTruth(x), m.At(x), 0.05, "at %v", x)
		require.Greater(t, m.At(x), before)
		before = m.At(x)
	}
	require.InDelta(t, 0.55, m.LogLoss, 0.05)
	_, err = calibration.New(calibration.File{Format: calibration.Format, ID: "x", Risk: maps})
	require.NoError(t, err, "what is fitted loads")
	random := rand.New(rand.NewPCG(9, 9))
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	again, err := fitRows(rows)
	require.NoError(t, err)
	require.Equal(t, maps, again, "the order of the rows counts for nothing")
}

func TestFitRiskByHand(t *testing.T) {
	t.Parallel()
	bins := func(counts ...[2]int) (rows []riskRow) { // of each log-odds 0, 1, …: how many, how many of them bad
		for x, c := range counts {
			for k := range c[0] {
				rows = append(rows, riskRow{x: float64(x), weight: 1, positive: k < c[1]})
			}
		}
		return rows
	}
	// Without a slope the curve is level at the smoothed share: (20 · 21/22 + 60 · 1/62) / 80.
	level := fitPlatt(bins([2]int{80, 20}))
	require.InDelta(t, (20*21./22+60*1./62)/80, level.At(5), 1e-3)
	// A falling curve is level too.
	require.Zero(t, fitPlatt(bins([2]int{50, 40}, [2]int{50, 10})).A)
	// Two log-odds determine the curve: it passes through the smoothed shares.
	m := fitPlatt(bins([2]int{50, 10}, [2]int{50, 40}))
	smooth := func(bad float64) float64 { return (bad*51/52 + (50-bad)*1/52) / 50 }
	require.InDelta(t, smooth(10), m.At(0), 1e-4)
	require.InDelta(t, smooth(40), m.At(1), 1e-4)
}

func TestFitRiskUsesWeights(t *testing.T) {
	t.Parallel()
	rows := randomRows(1000, 2, curvedTruth)
	whole, err := fitRows(rows)
	require.NoError(t, err)
	for i := range rows {
		if rows[i].Weight = 1; rows[i].Positive {
			rows[i].Weight = 0.1
		}
	}
	rare, err := fitRows(rows)
	require.NoError(t, err)
	require.Less(t, rare[0].At(0), whole[0].At(0)/3, "bad answers are ten times as rare")
}

func TestFitRiskErrors(t *testing.T) {
	t.Parallel()
	unknown := changedRows(func(r *measure.Row) { r.Fused = math.NaN() }, sampleRows(30, true, groundingScore(1)), sampleRows(30, false, groundingScore(0)))
	none, err := fitRows(unknown)
	require.NoError(t, err)
	require.Nil(t, none, "without fusion there is no risk")
	few := randomRows(60, 1, curvedTruth)
	for i := range few[:11] {
		few[i].Fused = math.NaN()
	}
	_, err = fitRows(few)
	require.ErrorContains(t, err, "49 rows have a fused score, at least 50 are needed")
	_, err = fitRows(randomRows(300, 1, func(x float64) float64 { return curvedTruth(-x) }))
	require.ErrorContains(t, err, "bad answers do not get higher risks", "a constant map is none")
}
