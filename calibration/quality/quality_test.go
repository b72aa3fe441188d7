package quality

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/calibration/roc"
)

const tolerance = 1e-12

// rankedRowsOf puts each row into a group of its own.
func rankedRowsOf(items ...scoredRow) *rankedRows {
	measured := make([]bool, len(items))
	for i := range items {
		items[i].group, measured[i] = int32(i), true
		if items[i].weight == 0 {
			items[i].weight = 1
		}
	}
	return newSeries(items, measured, rankedRows{groups: len(items)})
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
	// Steps: 1 of 1; one more of 2 of 3; one more of 3 of 4; one more of 4 of 6.
	require.InDelta(t, (1+2./3+3./4+4./6)/4, v[AveragePrecision], tolerance)
	// Fires: 3 faulty, 1 good; 1 faulty stays.
	require.InDelta(t, 3./4, v[Precision], tolerance)
	require.InDelta(t, 3./4, v[Recall], tolerance)
	require.InDelta(t, 1./4, v[FalseAlarms], tolerance)
	require.InDelta(t, 3./4, v[F1], tolerance)
	// From .4 on: 4 faulty, 2 good.
	require.InDelta(t, 8./10, v[BestF1], tolerance)
	// No good row may fire, of four: only .9 stands alone above them.
	require.InDelta(t, 1./4, v[RecallAtFive], tolerance)
	require.True(t, math.IsNaN(v[CalibrationError]), "not a probability")
}

func TestRecallAtFivePercent(t *testing.T) {
	t.Parallel()
	items := func(goods int, above int) []scoredRow {
		list := []scoredRow{faultyRow(0.9), faultyRow(0.5), faultyRow(0.5), faultyRow(0.1)}
		for i := range goods {
			score := 0.2
			if i < above {
				score = 0.7
			}
			list = append(list, goodRow(score))
		}
		return list
	}
	require.InDelta(t, 3./4, rankedRowsOf(items(20, 1)...).figures(nil)[RecallAtFive], tolerance, "one of twenty may")
	require.InDelta(t, 1./4, rankedRowsOf(items(20, 2)...).figures(nil)[RecallAtFive], tolerance, "two may not")
	require.InDelta(t, 1./4, rankedRowsOf(items(19, 1)...).figures(nil)[RecallAtFive], tolerance, "one of nineteen may not")
	tied := append(items(20, 0), goodRow(0.5), goodRow(0.5))
	require.InDelta(t, 1./4, rankedRowsOf(tied...).figures(nil)[RecallAtFive], tolerance, "tied rows fire together, or not at all")
}

// Of 200 good rows one is half a percent, two are one, ten are five.
func TestRecallAtFalseAlarmLimits(t *testing.T) {
	t.Parallel()
	var items []scoredRow
	add := func(n int, row scoredRow) {
		for range n {
			items = append(items, row)
		}
	}
	add(1, faultyRow(0.95))
	add(1, goodRow(0.9))
	add(2, faultyRow(0.85))
	add(1, goodRow(0.8))
	add(3, faultyRow(0.75))
	add(8, goodRow(0.7))
	add(1, faultyRow(0.65))
	add(1, goodRow(0.6))
	add(3, faultyRow(0.55))
	add(189, goodRow(0.1))
	v := rankedRowsOf(items...).figures(nil)
	require.InDelta(t, 3./10, v[RecallAtHalf], tolerance)
	require.InDelta(t, 6./10, v[RecallAtOne], tolerance)
	require.InDelta(t, 7./10, v[RecallAtFive], tolerance)
	for name, m := range map[string]Metric{"recall_at_05": RecallAtHalf, "recall_at_1": RecallAtOne, "recall_at_5": RecallAtFive} {
		got, known := MetricOf(name)
		require.True(t, known)
		require.Equal(t, m, got)
	}
}

// 3 of 5 faulty rows alert, one of them was not measured; 1 of 50 good rows, of which 10 were not measured.
func TestAlertsAtBaseRates(t *testing.T) {
	t.Parallel()
	var items []scoredRow
	var measured []bool
	add := func(n int, positive, fired, could bool) {
		for range n {
			items = append(items, scoredRow{positive: positive, fired: fired, weight: 1})
			measured = append(measured, could)
		}
	}
	add(3, true, true, true)
	add(1, true, false, true)
	add(1, true, false, false)
	add(1, false, true, true)
	add(39, false, false, true)
	add(10, false, false, false)
	v := newSeries(items, measured, rankedRows{groups: 1}).figures(rowWeights{1})
	for i, rate := range []float64{0.01, 0.05, 0.2} {
		right, wrong := rate*3/5, (1-rate)/50
		require.InDelta(t, 1000*(right+wrong), v[AlertsAtOne+Metric(i)], tolerance)
		require.InDelta(t, right/(right+wrong), v[PrecisionAtOne+Metric(i)], tolerance)
	}
	var l Line
	for m := range l.Figures {
		l.Figures[m].Value = v[m]
	}
	require.Equal(t, "25.8, 49.0, 136.0 alerts in 1,000 answers where 1, 5, 20 % are faulty; precision .233, .612, .882", l.Traffic())
}

