package roc

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"
)

func scoredRows(positive bool, scores ...float64) []Scored {
	rows := make([]Scored, len(scores))
	for i, s := range scores {
		rows[i] = Scored{Score: s, Positive: positive}
	}
	return rows
}

func TestSweepByHand(t *testing.T) {
	t.Parallel()
	rows := append(scoredRows(true, 0.9, 0.8, 0.5), scoredRows(false, 0.8, 0.2)...)
	want := []Candidate{
		{Threshold: 0.2, Fired: 5, Precision: 3. / 5, Recall: 1, FalseAlarms: 1},
		{Threshold: 0.5, Fired: 4, Precision: 3. / 4, Recall: 1, FalseAlarms: 0.5},
		{Threshold: 0.8, Fired: 3, Precision: 2. / 3, Recall: 2. / 3, FalseAlarms: 0.5},
		{Threshold: 0.9, Fired: 1, Precision: 1, Recall: 1. / 3, FalseAlarms: 0},
	}
	options := cmp.Options{cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreFields(Candidate{}, "PrecisionLow", "FalseAlarmsHigh")}
	require.Empty(t, cmp.Diff(want, Sweep(rows), options))
	for _, c := range Sweep(rows) {
		require.Empty(t, cmp.Diff(c, At(rows, c.Threshold), cmpopts.EquateApprox(0, 1e-12)), "At agrees with Sweep")
		require.Less(t, c.PrecisionLow, c.Precision)
		_, high := Wilson(c.FalseAlarms, 2)
		require.InDelta(t, high, c.FalseAlarmsHigh, 1e-12, "of two negatives")
	}
}

// Of thresholds that meet the target the highest counts whose recall is within .01 of the best.
func TestChooseIsTheHighestNearTheBestRecall(t *testing.T) {
	t.Parallel()
	at := func(threshold, precision, recall float64) Candidate {
		return Candidate{Threshold: threshold, Fired: 20, Precision: precision, Recall: recall}
	}
	for name, c := range map[string]struct {
		candidates []Candidate
		want       float64
	}{
		"no collapse to the lowest":        {[]Candidate{at(0.172, 0.79, 1), at(0.5, 0.9, 1), at(0.789, 1, 1), at(0.8, 1, 0.98)}, 0.789},
		"just within the tolerance":        {[]Candidate{at(0.3, 0.7, 0.5), at(0.4, 0.8, 0.49), at(0.5, 0.9, 0.48)}, 0.4},
		"best recall of those that meet":   {[]Candidate{at(0.1, 0.5, 1), at(0.3, 0.7, 0.4), at(0.4, 0.8, 0.395)}, 0.4},
		"the highest itself must meet it":  {[]Candidate{at(0.3, 0.7, 0.4), at(0.4, 0.69, 0.395)}, 0.3},
		"recall falls steeply: the lowest": {[]Candidate{at(0.3, 0.7, 0.9), at(0.4, 0.8, 0.8), at(0.5, 0.9, 0.7)}, 0.3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, ok := Choose(c.candidates, Target{Precision: 0.7, MinFired: 20})
			require.True(t, ok)
			require.InDelta(t, c.want, got.Threshold, 0)
		})
	}
}

func TestChooseNeedsTheTarget(t *testing.T) {
	t.Parallel()
	rows := append(scoredRows(true, 0.9, 0.8, 0.5), scoredRows(false, 0.8, 0.2)...)
	c, ok := Choose(Sweep(rows), Target{Precision: 0.7, MinFired: 1})
	require.True(t, ok)
	require.InDelta(t, 0.5, c.Threshold, 0)
	_, ok = Choose(Sweep(rows), Target{Precision: 0.7, MinFired: 5})
	require.False(t, ok, "too few rows fired for the estimate to count")
	_, ok = Choose(nil, Target{})
	require.False(t, ok)
}

func TestAUROCCountsPairs(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var rows []Scored
		for range 1 + random.IntN(20) {
			rows = append(rows, Scored{Score: float64(random.IntN(6)) / 5, Positive: random.IntN(2) == 0})
		}
		var won, pairs float64
		for _, p := range rows {
			for _, n := range rows {
				if !p.Positive || n.Positive {
					continue
				}
				pairs++
				switch {
				case p.Score > n.Score:
					won++
				case p.Score == n.Score:
					won += 0.5
				}
			}
		}
		if pairs == 0 {
			require.True(t, math.IsNaN(AUROC(rows)))
			continue
		}
		require.InDelta(t, won/pairs, AUROC(rows), 1e-12)
	}
}

func TestJeffreysLow(t *testing.T) {
	for _, c := range []struct{ hits, trials, want float64 }{ // Brown, Cai and DasGupta (2001), table 5
		{0, 10, 0}, {0, 0, 0}, {1, 10, 0.011}, {5, 10, 0.224},
	} {
		require.InDelta(t, c.want, JeffreysLow(Ratio(c.hits, c.trials), c.trials), 5e-4, c)
	}
	for _, n := range []float64{1, 2.5, 40, 1e3, 1e6, 1e9} {
		last := 0.0
		for _, share := range []float64{1e-12, 0.001, 0.1, 0.5, 0.9, 1, 1 + 1e-12} {
			low := JeffreysLow(share, n)
			require.GreaterOrEqual(t, low, last, "%v of %v", share, n)
			require.LessOrEqual(t, low, max(share, 1/n), "%v of %v", share, n)
			last = low
		}
	}
	require.Zero(t, JeffreysLow(math.NaN(), 10))
	require.Zero(t, JeffreysLow(0.5, math.NaN()))
	require.Zero(t, JeffreysLow(0.5, math.Inf(1)))
}

func TestWilson(t *testing.T) {
	t.Parallel()
	low, high := Wilson(0.5, 10) // the textbook's example
	require.InDelta(t, 0.2366, low, 1e-4)
	require.InDelta(t, 0.7634, high, 1e-4)
	low, high = Wilson(0, 0)
	require.InDelta(t, 0, low, 0)
	require.InDelta(t, 1, high, 0)
	low, _ = Wilson(0, 20)
	require.InDelta(t, 0, low, 1e-12)
	_, high = Wilson(1, 20)
	require.InDelta(t, 1, high, 1e-12)
}
