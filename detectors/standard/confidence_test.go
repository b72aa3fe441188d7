package standard_test

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
	"confab/schemas"
)

// oneBaseline is the baseline of every model.
type oneBaseline struct{ b confidence.Baseline }

func (b *oneBaseline) Baseline(string, string) *confidence.Baseline { return &b.b }

func buildConfidence(t testing.TB, name string, options any, deps standard.Dependencies) detectors.Detector {
	t.Helper()
	for _, e := range standard.Fast(deps) {
		if e.Name == name {
			d, err := e.New(options)
			require.NoError(t, err)
			return d
		}
	}
	t.Fatalf("no detector %q in the standard list", name)
	return nil
}

func detectOnce(t testing.TB, d detectors.Detector, in *schemas.Interaction) detectors.Finding {
	t.Helper()
	doc := new(detectors.Document)
	doc.Reset(in)
	f, err := d.Detect(context.Background(), doc)
	require.NoError(t, err)
	return f
}

func measureMap(f detectors.Finding) map[string]float64 {
	m := map[string]float64{}
	for _, v := range f.Measures {
		m[v.Name] = v.Value
	}
	return m
}

var nan = float32(math.NaN())

// answerOf returns an interaction of words, one token each, with three alternatives per token.
func answerOf(words []string, rows ...[4]float32) *schemas.Interaction {
	in := &schemas.Interaction{Answer: strings.Join(words, " "), Temperature: schemas.UnknownTemperature}
	in.Logprobs.TopK = 3
	at := 0
	for i, r := range rows {
		in.Logprobs.Values = append(in.Logprobs.Values, r[:]...)
		in.Logprobs.Offsets = append(in.Logprobs.Offsets, int32(max(at-1, 0))) // with the space before it
		at += len(words[i]) + 1
	}
	return in
}

var (
	sure   = [4]float32{-0.01, -0.01, -5, -6}
	even   = [4]float32{-1.0986123, -1.0986123, -1.0986123, -1.0986123} // three alike: ln 3
	unsure = [4]float32{-1.5, -1.2, -1.3, -1.4}                         // the chosen token is a fourth alternative
)

func TestConfidence(t *testing.T) {
	baseline := &oneBaseline{b: confidence.Baseline{Mean: 0.2, Stdev: 0.1, PeakMean: 0.3, PeakStdev: 0.2, N: 50}}
	d := buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: baseline})
	words := []string{"Paris", "in", "1889", "now"}

	t.Run("the peak decides and is shown", func(t *testing.T) {
		in := answerOf(words, sure, sure, even, sure)
		f := detectOnce(t, d, in)
		m := measureMap(f)
		z := (math.Log(3) - 0.3) / 0.2
		require.InDelta(t, math.Log(3), m["peak_entropy"], 1e-6)
		require.InDelta(t, z, m["z"], 1e-5)
		require.InDelta(t, 1-math.Erfc(z/math.Sqrt2)/2, f.Score, 1e-6)
		require.InDelta(t, 2, m["peak_position"], 0)
		require.InDelta(t, 4, m["tokens"], 0)
		require.InDelta(t, -1.0986123, m["min_logprob"], 1e-6)
		require.NotContains(t, m, "answers", "the baseline is not a live one")
		require.Len(t, f.Evidence, 1)
		require.Equal(t, "1889", in.Answer[f.Evidence[0].Start:f.Evidence[0].End])
		require.Equal(t, schemas.Confidence, f.Type)
		require.NotEmpty(t, f.Reason)
	})
	t.Run("the chosen token counts when the top-k is without it", func(t *testing.T) {
		h, _ := exactEntropy(unsure[:])
		require.InDelta(t, h, measureMap(detectOnce(t, d, answerOf(words, sure, unsure)))["peak_entropy"], 1e-6)
		require.Greater(t, h, math.Log(3), "three alternatives cannot reach this")
	})
	t.Run("more certain than usual is no fault", func(t *testing.T) {
		f := detectOnce(t, d, answerOf(words, sure, sure, sure, sure))
		require.Less(t, f.Score, 0.5)
		require.Less(t, measureMap(f)["z"], 0.)
	})
	t.Run("two and a half deviations score .994", func(t *testing.T) {
		at := confidence.Baseline{PeakMean: math.Log(3) - 2.5*0.2, PeakStdev: 0.2}
		f := detectOnce(t, buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{at}}), answerOf(words, even))
		require.InDelta(t, 0.99379, f.Score, 1e-5)
	})
	t.Run("the mean decides where the baseline says so", func(t *testing.T) {
		b := confidence.Baseline{Mean: 0.2, Stdev: 0.5, PeakMean: 0.3, PeakStdev: 0.2, Statistic: confidence.StatisticMean}
		in := answerOf(words, sure, even, sure)
		f := detectOnce(t, buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{b}}), in)
		require.InDelta(t, (confidence.MeasureUncertainty(in.Logprobs).Mean-0.2)/0.5, measureMap(f)["z"], 1e-9)
	})
	t.Run("two-sided", func(t *testing.T) {
		d := buildConfidence(t, "confidence", &confidence.Options{TwoSided: true}, standard.Dependencies{Baselines: baseline})
		f := detectOnce(t, d, answerOf(words, sure, sure))
		z := measureMap(f)["z"]
		require.Less(t, z, 0.)
		require.InDelta(t, 1-math.Erfc(-z/math.Sqrt2)/2, f.Score, 1e-9)
		require.Contains(t, f.Reason, "more certain")
		require.Greater(t, detectOnce(t, d, answerOf(words, even)).Score, 0.5)
	})
	t.Run("half words are widened", func(t *testing.T) {
		in := answerOf([]string{"the key is", "abcdefgh", "ok"}, sure, even, sure)
		in.Logprobs.Offsets[1], in.Logprobs.Offsets[2] = int32(len("the key is abc")), int32(len("the key is abcd"))
		f := detectOnce(t, d, in)
		require.Equal(t, "abcdefgh", in.Answer[f.Evidence[0].Start:f.Evidence[0].End])
	})
	t.Run("without offsets there is no place", func(t *testing.T) {
		in := answerOf(words, even)
		in.Logprobs.Offsets = nil
		f := detectOnce(t, d, in)
		require.Equal(t, schemas.NoPlace, f.Evidence[0].Start)
		require.Equal(t, schemas.NoPlace, f.Evidence[0].End)
	})
}

