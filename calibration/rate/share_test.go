package rate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// judge is one that finds a share of the wrong answers and clears a share of the fine ones.
type judge struct{ found, cleared float64 }

func (j judge) reads(wrong bool, random *rand.Rand) *bool {
	says := random.Float64() < 1-j.cleared
	if wrong {
		says = random.Float64() < j.found
	}
	return &says
}

// study is a sample of which a judge reads all and people label a part.
type study struct {
	share            float64 // of wrong answers
	judge            judge
	labelled, judged int
	unequal          bool // wrong answers are labelled more often, with known probabilities
}

func (s *study) draw(random *rand.Rand) []Answer {
	sample := make([]Answer, s.judged)
	for i := range sample {
		wrong := random.Float64() < s.share
		a := &sample[i]
		a.Judge, a.Probability = s.judge.reads(wrong, random), 0.01
		if a.Label = 0.01 * float64(s.labelled) / float64(s.judged); s.unequal { // a detector points at a part of them
			a.Label *= 0.7
			if risky := random.Float64() < 0.1; risky || wrong && random.Float64() < 0.5 {
				a.Label = min(0.01, a.Label*4)
			}
		}
		if s.unequal && random.Float64() < 100*a.Label || !s.unequal && i < s.labelled {
			a.Person = &wrong
		}
	}
	return sample
}

// tried are the figures of many samples.
type tried struct{ covered, width, alone, bias float64 }

func (s *study) try(runs int) (t tried) {
	for seed := range uint64(runs) {
		sample := s.draw(rand.New(rand.NewPCG(seed, 38)))
		e := Share(sample)
		if e.Low <= s.share && s.share <= e.High {
			t.covered += 1 / float64(runs)
		}
		for i := range sample {
			sample[i].Judge = nil
		}
		alone := Share(sample)
		t.width += (e.High - e.Low) / float64(runs)
		t.alone += (alone.High - alone.Low) / float64(runs)
		t.bias += (e.Value - s.share) / float64(runs)
	}
	return t
}

// With judges of 65 to 95 % balanced accuracy, 95 % intervals contain the truth in 93 to 97 % of 2,000 samples, no judge biases the
// estimate, and a good one narrows it. Where labels have unequal probabilities, as much as 91 % is conceded. FULL_COUNTS=1 runs them all; else each kind of study has a few.
func TestPredictionPoweredCoverage(t *testing.T) {
	full := os.Getenv("FULL_COUNTS") != ""
	runs, slack := 150, 0.045
	if full {
		runs, slack = 2000, 0.008
	}
	for _, share := range []float64{0.08, 0.2} {
		for _, j := range []judge{{0.65, 0.65}, {0.7, 0.7}, {0.5, 0.9}, {0.8, 0.8}, {0.9, 0.9}, {0.95, 0.95}} {
			for _, size := range [][2]int{{40, 500}, {40, 5000}, {100, 2000}, {300, 500}, {300, 5000}} {
				for _, unequal := range []bool{false, true} {
					if unequal && size[1] == 500 || !full && (size[1] > 2000 || size[1] == 2000 && j != judge{0.7, 0.7} && j != judge{0.95, 0.95}) {
						continue
					}
					s := study{share, j, size[0], size[1], unequal}
					t.Run(fmt.Sprint(s), func(t *testing.T) {
						t.Parallel()
						got := s.try(runs)
						t.Logf("covered %.1f %%, width %.2f of labels alone, bias %+.4f", 100*got.covered, got.width/got.alone, got.bias)
						least := 0.93
						if s.unequal { // few heavy labels
							least = 0.91
						}
						require.GreaterOrEqual(t, got.covered, least-slack)
						require.LessOrEqual(t, got.covered, 0.97+slack)
						require.InDelta(t, 0, got.bias, 0.0025+4*math.Sqrt(s.share/float64(s.labelled*runs)))
						require.LessOrEqual(t, got.width, 1.02*got.alone)
					})
				}
			}
		}
	}
}

// Where the judge is good, intervals are half as wide as those of labels alone.
func TestGoodJudgeHalvesTheInterval(t *testing.T) {
	for _, share := range []float64{0.08, 0.2} {
		s := study{share: share, judge: judge{0.92, 0.99}, labelled: 100, judged: 5000}
		got := s.try(60)
		t.Logf("%.2f: %.2f", share, got.width/got.alone)
		require.LessOrEqual(t, got.width, 0.55*got.alone)
	}
}

// scenario is traffic with a known truth. Triggers pick faulty answers more often than others.
type scenario struct {
	answers  int
	rate     float64
	sampled  float64   // of all answers
	triggers []trigger // besides
}

type trigger struct{ probability, ofFaulty, ofOthers float64 }

func (s *scenario) draw(random *rand.Rand) (sample []Answer) {
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
		if random.Float64() >= missed {
			sample = append(sample, Answer{Judge: &positive, Probability: 1 - missed})
		}
	}
	return sample
}

// Without labels, 95 % intervals contain the truth in 93 to 97 % of 1,000 runs, in each kind of traffic. Where traffic is large, make test
// has a hundred runs, and make test-short none.
func TestCoverageOfVerdicts(t *testing.T) {
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
				e := Share(s.draw(rand.New(rand.NewPCG(seed, 17))))
				if e.Low <= s.rate && s.rate <= e.High {
					covered++
				}
				width += e.High - e.Low
				off += e.Value - s.rate
			}
			t.Logf("%s: covered %.1f %%, width %.4f, bias %.5f", name, 100*float64(covered)/float64(runs), width/float64(runs), off/float64(runs))
			require.GreaterOrEqual(t, covered, least)
			require.LessOrEqual(t, covered, most)
			require.InDelta(t, 0, off/float64(runs), bias, "unbiased")
		})
	}
}

