package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/schemas"
)

// TestBrokenRecords reads records that are cut or not JSON.
func TestBrokenRecords(t *testing.T) {
	for _, text := range []string{
		`{"temp_c": 4, "light rain"}`, `{"a"}`, `{"a":}`, `{"a":]}`, `{"a":`, `{"a`, `{"a":"b`, `{"a":"\`, `[`, `[}`, `{"a":{"b"}}`, `{"a":[1,}`, `{`, `{"a":,}`,
	} {
		d := new(detectors.Document)
		d.Reset(&schemas.Interaction{Answer: "It is 4.", Sources: []schemas.Source{{Text: text}}})
		require.NotPanics(t, func() { Of(d, new(figureindex.Findings)) }, text)
	}
}