func TestConfidenceNotCheckable(t *testing.T) {
	good := confidence.Baseline{PeakMean: 1, PeakStdev: 1}
	one := answerOf([]string{"x"}, even)
	lone := answerOf([]string{"x"}, [4]float32{-1, nan, nan, nan})
	chosenOnly := &schemas.Interaction{Answer: "x", Logprobs: schemas.Logprobs{Values: []float32{-1}}}
	tests := map[string]struct {
		in        *schemas.Interaction
		baselines confidence.Stated
		want      string
		measured  bool
	}{
		"no logprobs":           {&schemas.Interaction{Answer: "x"}, &oneBaseline{b: good}, "no logprobs", false},
		"one alternative":       {lone, &oneBaseline{b: good}, "no alternatives among the logprobs", false},
		"top_k 0":               {chosenOnly, &oneBaseline{b: good}, "no alternatives among the logprobs", false},
		"no baselines":          {one, nil, "no baseline", true},
		"no spread of the mean": {one, &oneBaseline{b: confidence.Baseline{PeakMean: 1, PeakStdev: 1, Statistic: "mean"}}, "baseline without spread", true},
		"no spread":             {one, &oneBaseline{b: confidence.Baseline{PeakMean: 1}}, "baseline without spread", true},
		"hostile baseline":      {one, &oneBaseline{b: confidence.Baseline{PeakMean: math.NaN(), PeakStdev: 1}}, "baseline without spread", true},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			f := detectOnce(t, buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: tt.baselines}), tt.in)
			require.Equal(t, tt.want, f.NotCheckable)
			require.Zero(t, f.Score)
			require.Equal(t, tt.measured, len(f.Measures) > 0, "they are learned from")
		})
	}
}

// TestHostileLogprobs uses values that no model computes: the score is a number or the outcome is not_checkable.
func TestHostileLogprobs(t *testing.T) {
	inf := float32(math.Inf(1))
	d := buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{b: confidence.Baseline{PeakMean: 1, PeakStdev: 1, Stdev: 1}}})
	odd := []float32{0, 1, 88, inf, -inf, nan, -100, -101, math.MaxFloat32, -math.MaxFloat32, math.SmallestNonzeroFloat32, -1e-45, -87.3}
	for _, a := range odd {
		for _, b := range odd {
			for _, c := range odd {
				f := detectOnce(t, d, answerOf([]string{"x"}, [4]float32{a, b, c, -1}))
				if _, known := exactEntropy([]float32{a, b, c, -1}); !known {
					require.NotEmpty(t, f.NotCheckable)
					continue
				}
				require.Empty(t, f.NotCheckable)
				require.GreaterOrEqual(t, f.Score, 0.)
				require.LessOrEqual(t, f.Score, 1.)
				for name, v := range measureMap(f) {
					require.False(t, math.IsNaN(v) || math.IsInf(v, 0), "%s of %v %v %v", name, a, b, c)
				}
			}
		}
	}
	for _, offsets := range [][]int32{{-1}, {5}, {math.MaxInt32}, {0, 0}, {}} {
		in := answerOf([]string{"abc"}, even)
		in.Logprobs.Offsets = offsets
		require.Equal(t, schemas.NoPlace, detectOnce(t, d, in).Evidence[0].Start)
	}
}

func typicalLogprobs() *schemas.Interaction {
	random := rand.New(rand.NewPCG(3, 4))
	in := &schemas.Interaction{Answer: strings.Repeat("word ", 150)}
	in.Logprobs.TopK = 5
	for i := range 150 {
		left := 1.0
		for k := range 6 {
			p := left * (0.5 + random.Float64()/2)
			if k == 1 { // the chosen token is the first of its top-k
				in.Logprobs.Values = append(in.Logprobs.Values, in.Logprobs.Values[len(in.Logprobs.Values)-1])
				continue
			}
			in.Logprobs.Values = append(in.Logprobs.Values, float32(math.Log(p)))
			left -= p
		}
		in.Logprobs.Offsets = append(in.Logprobs.Offsets, int32(5*i))
	}
	return in
}

func TestConfidenceDoesNotAllocate(t *testing.T) {
	d := buildConfidence(t, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{b: confidence.Baseline{
		PeakMean: 0.1, PeakStdev: 0.1,
	}}})
	doc, in := new(detectors.Document), typicalLogprobs()
	require.Zero(t, testing.AllocsPerRun(100, func() {
		doc.Reset(in)
		if f, err := d.Detect(context.Background(), doc); err != nil || f.Score == 0 {
			t.Error("nothing was measured")
		}
	}))
}

func BenchmarkConfidence(b *testing.B) {
	d := buildConfidence(b, "confidence", nil, standard.Dependencies{Baselines: &oneBaseline{b: confidence.Baseline{PeakMean: 0.1, PeakStdev: 0.1}}})
	doc, in := new(detectors.Document), typicalLogprobs()
	b.ReportAllocs()
	for b.Loop() {
		doc.Reset(in)
		if _, err := d.Detect(context.Background(), doc); err != nil {
			b.Fatal(err)
		}
	}
}
