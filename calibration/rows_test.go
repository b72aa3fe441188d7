package calibration

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// sets are the labelled sets that the sweep reads. Sets without sources, token probabilities or a schema give the four
// detectors nothing to check; halueval_qa's labels are not human and its answers' length gives them away.
func sets() []string {
	return []string{"attributionbench", "begin", "factcheckbench", "jsonschema_suite", "logprobs", "ragtruth", "summedits"}
}

// labelled are the training rows of all sets, and the fingerprint of the files they stand in.
type labelled struct {
	rows        map[string][]schemas.Labelled
	fingerprint string
}

// load skips the test where the data is not at hand.
func load(t *testing.T) labelled {
	t.Helper()
	root := os.Getenv("CONFAB_DATA")
	if root == "" {
		root = filepath.Join("..", "..", "shared", "data")
	}
	data := labelled{rows: map[string][]schemas.Labelled{}}
	sum := sha256.New()
	for _, set := range sets() {
		content, err := os.ReadFile(filepath.Join(root, set, "train.jsonl.gz"))
		if err != nil {
			t.Skip("no data")
		}
		sum.Write(content)
		data.rows[set] = unpack(t, content)
	}
	data.fingerprint = hex.EncodeToString(sum.Sum(nil))[:16]
	return data
}

func unpack(t *testing.T, content []byte) []schemas.Labelled {
	t.Helper()
	unzipped, err := gzip.NewReader(bytes.NewReader(content))
	require.NoError(t, err)
	var rows []schemas.Labelled
	for lines := bufio.NewReader(unzipped); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			var row schemas.Labelled
			require.NoError(t, schemasjson.DecodeLabelled(line, &row))
			rows = append(rows, row)
		}
		if err == io.EOF {
			require.NotEmpty(t, rows)
			return rows
		}
		require.NoError(t, err)
	}
}
