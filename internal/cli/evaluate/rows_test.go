package evaluate

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/quality"
	"confab/internal/tablefile"
)

// museumFile writes n answers about museums, every second of them with a wrong figure, and one without sources.
func museumFile(t *testing.T, n int) string {
	t.Helper()
	places := []string{"Lisbon", "Oslo", "Vienna", "Dublin", "Prague", "Athens", "Warsaw"}
	var b strings.Builder
	for i := range n {
		source := fmt.Sprintf("The museum in %s opened in %d and shows %d paintings.", places[i%7], 1900+i, 40+i)
		answer := fmt.Sprintf("The museum in %s opened in %d and shows %d paintings.", places[(i+i%2)%7], 1900+i+7*(i%2), 40+i)
		fmt.Fprintf(&b, `{"interaction":{"interaction_id":"m%d","tenant":"acme","answer":%q,"sources":[%q],"messages":[{"role":"user","content":"What of <%d>?"}]},"label":%d,"task":"qa","group":"g%d"}`+"\n",
			i, answer, source, i, i%2, i)
	}
	b.WriteString(`{"interaction":{"answer":"Nobody can check this, <b>never</b>."},"label":1,"task":"open","group":"last"}` + "\n")
	path := filepath.Join(t.TempDir(), "museum.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func readRows(t *testing.T, path string) []map[string]string {
	t.Helper()
	rows, bad, err := tablefile.ReadTable(path)
	require.NoError(t, err)
	require.Empty(t, bad)
	all := make([]map[string]string, len(rows))
	for i := range rows {
		all[i] = rows[i].Values
	}
	return all
}

// The table has every row, and its figures are those of the report.
func TestRowsAgreeWithTheReport(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := museumFile(t, 60)
	rowsPath := filepath.Join(folder, "rows.csv")
	jsonPath := filepath.Join(folder, "q.json")
	_, _, err := runEvaluate(t, file, func(o *Options) { o.Rows.File, o.JSON = rowsPath, jsonPath })
	require.NoError(t, err)
	rows := readRows(t, rowsPath)
	require.Len(t, rows, 61)
	require.Equal(t, "m0", rows[0]["id"])
	require.Equal(t, "row 61", rows[60]["id"])
	require.Equal(t, "museum", rows[1]["dataset"])
	require.Equal(t, "1", rows[1]["label"])
	require.NotContains(t, rows[60], "facts_score")
	require.Equal(t, "not_checkable", rows[60]["facts_outcome"])
	require.NotContains(t, rows[0], "answer")

	content, err := os.ReadFile(jsonPath)
	require.NoError(t, err)
	var report struct{ Rows []map[string]any }
	require.NoError(t, json.Unmarshal(content, &report))
	var figures map[string]any
	for _, row := range report.Rows {
		if row["task"] == quality.All && row["detector"] == "facts" {
			figures = row
		}
	}
	value := func(name string) any { return figures[name].(map[string]any)["value"] }
	measured := 0
	fired, right, positives := 0, 0, 0
	for _, row := range rows {
		score, err := strconv.ParseFloat(row["facts_score"], 64)
		if err != nil {
			continue
		}
		positive := row["label"] == "1"
		measured++
		if positive {
			positives++
		}
		if row["facts_outcome"] == "fired" {
			threshold, err := strconv.ParseFloat(row["facts_threshold"], 64)
			require.NoError(t, err)
			require.GreaterOrEqual(t, score, threshold)
			require.Contains(t, row["fired_by"], "facts")
			fired++
			if positive {
				right++
			}
		}
	}
	require.Positive(t, fired)
	require.InDelta(t, measured, figures["n"], 0)
	require.InDelta(t, float64(right)/float64(fired), value("precision"), 1e-5)
	require.InDelta(t, float64(right)/float64(positives), value("recall"), 1e-5)
}

func TestRowsNeedCSV(t *testing.T) {
	t.Parallel()
	f := Flags{Labels: []string{"x"}, By: "task", Rows: "rows.parquet"}
	_, err := f.Options()
	require.EqualError(t, err, "--rows: rows.parquet: the table is CSV: end the name in .csv")
}

// No cell of a CSV file is a formula.
func TestCSVHasNoFormulas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "rows.csv")
	file := rowsFile(t, 20, `{"interaction":{"interaction_id":"=cmd|x","answer":"=1+1","response_schema":"{}"},"label":1,"task":"@sum","group":"+g"}`)
	_, _, err := runEvaluate(t, file, func(o *Options) { o.Rows.File = path })
	require.NoError(t, err)
	written, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(written), "'=cmd|x")
	records, err := csv.NewReader(strings.NewReader(string(written))).ReadAll()
	require.NoError(t, err)
	for _, record := range records {
		for _, cell := range record {
			require.NotRegexp(t, `^[=+@]`, cell)
		}
	}
}
