package quality

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const tolerance = 1e-12

// rankedRowsOf puts each row into a group of its own.
func rankedRowsOf(items ...scoredRow) *rankedRows {
	for i := range items {
		items[i].group = int32(i)
		if items[i].weight == 0 {
			items[i].weight = 1
		}
	}
	return ranked(len(items), items...)
}

// ranked sorts rows of that many groups.
func ranked(groups int, items ...scoredRow) *rankedRows {
	items = slices.Clone(items)
	sortRows(items)
	return &rankedRows{items: items, groups: groups}
}

func faultyRow(score float64) scoredRow { return scoredRow{score: score, positive: true} }
func goodRow(score float64) scoredRow   { return scoredRow{score: score} }

// Eight rows with two ties; the figures are computed by hand.
func TestFiguresByHand(t *testing.T) {
	t.Parallel()
	items := []scoredRow{faultyRow(0.9), goodRow(0.8), faultyRow(0.8), faultyRow(0.6), goodRow(0.4), faultyRow(0.4), goodRow(0.2), goodRow(0.1)}
	for i := range items {
		items[i].fired = items[i].score >= 0.6
	}
	v := rankedRowsOf(items...).figures(nil)
	// Pairs won of 16: .9 beats 4; .8 beats 3 and ties 1; .6 beats 3; .4 beats 2 and ties 1.
	require.InDelta(t, (4+3.5+3+2.5)/16, v[AUROC], tolerance)
	// The top 5 % are .4 rows, the top 10 % .8, the top 20 % .9 and .3 of the two that tie; half are the four from .6 on.
	require.InDelta(t, .4/4, v[FoundFive], tolerance)
	require.InDelta(t, .8/4, v[FoundTen], tolerance)
	require.InDelta(t, (1+.6/2)/4, v[FoundTwenty], tolerance)
	require.InDelta(t, 3./4, v[FoundFifty], tolerance)
	require.True(t, math.IsNaN(v[Twins]) && math.IsNaN(v[WithinModel]), "no pairs, no models")
	// Fires: 3 faulty, 1 good; 1 faulty stays.
	require.InDelta(t, 3./4, v[Precision], tolerance)
	require.InDelta(t, 3./4, v[Recall], tolerance)
	require.InDelta(t, 1./4, v[FalseAlarms], tolerance)
	require.InDelta(t, 3./4, v[F1], tolerance)
	require.True(t, math.IsNaN(v[CalibrationError]), "not a probability")
}

// 3 of 5 faulty rows alert, and 1 of 50 good ones.
func TestAlertsAtBaseRates(t *testing.T) {
	t.Parallel()
	var items []scoredRow
	add := func(n int, positive, fired bool) {
		for range n {
			items = append(items, scoredRow{positive: positive, fired: fired, weight: 1})
		}
	}
	add(3, true, true)
	add(2, true, false)
	add(1, false, true)
	add(49, false, false)
	v := ranked(1, items...).figures(rowWeights{1})
	for i, rate := range []float64{0.02, 0.08, 0.2} {
		right, wrong := rate*3/5, (1-rate)/50
		require.InDelta(t, 1000*(right+wrong), v[AlertsAtTwo+Metric(i)], tolerance)
		require.InDelta(t, right/(right+wrong), v[PrecisionAtTwo+Metric(i)], tolerance)
	}
	var l Line
	for m := range l.Figures {
		l.Figures[m].Value = v[m]
	}
	require.Equal(t, "31.6, 66.4, 136.0 alerts in 1,000 answers where 2, 8, 20 % are wrong; precision .380, .723, .882", l.Traffic())
}

func TestCalibrationErrorByHand(t *testing.T) {
	t.Parallel()
	// Bin 9: said .9 and 1, found 1 of 2. Bin 2: said .2 twice, found 0 of 2.
	s := rankedRowsOf(faultyRow(0.9), goodRow(1), goodRow(0.2), goodRow(0.2)).withBins()
	require.InDelta(t, (math.Abs(1.9-1)+0.4)/4, s.figures(nil)[CalibrationError], tolerance)
	require.InDelta(t, 0, rankedRowsOf(faultyRow(1), goodRow(0), faultyRow(-1)).withBins().figures(nil)[CalibrationError], tolerance)
}

func TestFiguresOfOneLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items     []scoredRow
		undefined []Metric
	}{
		"only good":   {[]scoredRow{goodRow(0.1), goodRow(0.9)}, []Metric{AUROC, F1, FoundFive, Recall}},
		"only faulty": {[]scoredRow{faultyRow(0.1), faultyRow(0.9)}, []Metric{AUROC, FalseAlarms, PrecisionAtTwo}},
		"nothing":     {nil, []Metric{AUROC, F1, FoundFive, Recall, FalseAlarms, Precision}},
	} {
		v := rankedRowsOf(c.items...).figures(nil)
		for _, m := range c.undefined {
			require.True(t, math.IsNaN(v[m]), "%s: %s is %v", name, m, v[m])
		}
	}
}

