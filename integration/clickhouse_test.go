//go:build integration

package integration_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestClickHouseFlags loads repeated and reordered flags into an embedded ClickHouse with examples/connect/clickhouse.sql. It
// skips without the Python package chdb-core, whose download is large: pip install --no-deps chdb-core==26.9.0.
func TestClickHouseFlags(t *testing.T) {
	python := cmp.Or(os.Getenv("CONFAB_TEST_PYTHON"), "python3")
	if err := exec.CommandContext(t.Context(), python, "-c", "from chdb import session").Run(); err != nil {
		t.Skip("no embedded ClickHouse: pip install --no-deps chdb-core==26.9.0")
	}
	flags := sampleFlags(t)
	records, deep := repeatedFlags(t, flags)
	path := filepath.Join(t.TempDir(), "flags.jsonl")
	require.NoError(t, os.WriteFile(path, append(bytes.Join(records, []byte("\n")), '\n'), 0o600))
	query := func(text string) (rows []map[string]any) {
		cmd := exec.CommandContext(t.Context(), python, "clickhouse.py", "../examples/connect/clickhouse.sql", path, text)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(tail(out)))
		for line := range bytes.Lines(out) {
			var row map[string]any
			require.NoError(t, json.Unmarshal(line, &row), string(line))
			rows = append(rows, row)
		}
		return rows
	}
	rows := query("SELECT * FROM confab_verdicts")
	require.Len(t, rows, len(flags))
	byID := map[string]map[string]any{}
	for _, row := range rows {
		byID[row["incident_id"].(string)] = row
	}
	flagged := 0.0
	for _, f := range flags {
		if deep[f.Incident] {
			f = parseSample(t, deepFlag(t, f))
		} else if len(f.Fired) > 0 {
			flagged++
		}
		require.Equal(t, f.flatRow(), restrict(byID[f.Incident], f.flatRow()))
	}
	rates := query("SELECT toUInt32(sum(flags)) AS flags, toUInt32(sum(flagged)) AS flagged FROM confab_rates")
	require.Equal(t, []map[string]any{{"flags": float64(len(flags)), "flagged": flagged}}, rates)
}
