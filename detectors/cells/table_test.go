package cells

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// TestCutTable requires that a table whose text was cut off keeps its whole rows, and only those.
func TestCutTable(t *testing.T) {
	t.Parallel()
	for text, rows := range map[string]int{
		"name,count,state\nmug,12,open\npan,7,open":   2,
		"name,count,state\nmug,12,open\npan,7":        1,
		"name,count,state\nmug,12,open\npa":           1,
		"name,count,state\nmug,12\npan,7,open\n":      0, // no table: a line in its middle is short
		"name,count,state\nmug,12,open\npan,7,open,x": 0,
	} {
		var doc detectors.Document
		doc.Reset(&schemas.Interaction{Answer: "The count is 12.", Sources: []schemas.Source{{Text: text}}})
		require.Len(t, Of(&doc).Records, rows, text)
	}
}
