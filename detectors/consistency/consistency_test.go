package consistency

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
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
			c := Measure(tt.original, tt.samples)
			require.Equal(t, tt.measured, c.Measured())
			if tt.measured {
				require.GreaterOrEqual(t, c.Score(), tt.low)
				require.LessOrEqual(t, c.Score(), tt.top)
			}
		})
	}
}

// fixedVectors is an embedder that returns its own vectors.
type fixedVectors [][]float32

func (v fixedVectors) Embed(context.Context, []string) ([][]float32, schemas.Usage, error) {
	return v, schemas.Usage{Calls: 1}, nil
}

// Unusable vectors are an error: their cosine would count as disagreement.
func TestVectorsWithoutDirection(t *testing.T) {
	nan := float32(math.NaN())
	for name, v := range map[string]fixedVectors{
		"none": nil, "too few": {{1}, {1}}, "empty": {{}, {}, {}}, "zero": {{1}, {0}, {1}}, "NaN": {{1}, {nan}, {1}}, "of two lengths": {{1}, {1, 2}, {1}},
	} {
		t.Run(name, func(t *testing.T) {
			c := compareSamples(&schemas.Interaction{Answer: "a"}, []string{"b", "c"}, &detectors.Work{})
			_, err := c.embed(t.Context(), v, "a", []string{"b", "c"})
			require.ErrorIs(t, err, errVectors)
		})
	}
	c := compareSamples(&schemas.Interaction{Answer: "a"}, []string{"b", "c"}, &detectors.Work{})
	used, err := c.embed(t.Context(), fixedVectors{{1, 0}, {1, 0}, {0, 1}}, "a", []string{"b", "c"})
	require.NoError(t, err)
	require.Equal(t, 1, used.Calls)
	require.InDelta(t, 0.5, c.result().Score(), 1e-9)
}