// Ranking metrics depend on the order alone, and the baselines have their defined values.
func TestProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 40).Draw(t, "rows")
		items, mapped, flat := make([]scoredRow, n), make([]scoredRow, n), make([]scoredRow, n)
		positives := 0
		for i := range items {
			items[i] = scoredRow{score: float64(rapid.IntRange(0, 10).Draw(t, "score")) / 10, positive: rapid.Bool().Draw(t, "faulty")}
			mapped[i], flat[i] = items[i], scoredRow{score: 1, fired: true, positive: items[i].positive}
			mapped[i].score = math.Exp(3*items[i].score) - 7
			if items[i].positive {
				positives++
			}
		}
		if positives == 0 || positives == n {
			return
		}
		a, b, f := rankedRowsOf(items...).figures(nil), rankedRowsOf(mapped...).figures(nil), rankedRowsOf(flat...).figures(nil)
		for _, m := range []Metric{AUROC, FoundFive, FoundTen, FoundTwenty, FoundFifty} {
			if math.Abs(a[m]-b[m]) > tolerance {
				t.Fatalf("%s changes with the scale: %v, %v", m, a[m], b[m])
			}
			if a[m] < 0 || a[m] > 1 {
				t.Fatalf("%s is %v", m, a[m])
			}
		}
		rate := float64(positives) / float64(n)
		for m, want := range map[Metric]float64{
			AUROC: 0.5, Precision: rate, Recall: 1, FalseAlarms: 1, F1: 2 * rate / (1 + rate), FoundFive: 0.05, FoundFifty: 0.5,
		} {
			if math.Abs(f[m]-want) > tolerance {
				t.Fatalf("the floor's %s is %v, want %v", m, f[m], want)
			}
		}
		if want := pairwiseAUROC(items); math.Abs(a[AUROC]-want) > tolerance {
			t.Fatalf("AUROC is %v, the sweep says %v", a[AUROC], want)
		}
	})
}

func pairwiseAUROC(items []scoredRow) float64 {
	won, pairs := 0.0, 0.0
	for _, bad := range items {
		for _, good := range items {
			if !bad.positive || good.positive {
				continue
			}
			pairs++
			switch {
			case bad.score > good.score:
				won++
			case bad.score == good.score:
				won += 0.5
			}
		}
	}
	return won / pairs
}

// A row drawn twice counts like two rows.
func TestGroupDrawsActAsWeights(t *testing.T) {
	t.Parallel()
	one := rankedRowsOf(faultyRow(0.9), goodRow(0.8), faultyRow(0.3), goodRow(0.1))
	twice := rankedRowsOf(faultyRow(0.9), faultyRow(0.9), goodRow(0.8), goodRow(0.1), goodRow(0.1), goodRow(0.1))
	a, b := one.figures(rowWeights{2, 1, 0, 3}), twice.figures(nil)
	for _, m := range []Metric{AUROC, FoundFive, FoundTen, FoundTwenty, FoundFifty} {
		require.InDelta(t, b[m], a[m], tolerance, m)
	}
}

// Pairs and models are ordered among themselves.
func TestListsAreOrderedAlone(t *testing.T) {
	t.Parallel()
	s := rankedRowsOf()
	s.twins = [][]scoredRow{
		{{score: .9, positive: true, weight: 1}, {score: .1, weight: 1}},                     // won
		{{score: .8, weight: 1, group: 1}, {score: .2, positive: true, weight: 1, group: 1}}, // lost
		{{score: .5, weight: 1, group: 2}, {score: .5, positive: true, weight: 1, group: 2}}, // tied
		{{score: .5, weight: 1, group: 3}},                                                   // no pair
	}
	require.InDelta(t, .5, s.figures(nil)[Twins], tolerance)
	require.InDelta(t, (3*1+1*0+2*.5)/6, s.figures(rowWeights{3, 1, 2, 9})[Twins], tolerance, "a pair drawn twice counts twice")
	s.models = [][]scoredRow{{faultyRow(.9), faultyRow(.5), goodRow(.4), goodRow(.3)}, {goodRow(.9), faultyRow(.8), goodRow(.7)}}
	for _, list := range s.models {
		for i := range list {
			list[i].weight = 1
		}
	}
	require.InDelta(t, (1+1+.5)/3, s.figures(nil)[WithinModel], tolerance)
}

