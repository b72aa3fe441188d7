package detectors_test

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// labelled reads the training rows of a set of evaluation data; without the data the test is skipped.
func labelled(t testing.TB, set string) []schemas.Labelled {
	t.Helper()
	root := os.Getenv("CONFAB_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	file, err := os.Open(filepath.Join(root, set, "train.jsonl.gz"))
	if err != nil {
		t.Skip("no data")
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	require.NoError(t, err)
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 16<<20)
	var rows []schemas.Labelled
	for lines.Scan() {
		var row schemas.Labelled
		require.NoError(t, schemasjson.DecodeLabelled(append([]byte(nil), lines.Bytes()...), &row))
		rows = append(rows, row)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, rows)
	return rows
}

// auroc is the probability that a labelled row scores above an unlabelled one, ties counting half.
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
