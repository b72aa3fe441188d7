package standard_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// labelledRows returns the training rows of a set; without the data the test is skipped.
func labelledRows(t testing.TB, set string) []schemas.Labelled {
	t.Helper()
	var rows []schemas.Labelled
	for _, line := range datatest.Rows(t, set) {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(line, &row))
		rows = append(rows, row)
	}
	return rows
}

// auroc returns the probability that a positive row scores above a negative one, ties counting half.
func auroc(scores []float64, rows []schemas.Labelled) float64 {
	wins, pairs := 0.0, 0.0
	for i := range rows {
		for j := range rows {
			if rows[i].Label == 1 && rows[j].Label == 0 {
				pairs++
				switch {
				case scores[i] > scores[j]:
					wins++
				case scores[i] == scores[j]:
					wins += .5
				}
			}
		}
	}
	return wins / pairs
}