func TestRowsThatWereNotMeasured(t *testing.T) {
	t.Parallel()
	items := []scoredRow{faultyRow(0.9), goodRow(0.5), faultyRow(0), goodRow(0)}
	items[0].fired = true
	for i := range items {
		items[i].weight, items[i].group = 1, int32(i)
	}
	v := newSeries(items, []bool{true, true, false, false}, rankedRows{groups: 4}).figures(nil)
	require.InDelta(t, 1, v[AUROC], tolerance)
	require.InDelta(t, 1, v[Recall], tolerance)
	require.InDelta(t, 1, v[F1], tolerance)
	require.InDelta(t, 1./2, v[RecallAll], tolerance)
}

func TestCalibrationErrorByHand(t *testing.T) {
	t.Parallel()
	// Bin 9: said .9 and 1, found 1 of 2. Bin 2: said .2 twice, found 0 of 2.
	s := rankedRowsOf(faultyRow(0.9), goodRow(1), goodRow(0.2), goodRow(0.2)).withBins()
	require.InDelta(t, (math.Abs(1.9-1)+0.4)/4, s.figures(nil)[CalibrationError], tolerance)
	require.InDelta(t, 0, rankedRowsOf(faultyRow(1), goodRow(0)).withBins().figures(nil)[CalibrationError], tolerance)
}

func TestFiguresOfOneLabel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		items     []scoredRow
		undefined []Metric
	}{
		"only good":   {[]scoredRow{goodRow(0.1), goodRow(0.9)}, []Metric{AUROC, AveragePrecision, F1, BestF1, RecallAtFive, Recall}},
		"only faulty": {[]scoredRow{faultyRow(0.1), faultyRow(0.9)}, []Metric{AUROC, RecallAtFive, FalseAlarms}},
		"nothing":     {nil, []Metric{AUROC, AveragePrecision, F1, BestF1, RecallAtFive, Recall, FalseAlarms, Precision}},
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
		for _, m := range rankMetrics {
			if math.Abs(a[m]-b[m]) > tolerance {
				t.Fatalf("%s changes with the scale: %v, %v", m, a[m], b[m])
			}
			if a[m] < 0 || a[m] > 1 {
				t.Fatalf("%s is %v", m, a[m])
			}
		}
		rate := float64(positives) / float64(n)
		for m, want := range map[Metric]float64{
			AUROC: 0.5, AveragePrecision: rate, Precision: rate, Recall: 1, FalseAlarms: 1, F1: 2 * rate / (1 + rate), BestF1: 2 * rate / (1 + rate), RecallAtFive: 0,
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
	rows := make([]roc.Scored, len(items))
	for i, it := range items {
		rows[i] = roc.Scored{Score: it.score, Positive: it.positive}
	}
	return roc.AUROC(rows)
}

// A row drawn twice counts like two rows.
func TestGroupDrawsActAsWeights(t *testing.T) {
	t.Parallel()
	one := rankedRowsOf(faultyRow(0.9), goodRow(0.8), faultyRow(0.3), goodRow(0.1))
	twice := rankedRowsOf(faultyRow(0.9), faultyRow(0.9), goodRow(0.8), goodRow(0.1), goodRow(0.1), goodRow(0.1))
	a, b := one.figures(rowWeights{2, 1, 0, 3}), twice.figures(nil)
	for _, m := range rankMetrics {
		require.InDelta(t, b[m], a[m], tolerance, m)
	}
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
	require.Equal(t, low[:4], again[:4], "the same seed, the same interval")
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
	all := make([]bool, len(copies))
	for i := range all {
		all[i] = true
	}
	clustered := newSeries(copies, all, rankedRows{groups: len(items)})
	low10, high10 := clustered.intervals(200, 7)
	require.InDelta(t, high[AUROC]-low[AUROC], high10[AUROC]-low10[AUROC], 1e-9)

	alone := newSeries(copies, all, rankedRows{groups: 1})
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
	three := newSeries([]scoredRow{
		{score: 1, positive: true, weight: 1}, {weight: 1, group: 1}, {weight: 1, group: 2},
	}, []bool{true, true, true}, rankedRows{groups: 3})
	low, high := three.intervals(500, 1)
	require.True(t, math.IsNaN(low[Precision]) && math.IsNaN(high[Precision]), "nothing ever fires")
	require.InDelta(t, 1, low[AUROC], tolerance, "two resamples of three define it")

	rare := newSeries([]scoredRow{
		{score: 1, positive: true, weight: 1, fired: true}, {weight: 1, group: 1}, {weight: 1, group: 1, positive: true},
	}, []bool{true, true, true}, rankedRows{groups: 9}) // the other groups' rows are not there
	low, _ = rare.intervals(500, 1)
	require.True(t, math.IsNaN(low[CalibrationError]))
	require.False(t, math.IsNaN(low[Precision]), "65 % draw the group that fires")
	one := newSeries([]scoredRow{{score: 1, positive: true, weight: 1}, {weight: 1, group: 1}}, []bool{true, true}, rankedRows{groups: 20})
	low, _ = one.intervals(500, 1)
	require.True(t, math.IsNaN(low[AUROC]), "41 % draw both")
}
