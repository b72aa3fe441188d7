package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExampleNotebook runs the code cells of the notebook in order on rows that confab evaluate writes.
func TestExampleNotebook(t *testing.T) {
	python := examplePython(t)
	folder := t.TempDir()
	write := func(name, content string) {
		require.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	write("labels.jsonl", noisyLabels())
	write("cells.py", notebookCode(t, filepath.Join(repository, "examples", "notebook", "rows.ipynb")))
	require.NoError(t, os.Symlink(os.Args[0], filepath.Join(folder, "confab")))
	for _, command := range []string{
		"./confab tune --labels labels.jsonl --out calibration.yaml",
		"./confab evaluate --labels labels.jsonl --calibration calibration.yaml --rows rows.csv --json quality.json",
		python + " cells.py",
	} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", command)
		cmd.Dir = folder
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s\n%s", command, out)
		if strings.HasSuffix(command, ".py") {
			require.Contains(t, string(out), "figures agree")
			require.Contains(t, string(out), "in the report")
			require.Contains(t, string(out), "risk: mean difference")
		}
	}
}

// noisyLabels are rows about museums: with wrong figures of several kinds, and with some wrong labels.
func noisyLabels() string {
	places := []string{"Lisbon", "Oslo", "Vienna", "Dublin", "Prague", "Athens", "Warsaw"}
	var b strings.Builder
	for i := range 300 {
		source := fmt.Sprintf("The museum in %s opened in %d and shows %d paintings of the old town.", places[i%7], 1700+i, 40+i)
		answer := fmt.Sprintf("The museum in %s opened in %d.", places[i%7], 1700+i)
		label := 0
		switch i % 5 {
		case 1:
			answer, label = fmt.Sprintf("The museum in %s opened in %d.", places[(i+1)%7], 1707+i), 1
		case 2:
			answer, label = fmt.Sprintf("The museum shows %d paintings, and entry is free on Sundays.", 41+i), 1
		case 3:
			answer = "It shows paintings."
		}
		if i%11 == 0 {
			label = 1 - label
		}
		fmt.Fprintf(&b, `{"interaction":{"interaction_id":"s-%d","answer":%q,"sources":[%q]},"label":%d,"task":"t","group":"g%d"}`+"\n", i, answer, source, label, i/2)
	}
	return b.String()
}

// notebookCode is the code of all cells.
func notebookCode(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var notebook struct {
		Cells []struct {
			Type    string   `json:"cell_type"`
			Source  []string `json:"source"`
			Outputs []any    `json:"outputs"`
		} `json:"cells"`
	}
	require.NoError(t, json.Unmarshal(content, &notebook))
	var code strings.Builder
	for _, cell := range notebook.Cells {
		require.Empty(t, cell.Outputs, "outputs are not committed")
		if cell.Type == "code" {
			code.WriteString(strings.Join(cell.Source, "") + "\n\n")
		}
	}
	return code.String()
}
