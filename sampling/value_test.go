package sampling_test

import (
	"math"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/sampling"
	"confab/schemas"
)

func valueSampler(t testing.TB, share float64, change func(*sampling.Options)) *sampling.Sampler {
	t.Helper()
	return triggeredSampler(t, func(o *sampling.Options) {
		o.JudgeShare = share
		if change != nil {
			change(o)
		}
	})
}

func plainInteraction(n int) *schemas.Interaction {
	return &schemas.Interaction{ID: strconv.Itoa(n), Tenant: "shop", Answer: "It opened in 1932."}
}

// The share is held whatever the values are, from the first answer on, also where many are equal or unknown.
func TestJudgeShareIsHeld(t *testing.T) {
	for name, risk := range map[string]func(r *rand.Rand, n int) float64{
		"any":     func(r *rand.Rand, _ int) float64 { return r.Float64() },
		"equal":   func(*rand.Rand, int) float64 { return 0.29 },
		"unknown": func(*rand.Rand, int) float64 { return math.NaN() },
		"few":     func(r *rand.Rand, _ int) float64 { return []float64{0.1, 0.1, 0.1, 0.9}[r.IntN(4)] },
	} {
		for _, share := range []float64{0.05, 0.5, 1} {
			t.Run(name+" "+strconv.FormatFloat(share, 'g', -1, 64), func(t *testing.T) {
				r := rand.New(rand.NewPCG(1, 2))
				const short, streams = 40, 100
				picked, early := 0, 0
				for stream := range streams {
					s := valueSampler(t, share, nil)
					for n := range 4000 / 10 {
						d := s.Decide(plainInteraction(stream*10_000+n), sampling.FastScores{Risk: risk(r, n), Support: math.NaN()})
						if !d.Sampled {
							continue
						}
						require.Equal(t, sampling.Decision{Sampled: true, Reason: sampling.ReasonValue}, d)
						if picked++; n < short {
							early++
						}
					}
				}
				require.InDelta(t, share, float64(picked)/(streams*400), 0.02)
				require.InDelta(t, share, float64(early)/(streams*short), 0.03)
			})
		}
	}
}

// Judge calls on a share of the traffic find more wrong answers than the same number at random: with a risk that ranks as the
// binormal curve of this AUROC does, as many as a list of all answers would find.
func TestJudgeShareFindsMore(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const base, separation = 0.08, 1.2 // AUROC .80
	for _, c := range []struct{ share, least float64 }{{0.05, 0.2}, {0.1, 0.35}, {0.2, 0.53}, {0.5, 0.83}} {
		share, least := c.share, c.least
		s := valueSampler(t, share, nil)
		wrong, found, asked := 0, 0, 0
		for n := range 20_000 {
			bad := r.Float64() < base
			x := r.NormFloat64()
			if bad {
				wrong++
				x += separation
			}
			if s.Decide(plainInteraction(n), sampling.FastScores{Risk: 1 / (1 + math.Exp(-x)), Support: math.NaN()}).Sampled {
				if asked++; bad {
					found++
				}
			}
		}
		got := float64(found) / float64(wrong)
		t.Logf("calls on %.1f %% find %.1f %%", 100*float64(asked)/20_000, 100*got)
		require.InDelta(t, share, float64(asked)/20_000, 0.01)
		require.Greater(t, got, least)
	}
}

// The value is risk times stakes for a token, and a random draw keeps its reason and its probability.
func TestValueOfAnAnswer(t *testing.T) {
	s := valueSampler(t, 0.1, func(o *sampling.Options) {
		o.Tags, o.Worth = []string{"medical"}, map[string]float64{"bank": 10, "quiet": 0}
	})
	for n := range 2000 { // what the others are worth
		s.Decide(plainInteraction(n), sampling.FastScores{Risk: 0.3, Support: math.NaN()})
	}
	picks := func(n int, risk float64, change func(*schemas.Interaction)) bool {
		in := plainInteraction(10_000 + n)
		change(in)
		return s.Decide(in, sampling.FastScores{Risk: risk, Support: math.NaN()}).Sampled
	}
	require.True(t, picks(1, 0.31, func(*schemas.Interaction) {}))
	require.False(t, picks(2, 0.29, func(*schemas.Interaction) {}))
	require.True(t, picks(3, 0.15, func(in *schemas.Interaction) { in.Tags = []string{"Medical"} }))
	require.True(t, picks(4, 0.05, func(in *schemas.Interaction) { in.Tenant = "bank" }))
	require.False(t, picks(5, 1, func(in *schemas.Interaction) { in.Tenant = "quiet" }), "nothing of it is sent")
	require.False(t, picks(6, 0.4, func(in *schemas.Interaction) { in.Sources = []schemas.Source{{Text: string(make([]byte, 10_000))}} }), "five times as long")
	require.True(t, s.NeedsRisk())

	drawn := valueSampler(t, 1, func(o *sampling.Options) { o.Tenants = map[string]float64{"shop": 0.3} })
	random := 0
	for n := range 1000 {
		d := drawn.Decide(plainInteraction(n), sampling.FastScores{Risk: 0.5, Support: math.NaN()})
		require.True(t, d.Sampled)
		if d.Reason == sampling.ReasonTenant {
			random++
			require.InDelta(t, 0.3, d.Probability, 0)
		} else {
			require.Zero(t, d.Probability)
		}
	}
	require.InDelta(t, 300, random, 60)
}

func TestJudgeShareIsSafeForConcurrentUse(t *testing.T) {
	s := valueSampler(t, 0.2, nil)
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			for n := range 2000 {
				s.Decide(plainInteraction(g*10_000+n), sampling.FastScores{Risk: float64(n%10) / 10, Support: math.NaN()})
			}
		})
	}
	all.Wait()
}
