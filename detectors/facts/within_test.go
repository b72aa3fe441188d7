package facts_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/facts"
	"confab/schemas"
)

// TestSelfContradiction is found without sources; an answer without one stays not checkable.
func TestSelfContradiction(t *testing.T) {
	d, err := facts.New(facts.DefaultOptions(), facts.Dependencies{})
	require.NoError(t, err)
	for answer, contradicts := range map[string]bool{
		"The lamp is waterproof to 3 m. The lamp is not waterproof.":               true,
		"The lamp is waterproof to 3 m. The lamp is not waterproof in salt water.": false,

		"The lamp is waterproof in every lake. Please note that the lamp is not waterproof.":     true,
		"The lamp is waterproof in every lake. Some shops note that the lamp is not waterproof.": false,
	} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: answer})
		f, err := d.Detect(context.Background(), &doc)
		require.NoError(t, err)
		if !contradicts {
			require.Equal(t, detectors.ReasonNoSources, f.NotCheckable, answer)
			continue
		}
		require.Empty(t, f.NotCheckable, answer)
		require.Equal(t, schemas.Logical, f.Type)
		require.Greater(t, f.Score, 0.7)
		require.Len(t, f.Evidence, 1)
		require.Equal(t, `the answer also says "is waterproof"`, f.Evidence[0].Note)
	}
}
