package rate

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// scenario is traffic with a known truth. Triggers pick faulty answers more often than others.
type scenario struct {
	answers  int
	rate     float64
	sampled  float64   // of all answers
	triggers []trigger // besides
}

type trigger struct{ probability, ofFaulty, ofOthers float64 }

// draw returns the sample and the share of hallucinated answers in the whole traffic.
func (s *scenario) draw(random *rand.Rand) (sample []Observation, truth float64) {
	bad := 0
	for range s.answers {
		positive := random.Float64() < s.rate
		missed := 1 - s.sampled
		for _, t := range s.triggers {
			hit := t.ofOthers
			if positive {
				hit = t.ofFaulty
			}
			if random.Float64() < hit {
				missed *= 1 - t.probability
			}
		}
		if positive {
			bad++
		}
		if random.Float64() >= missed {
			sample = append(sample, Observation{Positive: positive, Probability: 1 - missed})
		}
	}
	return sample, float64(bad) / float64(s.answers)
}

// 95 % intervals contain the truth in 93 to 97 % of 1,000 runs, in each kind of traffic. Where traffic is large, make test
// has a hundred runs, and make test-short none.
func TestCoverage(t *testing.T) {
	risky := []trigger{{0.75, 0.5, 0.02}}
	for name, s := range map[string]scenario{
		"rare":               {answers: 200_000, rate: 0.005, sampled: 0.01},
		"usual":              {answers: 50_000, rate: 0.05, sampled: 0.01},
		"many":               {answers: 20_000, rate: 0.3, sampled: 0.01},
		"rare, triggers":     {answers: 200_000, rate: 0.005, sampled: 0.01, triggers: risky},
		"usual, triggers":    {answers: 50_000, rate: 0.05, sampled: 0.01, triggers: risky},
		"many, triggers":     {answers: 20_000, rate: 0.3, sampled: 0.01, triggers: risky},
		"two triggers":       {answers: 50_000, rate: 0.05, sampled: 0.01, triggers: []trigger{{0.75, 0.4, 0.02}, {1, 0.2, 0.01}}},
		"tenth":              {answers: 5_000, rate: 0.05, sampled: 0.1, triggers: risky},
		"small, triggers":    {answers: 3_000, rate: 0.05, sampled: 0.01, triggers: risky},
		"small and rare":     {answers: 5_000, rate: 0.005, sampled: 0.01, triggers: risky},
		"small, many":        {answers: 3_000, rate: 0.3, sampled: 0.01},
		"rare, two triggers": {answers: 200_000, rate: 0.005, sampled: 0.01, triggers: []trigger{{0.75, 0.4, 0.02}, {1, 0.2, 0.01}}},
		"half":               {answers: 1_000, rate: 0.1, sampled: 0.5},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && s.answers > 5_000 {
				t.Skip("takes seconds: make test runs it")
			}
			t.Parallel()
			runs, least, most, bias := 1000, 930, 970, 0.05*s.rate
			if s.answers > 5_000 && os.Getenv("FULL_COUNTS") == "" {
				runs, least, most, bias = 100, 89, 99, 0.15*s.rate
			}
			covered, width, off := 0, 0.0, 0.0
			for seed := range uint64(runs) {
				sample, truth := s.draw(rand.New(rand.NewPCG(seed, 17)))
				e := Of(sample)
				if e.Low <= truth && truth <= e.High {
					covered++
				}
				width += e.High - e.Low
				off += e.Share - truth
			}
			t.Logf("%s: covered %.1f %%, width %.4f, bias %.5f", name, 100*float64(covered)/float64(runs), width/float64(runs), off/float64(runs))
			require.GreaterOrEqual(t, covered, least)
			require.LessOrEqual(t, covered, most)
			require.InDelta(t, 0, off/float64(runs), bias, "unbiased")
		})
	}
}

func TestOf(t *testing.T) {
	require.Equal(t, Estimate{High: 1}, Of(nil))
	all := Of([]Observation{{true, 1}, {false, 1}, {false, 1}, {false, 1}})
	require.Equal(t, Estimate{Share: 0.25, Low: 0.25, High: 0.25, Judged: 4, Positive: 1, Traffic: 4}, all, "who asks everybody is sure")
	var none []Observation
	for range 30 {
		none = append(none, Observation{Probability: 0.01})
	}
	e := Of(none)
	require.InDelta(t, 0, e.Low, 0)
	require.Greater(t, e.High, 0.05, "no positive answer among 30 does not mean none")
	require.InDelta(t, 3000, e.Traffic, 1e-6)
	weighted := Of([]Observation{{true, 0.5}, {false, 0.01}})
	require.InDelta(t, 2.0/102, weighted.Share, 1e-12)
	require.False(t, weighted.Enough())
}

func ExampleOf() {
	var sample []Observation
	for i := range 100 {
		sample = append(sample, Observation{Positive: i < 5, Probability: 0.01})
	}
	e := Of(sample)
	fmt.Printf("%.1f %% (%.1f to %.1f) of about %.0f answers\n", 100*e.Share, 100*e.Low, 100*e.High, e.Traffic)
	// Output: 5.0 % (1.9 to 11.1) of about 10000 answers
}
