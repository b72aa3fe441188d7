package draw

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNearThresholds(t *testing.T) {
	t.Parallel()
	two := func(fired []string) bool { return len(fired) >= 2 }
	for name, c := range map[string]struct {
		citation, facts float64
		want            Answer
	}{
		"quiet":                       {0.1, 0.1, Answer{}},
		"nearly flagged":              {0.1, 0.45, Answer{Near: true}},
		"hardly flagged":              {0.1, 0.55, Answer{Fired: true, Near: true}},
		"flagged":                     {0.1, 0.9, Answer{Fired: true}},
		"flagged, nearly alerts":      {0.45, 0.9, Answer{Fired: true, Near: true}},
		"flagged, far from an alert":  {0.3, 0.9, Answer{Fired: true}},
		"alerts whatever either does": {0.9, 0.9, Answer{Fired: true}},
	} {
		require.Equal(t, c.want, New([]Score{{"citation", c.citation, 0.5}, {"facts", c.facts, 0.5}}, two), name)
	}
	require.False(t, New([]Score{{"a", 1, 0.2}, {"b", 1, 0.2}, {"c", 0.15, 0.2}}, two).Near, "a third detector decides nothing")
}

// The number asked is the number drawn, and each answer comes as often as its probability says.
func TestDrawKeepsProbabilities(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		answers := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) Answer {
			return Answer{Fired: rapid.Bool().Draw(rt, "fired"), Near: rapid.IntRange(0, 9).Draw(rt, "near") == 0}
		}), 1, 100).Draw(rt, "answers")
		n := rapid.IntRange(1, 120).Draw(rt, "n")
		p := Probabilities(Sizes(answers), n)
		sum := 0.0
		for _, x := range p {
			require.True(rt, x > 0 && x <= 1)
			sum += x
		}
		require.InDelta(rt, min(n, len(answers)), sum, 1e-9)
		drawn := Draw(p, rapid.Uint64().Draw(rt, "seed"))
		require.Len(rt, drawn, min(n, len(answers)))
		slices.Sort(drawn)
		require.Len(rt, slices.Compact(drawn), min(n, len(answers)), "no answer twice")
	})
	answers := make([]Answer, 50)
	answers[3], answers[4], answers[5] = Answer{Fired: true, Near: true}, Answer{Near: true}, Answer{Fired: true}
	p := Probabilities(Sizes(answers), 10)
	times := make([]float64, len(answers))
	const runs = 4000
	for seed := range runs {
		for _, i := range Draw(p, uint64(seed)) {
			times[i]++
		}
	}
	for i := range times {
		require.InDelta(t, p[i], times[i]/runs, 0.03, i)
	}
	require.InDelta(t, 1, p[3], 0)
	require.Greater(t, p[4], 5*p[0])
	again := Draw(p, 7)
	require.Equal(t, Draw(p, 7), again)
}

func TestFirstPrefersLargeSizes(t *testing.T) {
	t.Parallel()
	require.Equal(t, []int{1, 2}, First([]float64{0.1, 0.8, 0.1}, []float64{0.5, 0.5, 0.9}, 2))
	require.Len(t, First([]float64{1}, []float64{0.5}, 5), 1)
}

// Whoever draws all answers draws each for sure, whatever the sums of floats lose.
func TestAllAreCertain(t *testing.T) {
	t.Parallel()
	for n := 1; n < 60; n++ {
		sizes := make([]float64, n)
		for i := range sizes {
			sizes[i] = 0.1 + 0.7*float64(i%3)
		}
		for _, p := range Probabilities(sizes, n) {
			require.Equal(t, 1.0, p) //nolint:testifylint // exactly
		}
	}
}
