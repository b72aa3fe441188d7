package detectors

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestMeasureConsistency(t *testing.T) {
	const long = "The bridge opened in May 1932. It is 1149 meters long and carries eight lanes."
	for name, tt := range map[string]struct {
		original string
		samples  []string
		measured bool
		low, top float64 // of the score
	}{
		"alike":                   {long, []string{long, long}, true, 0, 0},
		"other words, same facts": {long, []string{"Opened in May 1932, the bridge carries eight lanes and is 1149 meters long.", long}, true, 0, 0.4},
		"another year":            {long, []string{strings.Replace(long, "1932", "1950", 1), strings.Replace(long, "1932", "1971", 1)}, true, 0.35, 0.7},
		"another answer":          {long, []string{"I like cats and other furry animals.", "Paris is the capital of France."}, true, 0.99, 1},
		"a value":                 {"1932", []string{"1932", "1950"}, true, 0.5, 0.5},
		"a value in a sentence":   {"1932", []string{"It opened in 1932.", "1932"}, true, 0.1, 0.4},
		"punctuation and case":    {"J.R.R. Tolkien", []string{"j. r. r. tolkien", "J.R.R. TOLKIEN."}, true, 0, 0},
		"no words at all":         {"!!!", []string{"!!!", "..."}, true, 0, 0},
		"one sample":              {long, []string{long}, false, 0, 0},
		"no sample":               {long, nil, false, 0, 0},
		"empty samples":           {long, []string{"", " ", long}, false, 0, 0},
		"refusals":                {long, []string{"I'm sorry, I can’t do that.", "I cannot say.", long}, false, 0, 0},
		"a refusal":               {"I’m sorry, I cannot say.", []string{long, long}, false, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := MeasureConsistency(tt.original, tt.samples)
			require.Equal(t, tt.measured, c.Measured())
			if tt.measured {
				require.GreaterOrEqual(t, c.Score(), tt.low)
				require.LessOrEqual(t, c.Score(), tt.top)
			}
		})
	}
}

func TestDeepOptions(t *testing.T) {
	change := func(f func(*ConsistencyOptions)) *ConsistencyOptions {
		o := DefaultConsistencyOptions()
		f(&o)
		return &o
	}
	for name, tt := range map[string]struct {
		detector string
		options  any
		want     string
	}{
		"one sample":      {"consistency", change(func(o *ConsistencyOptions) { o.Samples = 1 }), "samples"},
		"17 samples":      {"consistency", change(func(o *ConsistencyOptions) { o.Samples = 17 }), "samples"},
		"cold":            {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = 0 }), "temperature"},
		"too hot":         {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = 2.1 }), "temperature"},
		"no number":       {"consistency", change(func(o *ConsistencyOptions) { o.Temperature = math.NaN() }), "temperature"},
		"no tokens":       {"consistency", change(func(o *ConsistencyOptions) { o.MaxTokens = 0 }), "max_tokens"},
		"no share":        {"consistency", change(func(o *ConsistencyOptions) { o.AgreedShare = 1.1 }), "agreed_share"},
		"no statements":   {"faithfulness", &FaithfulnessOptions{}, "max_statements"},
		"65 statements":   {"faithfulness", &FaithfulnessOptions{MaxStatements: 65}, "max_statements"},
		"no claims":       {"entailment", &EntailmentOptions{}, "max_claims"},
		"too many claims": {"entailment", &EntailmentOptions{MaxClaims: 65}, "max_claims"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, e := range Deep() {
				if e.Name == tt.detector {
					_, err := e.New(tt.options)
					require.ErrorContains(t, err, tt.want)
				}
			}
		})
	}
}

// vectors is an embedder that gives what it holds.
type vectors [][]float32

func (v vectors) Embed(context.Context, []string) ([][]float32, schemas.Usage, error) {
	return v, schemas.Usage{Calls: 1}, nil
}

// Vectors that say nothing are an error: their cosine would be read as "something else".
func TestVectorsWithoutDirection(t *testing.T) {
	nan := float32(math.NaN())
	for name, v := range map[string]vectors{
		"none": nil, "too few": {{1}, {1}}, "empty": {{}, {}, {}}, "zero": {{1}, {0}, {1}}, "NaN": {{1}, {nan}, {1}}, "of two lengths": {{1}, {1, 2}, {1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := compareFresh(&schemas.Interaction{Answer: "a"}, []string{"b", "c"}, &Work{})
			_, err := c.embed(t.Context(), v, "a", []string{"b", "c"})
			require.ErrorIs(t, err, errVectors)
		})
	}
	c := compareFresh(&schemas.Interaction{Answer: "a"}, []string{"b", "c"}, &Work{})
	used, err := c.embed(t.Context(), vectors{{1, 0}, {1, 0}, {0, 1}}, "a", []string{"b", "c"})
	require.NoError(t, err)
	require.Equal(t, 1, used.Calls)
	require.InDelta(t, 0.5, c.result(0.6).Score(), 1e-9)
}

func TestReliability(t *testing.T) {
	nan := math.NaN()
	var w ReliabilityWeights
	require.InDelta(t, 0.3*1+0.4*0.5+0.3*0, w.reliability(1, 0.5, 0), 1e-9)
	require.InDelta(t, (0.4*0.5+0.3*1)/0.7, w.reliability(nan, 0.5, 1), 1e-9)
	require.InDelta(t, 0.2, w.reliability(nan, nan, 0.2), 1e-9)
	require.True(t, math.IsNaN(w.reliability(nan, nan, nan)))
	require.InDelta(t, 1, ReliabilityWeights{Source: 2}.reliability(0, 1, 0), 1e-9)
}
