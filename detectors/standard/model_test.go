package standard

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/grounding"
)

func TestDamagedGroundingModelIsRejected(t *testing.T) {
	shipped, err := DefaultModel()
	require.NoError(t, err)
	good, err := json.Marshal(&Model{Format: ModelFormat, ID: "m", Grounding: shipped.Grounding})
	require.NoError(t, err)
	loaded, err := LoadModel(strings.NewReader(string(good)))
	require.NoError(t, err)
	require.NotNil(t, loaded.Grounding)
	for name, spoil := range map[string]func(g *grounding.Model){
		"no words":         func(g *grounding.Model) { g.Words = nil },
		"half a table":     func(g *grounding.Model) { g.Frequencies = g.Frequencies[:100] },
		"no claims":        func(g *grounding.Model) { g.Claims = nil },
		"no answers":       func(g *grounding.Model) { g.Answers = nil },
		"no step":          func(g *grounding.Model) { g.WordStep = 0 },
		"columns":          func(g *grounding.Model) { g.Claims.Features = g.Claims.Features[1:] },
		"another column":   func(g *grounding.Model) { g.Answers.Features[0] = "model" },
		"a node too far":   func(g *grounding.Model) { g.Claims.Roots[0] = 1 << 20 },
		"an infinite bias": func(g *grounding.Model) { g.WordBias = math.Inf(1) },
	} {
		t.Run(name, func(t *testing.T) {
			var m Model
			require.NoError(t, json.Unmarshal(good, &m))
			spoil(m.Grounding)
			if math.IsInf(m.Grounding.WordBias, 0) { // JSON has no infinity
				require.Error(t, m.Grounding.Check())
				return
			}
			bad, err := json.Marshal(&m)
			require.NoError(t, err)
			_, err = LoadModel(strings.NewReader(string(bad)))
			require.ErrorContains(t, err, "read the model")
		})
	}
}