func verdicts(wrong, fine int, probability float64) (sample []Answer) {
	for i := range wrong + fine {
		is := i < wrong
		sample = append(sample, Answer{Judge: &is, Probability: probability})
	}
	return sample
}

func TestShareOfVerdicts(t *testing.T) {
	require.Equal(t, Interval{High: 1}, Share(nil))
	none := Share(verdicts(0, 30, 0.01))
	require.InDelta(t, 0, none.Low, 0)
	require.Greater(t, none.High, 0.05, "no wrong answer among 30 does not mean none")
	require.InDelta(t, 3000, none.Answers, 1e-6)
	require.True(t, none.JudgesWord)
	weighted := Share(append(verdicts(1, 0, 0.5), verdicts(0, 1, 0.01)...))
	require.InDelta(t, 2.0/102, weighted.Value, 1e-12)
	require.False(t, weighted.Enough())
	for _, unsound := range []float64{math.NaN(), math.Inf(1), -0.5, 1.5, 1e-200, 0} {
		require.Equal(t, Interval{High: 1}, Share(verdicts(1, 0, unsound)), unsound)
	}
}

// label gives every n-th answer a person's label, which is the judge's word or its opposite.
func label(sample []Answer, n int, as func(judge bool) bool) []Answer {
	for i := range sample {
		if i%n == 0 {
			is := as(*sample[i].Judge)
			sample[i].Person = &is
		}
	}
	return sample
}

func TestShareOfLabels(t *testing.T) {
	same := func(judge bool) bool { return judge }
	few := Share(label(verdicts(50, 450, 0.1), 30, same))
	require.True(t, few.JudgesWord, "17 labels correct nothing")
	some := Share(label(verdicts(50, 450, 0.1), 10, same))
	require.False(t, some.JudgesWord)
	require.Equal(t, 50, some.Labelled)
	require.InDelta(t, 0.1, some.Value, 1e-9)

	alone := label(verdicts(50, 450, 0.1), 10, same)
	for i := range alone {
		alone[i].Judge = nil
	}
	people := Share(alone)
	require.False(t, people.JudgesWord)
	require.Less(t, some.High-some.Low, 0.75*(people.High-people.Low), "a judge that agrees helps")

	fine := Share(label(verdicts(50, 450, 0.1), 10, func(bool) bool { return false }))
	require.Less(t, fine.Value, 0.02, "people found none of what the judge faults")
	random := rand.New(rand.NewPCG(1, 2))
	useless := label(verdicts(50, 450, 0.1), 10, func(bool) bool { return random.Float64() < 0.3 })
	got := Share(useless)
	for i := range useless {
		useless[i].Judge = nil
	}
	want := Share(useless)
	require.InDelta(t, want.Value, got.Value, 0.02)
	require.InDelta(t, want.High-want.Low, got.High-got.Low, 0.02, "people alone")

	// A judge that read other answers than people: people alone.
	apart := append(verdicts(50, 450, 0.1), useless...)
	require.InDelta(t, want.Value, Share(apart).Value, 1e-9)
}

// People label what alerts. The labels of a cell stand for its answers; where a tenth of the traffic has none, they correct nothing.
func TestShareWeighsCells(t *testing.T) {
	draw := func(labelled bool) (sample []Answer) {
		for i := range 1000 {
			a := Answer{Probability: 0.5, Cell: CellOf(i < 50, 0)}
			judge, person := i < 100, i < 40 || i >= 50 && i < 145
			if a.Judge = &judge; i < 50 || i%5 == 0 && labelled {
				a.Person = &person
			}
			sample = append(sample, a)
		}
		return sample
	}
	e := Share(draw(true))
	require.Equal(t, 240, e.Labelled)
	require.InDelta(t, 0.04+0.095, e.Value, 0.005, "40 of 50 alerts, and a tenth of the others")
	e = Share(draw(false))
	require.True(t, e.JudgesWord)
	require.InDelta(t, 0.09, e.Value, 1e-9, "the judge's 100, of which people called 10 fine")
}

func TestDifference(t *testing.T) {
	a, b := Interval{Value: 0.1, Low: 0.05, High: 0.2}, Interval{Value: 0.3, Low: 0.26, High: 0.35}
	value, low, high := Difference(&b, &a)
	require.InDelta(t, 0.2, value, 1e-12)
	require.InDelta(t, 0.2-math.Hypot(0.04, 0.1), low, 1e-12)
	require.InDelta(t, 0.2+math.Hypot(0.05, 0.05), high, 1e-12)
	covered := 0
	random := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		x, y := Share(binomial(random, 60, 0.1)), Share(binomial(random, 80, 0.2))
		if _, low, high := Difference(&y, &x); low <= 0.1 && 0.1 <= high {
			covered++
		}
	}
	require.InDelta(t, 955, covered, 20)
}

func binomial(random *rand.Rand, n int, share float64) []Answer {
	wrong := 0
	for range n {
		if random.Float64() < share {
			wrong++
		}
	}
	return verdicts(wrong, n-wrong, 1)
}

func ExampleShare() {
	sample := label(verdicts(50, 950, 0.01), 10, func(judge bool) bool { return judge })
	e := Share(sample)
	fmt.Printf("%.1f %% (%.1f to %.1f), from %d labels and %d verdicts\n", 100*e.Value, 100*e.Low, 100*e.High, e.Labelled, e.Verdicts)
	// Output: 5.0 % (3.3 to 7.5), from 100 labels and 1000 verdicts
}
