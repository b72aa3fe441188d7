package standard_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// exactEntropy computes the entropy by its definition in float64.
func exactEntropy(row []float32) (float64, bool) {
	var p []float64
	missing := true
	for i, v := range row {
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) || i == 0 {
			continue
		}
		if v == row[0] {
			missing = false
		}
		p = append(p, math.Exp(min(max(f, -100), 0)))
	}
	if f := float64(row[0]); missing && !math.IsNaN(f) && !math.IsInf(f, 0) {
		p = append(p, math.Exp(min(max(f, -100), 0)))
	}
	if len(p) < 2 {
		return 0, false
	}
	sum, h := 0., 0.
	for _, v := range p {
		sum += v
	}
	for _, v := range p {
		if v > 0 {
			h -= v / sum * math.Log(v/sum)
		}
	}
	return h, true
}

func TestUncertaintyMatchesTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		k, n := random.IntN(7), random.IntN(12)
		l := schemas.Logprobs{TopK: k}
		for range n * (1 + k) {
			v := float32(-random.ExpFloat64() * 3)
			switch random.IntN(20) {
			case 0:
				v = nan
			case 1:
				v = -100
			case 2:
				v = 0
			case 3:
				v = float32(math.Inf(-1))
			}
			l.Values = append(l.Values, v)
		}
		sum, peak, n, at := 0., -1., 0, 0
		for i := range l.Rows() {
			if h, ok := exactEntropy(l.Row(i)); ok {
				sum, n = sum+h, n+1
				if h > peak {
					peak, at = h, i
				}
			}
		}
		u := confidence.MeasureUncertainty(l)
		require.Equal(t, n, u.Tokens)
		if n == 0 {
			require.Zero(t, u.Peak)
			continue
		}
		require.InDelta(t, sum/float64(n), u.Mean, 1e-9)
		require.InDelta(t, peak, u.Peak, 1e-9)
		require.Equal(t, at, u.PeakRow)
	}
}

// TestConfidenceRanking compares the statistics on real probabilities, which is why the score is the highest token entropy.
// The baseline of a row is fitted on the other rows.
func TestConfidenceRanking(t *testing.T) {
	rows := labelledRows(t, "logprobs")
	var report strings.Builder
	fmt.Fprintf(&report, "AUROC for a wrong answer, %d rows; baselines from the good answers of the other four fifths\n", len(rows))
	line := func(name string, score func(i int) float64) {
		scores := make([]float64, len(rows))
		for i := range rows {
			scores[i] = score(i)
		}
		fmt.Fprintf(&report, "%-34s %.3f\n", name, auroc(scores, rows))
	}
	us := make([]confidence.Uncertainty, len(rows))
	for i := range rows {
		us[i] = confidence.MeasureUncertainty(rows[i].Interaction.Logprobs)
	}
	var folds [5]confidence.Baseline
	for fold := range folds {
		var good []confidence.Uncertainty
		for i := range rows {
			if rows[i].Label == 0 && i%len(folds) != fold {
				good = append(good, us[i])
			}
		}
		folds[fold] = baselineOf(good)
	}
	z := func(i int) float64 { b := folds[i%len(folds)]; return (us[i].Peak - b.PeakMean) / b.PeakStdev }
	line("mean entropy", func(i int) float64 { return us[i].Mean })
	line("smallest logprob", func(i int) float64 { return -us[i].MinLogprob })
	line("peak", func(i int) float64 { return us[i].Peak })
	line("peak, z both ways", func(i int) float64 { return math.Abs(z(i)) })
	line("peak, score as shipped", func(i int) float64 {
		d := buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{folds[i%len(folds)]}})
		return detectOnce(t, d, &rows[i].Interaction).Score
	})
	golden.Equal(t, "testdata/confidence.golden", report.String())
}

// baselineOf is the baseline of fine answers.
func baselineOf(right []confidence.Uncertainty) (b confidence.Baseline) {
	meanStdev := func(of func(confidence.Uncertainty) float64) (mean, stdev float64) {
		for _, u := range right {
			mean += of(u) / float64(len(right))
		}
		for _, u := range right {
			stdev += (of(u) - mean) * (of(u) - mean) / float64(len(right)-1)
		}
		return mean, math.Sqrt(stdev)
	}
	b.Mean, b.Stdev = meanStdev(func(u confidence.Uncertainty) float64 { return u.Mean })
	b.PeakMean, b.PeakStdev = meanStdev(func(u confidence.Uncertainty) float64 { return u.Peak })
	return b
}
