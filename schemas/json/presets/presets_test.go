package presets

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json"
)

// Every preset is a map that can be read.
func TestPresets(t *testing.T) {
	require.Equal(t, []string{"langchain", "langfuse", "litellm", "openai", "openinference", "ragas"}, PresetNames())
	for _, name := range PresetNames() {
		t.Run(name, func(t *testing.T) {
			p, err := FindPreset(name)
			require.NoError(t, err)
			require.NotEmpty(t, p.Description)
			_, err = json.NewMapping(p.Map)
			require.NoError(t, err)
			_, err = json.NewFilter(p.Where)
			require.NoError(t, err)
		})
	}
}

func TestUnknownPreset(t *testing.T) {
	for _, name := range []string{"openia", "", "../presets", "openai.yaml"} {
		_, err := FindPreset(name)
		require.ErrorContains(t, err, "known are langchain, langfuse, litellm, ")
	}
}
