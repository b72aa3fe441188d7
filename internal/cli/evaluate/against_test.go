package evaluate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/quality"
	"confab/internal/tablefile"
)

// A run compared with its own rows does not differ; one whose rows scored otherwise does.
func TestAgainst(t *testing.T) {
	t.Parallel()
	file := museumFile(t, 60)
	before := filepath.Join(t.TempDir(), "before.csv")
	_, _, err := runEvaluate(t, file, func(o *Options) { o.Rows.File = before })
	require.NoError(t, err)
	differences := func(path string) map[string]float64 {
		out, _, err := runEvaluate(t, file, func(o *Options) { o.Against, o.Format = path, QualityJSON })
		require.NoError(t, err)
		var report struct {
			Against []struct {
				Detector, Task string
				Rows           int
				Difference     struct{ Value, Low, High float64 }
			}
		}
		require.NoError(t, json.Unmarshal([]byte(out), &report))
		all := map[string]float64{}
		for _, d := range report.Against {
			if d.Task == quality.All {
				require.Equal(t, 60, d.Rows, "the row without an id is left out")
				all[d.Detector] = d.Difference.Value
			}
		}
		return all
	}
	same := differences(before)
	require.Contains(t, same, "facts")
	for detector, d := range same {
		require.Zero(t, d, detector)
	}

	rows, bad, err := tablefile.ReadTable(before)
	require.NoError(t, err)
	require.Empty(t, bad)
	var b strings.Builder
	b.WriteString("id,dataset,label,facts_score\n")
	for _, r := range rows {
		b.WriteString(r.Values["id"] + "," + r.Values["dataset"] + "," + r.Values["label"] + ",0.5\n")
	}
	flat := filepath.Join(t.TempDir(), "flat.csv")
	require.NoError(t, os.WriteFile(flat, []byte(b.String()), 0o600))
	require.Greater(t, differences(flat)["facts"], 0.3, "equal scores rank nothing")

	out, _, err := runEvaluate(t, file, func(o *Options) { o.Against = flat })
	require.NoError(t, err)
	require.Contains(t, out, "AUROC before")
	out, _, err = runEvaluate(t, file, func(o *Options) { o.Against, o.Format = flat, QualityMarkdown })
	require.NoError(t, err)
	require.Contains(t, out, "| museum | all | facts | 60 | 0.500 |")
}

func TestAgainstRefusesFiles(t *testing.T) {
	t.Parallel()
	file := museumFile(t, 4)
	for name, tt := range map[string]struct{ content, want string }{
		"no results":    {"a,b\n1,2\n", "lacks id, dataset or label"},
		"a wrong label": {"id,dataset,label\nm0,museum,2\n", "lacks id, dataset or label"},
		"a wrong score": {"id,dataset,label,facts_score\nm0,museum,0,high\n", `facts_score "high" is not a number`},
		"twice":         {"id,dataset,label\nm0,museum,0\nm0,museum,0\n", `the id "m0" is that of another row of museum`},
		"other rows":    {"id,dataset,label\nx,museum,0\n", "no row has the id of one of the earlier run"},
		"other labels":  {"id,dataset,label\nm0,museum,1\n", "another label"},
		"a cut row":     {"id,dataset,label\nm0,museum\n", "2 cells where the first line has 3 names"},
		"empty":         {"", "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "rows.csv")
			require.NoError(t, os.WriteFile(path, []byte(tt.content), 0o600))
			_, _, err := runEvaluate(t, file, func(o *Options) { o.Against = path })
			require.ErrorContains(t, err, tt.want)
		})
	}
	_, _, err := runEvaluate(t, file, func(o *Options) { o.Against = filepath.Join(t.TempDir(), "none.csv") })
	require.ErrorContains(t, err, "does not exist")
}
