package thresholds

import (
	"math"
	"math/rand/v2"
	"slices"
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

// steppedTruth is far from a logistic curve.
func steppedTruth(x float64) float64 {
	switch {
	case x < -1:
		return 0.05
	case x < 2:
		return 0.5
	}
	return 0.6
}

func TestFitRiskChoosesTheMethodByHeldOutLoss(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		truth  func(float64) float64
		method calibration.RiskMethod
	}{"curved": {curvedTruth, calibration.Platt}, "stepped": {steppedTruth, calibration.Isotonic}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			maps, err := Fit(randomRows(3000, 1, tt.truth), RiskOptions{MinRows: 1e6})
			require.NoError(t, err)
			require.Len(t, maps, 1)
			m := maps[0]
			require.Equal(t, tt.method, m.Method)
			require.Equal(t, 3000, m.N)
			require.Empty(t, m.Measurable)
			for x := -3.0; x <= 3; x += 0.25 {
				require.InDelta(t, tt.truth(x), m.At(x), 0.25, "at %v", x)
			}
			_, err = calibration.New(calibration.File{Format: calibration.Format, ID: "x", Risk: maps})
			require.NoError(t, err, "what is fitted loads")
		})
	}
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
	for name, tt := range map[string]struct {
		rows []riskRow
		want [][2]float64
	}{
		// One added bad row below, one added good row above.
		"ascending": {bins([2]int{19, 0}, [2]int{20, 10}, [2]int{19, 19}), [][2]float64{{0, 0.05}, {1, 0.5}, {2, 0.95}}},
		// 1 and 2 fall: together (16 + 4) of 40.
		"violators are pooled": {bins([2]int{19, 0}, [2]int{20, 16}, [2]int{20, 4}, [2]int{19, 19}), [][2]float64{{0, 0.05}, {1.5, 0.5}, {3, 0.95}}},
		// Nine of 1 and the one of 2 are a block of ten: one bad of eleven, as in the block below it.
		"few rows join neighbors":  {bins([2]int{10, 0}, [2]int{9, 0}, [2]int{1, 1}), [][2]float64{{0.55, 0.0909}}},
		"an end needs rows":        {bins([2]int{99, 0}, [2]int{99, 99}), [][2]float64{{0, 0.01}, {1, 0.99}}},
		"all that rises is pooled": {bins([2]int{20, 20}, [2]int{20, 0}), [][2]float64{{0.5, 0.5}}},
		"nothing":                  {nil, [][2]float64{{0, 0.5}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, fitIsotonic(tt.rows).Points)
		})
	}
	// Without a slope Platt's curve is level at the smoothed share: (20 · 21/22 + 60 · 1/62) / 80.
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
	whole, err := Fit(rows, RiskOptions{})
	require.NoError(t, err)
	for i := range rows {
		if rows[i].Weight = 1; rows[i].Positive {
			rows[i].Weight = 0.1
		}
	}
	rare, err := Fit(rows, RiskOptions{})
	require.NoError(t, err)
	require.Less(t, rare[0].At(0), whole[0].At(0)/3, "bad answers are ten times as rare")
}

func TestFitRiskBySetOfDetectors(t *testing.T) {
	t.Parallel()
	rows := randomRows(900, 3, curvedTruth)
	other := randomRows(400, 4, func(x float64) float64 { return 1 - curvedTruth(-x) }) // the same log-odds mean more
	for i := range other {
		other[i].Measurable, other[i].Group = "a+b", "o"+other[i].Group
	}
	few := randomRows(150, 5, curvedTruth)
	for i := range few {
		few[i].Measurable, few[i].Group = "c", "f"+few[i].Group
	}
	unknown := measure.Row{Fused: math.NaN(), Positive: true, Measurable: "a"}
	rows = append(append(append(rows, other...), few...), unknown)
	maps, err := Fit(rows, RiskOptions{Seed: 1})
	require.NoError(t, err)
	names := make([]string, len(maps))
	for i, m := range maps {
		names[i] = m.Measurable
	}
	require.Equal(t, []string{"", "a", "a+b"}, names, "c has too few rows")
	require.Equal(t, []int{1450, 900, 400}, []int{maps[0].N, maps[1].N, maps[2].N})
	require.Greater(t, maps[2].At(0), maps[1].At(0)+0.3)

	random := rand.New(rand.NewPCG(9, 9))
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	again, err := Fit(rows, RiskOptions{Seed: 1})
	require.NoError(t, err)
	require.Equal(t, maps, again, "the order of the rows counts for nothing")
}

func TestFitRiskIsMonotoneAndNeverCertain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(30) {
		rows := randomRows(60+int(seed)*20, seed, steppedTruth)
		maps, err := Fit(rows, RiskOptions{MinRows: 50})
		require.NoError(t, err)
		_, err = calibration.New(calibration.File{Format: calibration.Format, ID: "x", Risk: maps})
		require.NoError(t, err)
		sorted := riskRows(rows, RiskOptions{Folds: 5})
		for _, m := range append(maps, fitIsotonic(sorted), fitPlatt(sorted)) {
			before := 0.0
			for x := -8.0; x <= 8; x += 0.05 {
				p := m.At(x)
				require.GreaterOrEqual(t, p, before)
				require.True(t, p > 0 && p < 1, "%v at %v", p, x)
				before = p
			}
		}
	}
}

func TestFitRiskErrors(t *testing.T) {
	t.Parallel()
	none, err := Fit([]measure.Row{{Fused: math.NaN()}}, RiskOptions{})
	require.NoError(t, err)
	require.Nil(t, none, "without fusion there is no risk")
	_, err = Fit(randomRows(49, 1, curvedTruth), RiskOptions{})
	require.ErrorContains(t, err, "49 rows have a fused score, at least 50 are needed")
	rows := slices.DeleteFunc(randomRows(300, 1, curvedTruth), func(r measure.Row) bool { return r.Positive })
	_, err = Fit(rows, RiskOptions{})
	require.ErrorContains(t, err, "all rows have one label")
	_, err = Fit(randomRows(300, 1, func(x float64) float64 { return curvedTruth(-x) }), RiskOptions{})
	require.ErrorContains(t, err, "bad answers do not get higher risks", "a constant map is none")
}