func TestIntervals(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	var items []scoredRow
	for range 300 {
		it := goodRow(random.Float64())
		if random.IntN(2) == 0 {
			it = faultyRow(random.Float64() + 0.3)
		}
		items = append(items, it)
	}
	s := rankedRowsOf(items...)
	low, high := s.intervals(200, 7)
	again, _ := rankedRowsOf(items...).intervals(200, 7)
	require.InDelta(t, low[AUROC], again[AUROC], 0, "the same seed, the same interval")
	other, _ := s.intervals(200, 8)
	require.NotEqual(t, low[AUROC], other[AUROC], "another seed, another one")
	at := s.figures(nil)[AUROC]
	require.Less(t, low[AUROC], at)
	require.Greater(t, high[AUROC], at)
	require.Less(t, high[AUROC]-low[AUROC], 0.15)

	// The same rows ten times, each copy in its original's group: the interval stays as wide.
	var copies []scoredRow
	for i, it := range items {
		it.group, it.weight = int32(i), 1
		for range 10 {
			copies = append(copies, it)
		}
	}
	clustered := ranked(len(items), copies...)
	low10, high10 := clustered.intervals(200, 7)
	require.InDelta(t, high[AUROC]-low[AUROC], high10[AUROC]-low10[AUROC], 1e-9)

	alone := ranked(1, copies...)
	none, _ := alone.intervals(200, 7)
	require.True(t, math.IsNaN(none[AUROC]), "one group cannot be resampled")
}

// The interval contains the true value in 90 of 100 cases at least; 95 are nominal.
func TestIntervalCoverage(t *testing.T) {
	t.Parallel()
	const truth = 0.875 // of two uniform scores, one raised by a half: 1 - 1/8
	covered := 0
	for world := range 100 {
		random := rand.New(rand.NewPCG(uint64(world), 9))
		var items []scoredRow
		for range 100 {
			items = append(items, goodRow(random.Float64()), faultyRow(random.Float64()+0.5))
		}
		if low, high := rankedRowsOf(items...).intervals(200, 3); low[AUROC] <= truth && truth <= high[AUROC] {
			covered++
		}
	}
	require.GreaterOrEqual(t, covered, 90)
	require.Less(t, covered, 100, "and it is no wider than it must be")
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	xs := make([]float64, 1001)
	for i := range xs {
		xs[i] = float64(i) / 1000
	}
	require.InDelta(t, 0.025, percentile(xs, 0.025), tolerance)
	require.InDelta(t, 0.25, percentile([]float64{0, 1}, 0.25), tolerance, "between two")
	require.InDelta(t, 7, percentile([]float64{7}, 0.975), tolerance)
	require.InDelta(t, 1, percentile(xs, 1), tolerance)
}

// Ten good rows fire with even odds: the share that fires in a resample is binomial, and its percentiles are known.
func TestIntervalsAreTheMiddle95Percent(t *testing.T) {
	t.Parallel()
	items := make([]scoredRow, 100)
	for i := range items {
		items[i] = goodRow(0)
		items[i].fired = i%2 == 0
	}
	low, high := rankedRowsOf(items...).intervals(20_000, 5)
	require.InDelta(t, 0.40, low[FalseAlarms], 0.0051)
	require.InDelta(t, 0.60, high[FalseAlarms], 0.0051)
}

// Two groups, one faulty and one good: half of the resamples draw one of them twice, and define no ranking.
func TestIntervalsOfUndefinedFigures(t *testing.T) {
	t.Parallel()
	three := ranked(3, scoredRow{score: 1, positive: true, weight: 1}, scoredRow{weight: 1, group: 1}, scoredRow{weight: 1, group: 2})
	low, high := three.intervals(500, 1)
	require.True(t, math.IsNaN(low[Precision]) && math.IsNaN(high[Precision]), "nothing ever fires")
	require.InDelta(t, 1, low[AUROC], tolerance, "two resamples of three define it")

	rare := ranked(9, scoredRow{score: 1, positive: true, weight: 1, fired: true}, scoredRow{weight: 1, group: 1}, scoredRow{weight: 1, group: 1, positive: true}) // the other groups' rows are not there
	low, _ = rare.intervals(500, 1)
	require.True(t, math.IsNaN(low[CalibrationError]))
	require.False(t, math.IsNaN(low[Precision]), "65 % draw the group that fires")
	one := ranked(20, scoredRow{score: 1, positive: true, weight: 1}, scoredRow{weight: 1, group: 1})
	low, _ = one.intervals(500, 1)
	require.True(t, math.IsNaN(low[AUROC]), "41 % draw both")
}
