package confidence

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
	"confab/internal/golden"
	"confab/schemas"
	"confab/schemas/json"
)

// uncertainties are those of the labelled answers with token probabilities, right ones first, and of all in the order of the file.
func uncertainties(t *testing.T) (byLabel [2][]Uncertainty, stream []Uncertainty, labels []int) {
	t.Helper()
	for _, line := range datatest.Rows(t, "logprobs") {
		var row schemas.Labelled
		require.NoError(t, json.DecodeLabelled(line, &row))
		u := MeasureUncertainty(row.Interaction.Logprobs)
		byLabel[row.Label], stream, labels = append(byLabel[row.Label], u), append(stream, u), append(labels, row.Label)
	}
	return byLabel, stream, labels
}

// way is a way to judge an answer by those before it.
type way struct {
	name  string
	limit float64
	n     int
	learn func(unlabelled, right []Uncertainty) (score func(Uncertainty) float64)
}

func byRank(unlabelled, _ []Uncertainty) func(Uncertainty) float64 {
	u := &usual{}
	for i := range unlabelled {
		u.add(float32(unlabelled[i].Peak), fileAnswers)
	}
	return func(x Uncertainty) float64 { return u.rank(float32(x.Peak)) }
}

func byRankTwoSided(unlabelled, _ []Uncertainty) func(Uncertainty) float64 {
	rank := byRank(unlabelled, nil)
	return func(x Uncertainty) float64 { return max(rank(x), 1-rank(x)) }
}

func byMAD(unlabelled, _ []Uncertainty) func(Uncertainty) float64 {
	middle := median(peaks(unlabelled))
	distances := peaks(unlabelled)
	for i := range distances {
		distances[i] = math.Abs(distances[i] - middle)
	}
	mad := median(distances)
	return func(x Uncertainty) float64 { return scoreOf((x.Peak - middle) / (1.4826*mad + 1e-9)) }
}

func byRightAnswers(_, right []Uncertainty) func(Uncertainty) float64 {
	mean, square := 0.0, 0.0
	for _, x := range peaks(right) {
		mean, square = mean+x/float64(len(right)), square+x*x/float64(len(right))
	}
	b := Baseline{PeakMean: mean, PeakStdev: math.Sqrt(square - mean*mean)}
	return func(x Uncertainty) float64 { z, _ := b.Z(x); return scoreOf(z) }
}

func peaks(list []Uncertainty) (v []float64) {
	for i := range list {
		v = append(v, list[i].Peak)
	}
	return v
}

func median(v []float64) float64 { slices.Sort(v); return v[len(v)/2] }

// TestLiveFigures measures baselines that are learned from unlabelled streams with 4, 8, 20 and 67 % wrong answers, beside those
// of fine answers alone. One half of the rows teaches, the other is judged.
func TestLiveFigures(t *testing.T) {
	byLabel, stream, labels := uncertainties(t)
	ways := []way{
		{"mean and stdev of 30 right answers", 0.9, 1, byRightAnswers},
		{"median and MAD", 0.9, 256, byMAD},
		{"rank", 0.9, 256, byRank},
		{"rank", 0.98, 25, byRank},
		{"rank", 0.98, 50, byRank},
		{"rank", 0.98, 100, byRank},
		{"rank", 0.98, 256, byRank},
		{"rank, two-sided", 0.98, 256, byRankTwoSided},
	}
	var report strings.Builder
	fmt.Fprintf(&report, "%d answers, %d wrong. Shares of right and wrong answers that fire, and of wrong ones among those that fire.\n\n", len(stream), len(byLabel[1]))
	for _, wrong := range []float64{0.04, 0.08, 0.2, 0.67} {
		for _, w := range ways {
			fires := firingShares(w, byLabel, wrong)
			fmt.Fprintf(&report, "%2.0f %% wrong  %-36s limit %.3f  n %3d  right %.3f  wrong %.3f  precision %.2f\n", 100*wrong, w.name, w.limit, w.n,
				fires[0], fires[1], wrong*fires[1]/(wrong*fires[1]+(1-wrong)*fires[0]+1e-12))
		}
		report.WriteString("\n")
	}
	rank := byRank(stream[:LeastAnswers], nil)
	var fired [2]float64
	for i := LeastAnswers; i < len(stream); i++ {
		if rank(stream[i]) >= 0.98 {
			fired[labels[i]]++
		}
	}
	fmt.Fprintf(&report, "the rows in their order, the first %d teach: of the other %d, %.0f right and %.0f wrong ones fire\n", LeastAnswers, len(stream)-LeastAnswers, fired[0], fired[1])
	golden.Equal(t, "testdata/live.golden", report.String())
}

func scoreOf(z float64) float64 { return math.Erfc(-z/math.Sqrt2) / 2 }

// firingShares are the shares of held-out right and wrong answers that fire, over random streams.
func firingShares(w way, byLabel [2][]Uncertainty, wrong float64) (share [2]float64) {
	random := rand.New(rand.NewPCG(1, 2))
	const draws = 1000
	for range draws {
		var taught, judged [2][]Uncertainty
		for label, list := range byLabel {
			list = slices.Clone(list)
			random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
			taught[label], judged[label] = list[:len(list)/2], list[len(list)/2:]
		}
		unlabelled := make([]Uncertainty, w.n)
		for i := range unlabelled {
			from := taught[0]
			if random.Float64() < wrong {
				from = taught[1]
			}
			unlabelled[i] = from[random.IntN(len(from))]
		}
		score := w.learn(unlabelled, taught[0])
		for label := range judged {
			for i := range judged[label] {
				if score(judged[label][i]) >= w.limit {
					share[label] += 1 / float64(draws*len(judged[label]))
				}
			}
		}
	}
	return share
}
