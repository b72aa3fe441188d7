package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

func TestWeekdaysWithinRanges(t *testing.T) {
	t.Parallel()
	for answer, unsupported := range map[string]int{
		"The museum in the old harbor is open on Wednesday and on Friday.": 0,
		"The museum in the old harbor is closed to visitors on Monday.":    0,
		"The museum in the old harbor is open on Tuesday and on Sunday.":   0,
	} {
		var d detectors.Document
		d.Reset(&schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: "The museum in the old harbor is open Tuesday to Sunday."}}})
		strong := 0
		for _, f := range Findings(&d) {
			if f.Weight > weightWeak {
				strong++
			}
		}
		require.Equal(t, unsupported, strong, answer)
	}
	var d detectors.Document
	d.Reset(&schemas.Interaction{Answer: "The museum in the old harbor opens on Wednesday.", Sources: []schemas.Source{{Text: "The museum in the old harbor opens on Tuesday."}}})
	require.NotEmpty(t, Findings(&d), "no range")
}
