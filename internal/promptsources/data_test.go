package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
	"confab/schemas"
	"confab/schemas/json"
)

// TestLabelledQuestionsHoldNoPassages searches the messages of all labelled rows, which are questions and instructions of
// people.
func TestLabelledQuestionsHoldNoPassages(t *testing.T) {
	for _, set := range datatest.Sets(t) {
		for _, line := range datatest.Rows(t, set) {
			var row schemas.Labelled
			require.NoError(t, json.DecodeLabelled(line, &row))
			row.Interaction.Sources = nil
			new(Finder).Fill(&row.Interaction)
			require.Empty(t, passages(&row.Interaction), "%s: %v", set, row.Interaction.Messages)
		}
	}
}
