package evaluate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
)

// twoSetReport has two small data sets that one detector measures, one of them in part, and a detector without a
// threshold.
func twoSetReport(t *testing.T) *quality.Report {
	t.Helper()
	c, err := calibration.New(calibration.File{
		Format: calibration.Format, ID: "small", CreatedBy: "test", Data: calibration.Data{Fingerprint: "x", Rows: 1},
		Thresholds: []calibration.Threshold{{Detector: "sharp", Threshold: 0.5, Armed: true}},
		Risk:       []calibration.RiskMap{{A: 1, N: 1}},
	})
	require.NoError(t, err)
	var rows []measure.Row
	for i := range 120 {
		positive := i%3 == 0
		score := float64(i%10) / 10
		if positive {
			score = 1 - score/2
		}
		row := measure.Row{
			ID: fmt.Sprintf("%d-%s", i/2, []string{"a", "b"}[i%2]), Dataset: "one", Task: []string{"qa", "summary"}[i%2], Group: fmt.Sprint(i / 2), Positive: positive, Words: i % 7,
			Model: []string{"a", "b"}[i%2], Kind: []string{"", "number"}[i/30%2], New: measure.Novelty{Words: float64(i%4) / 4, Trigrams: float64(i%5) / 5},
			Measurable: "sharp", Fused: 6*score - 3,
			Signals: []measure.Signal{{Detector: "sharp", Score: score, HasScore: i%5 > 0}, {Detector: "blunt", Score: 0.5, HasScore: true}},
		}
		if i >= 60 {
			row.Dataset, row.Task, row.Fused = "two\x1b[31m", "qa", math.NaN()
		}
		if positive {
			row.Spans = measure.SpanTouched - measure.SpanHit(i%2)
		}
		rows = append(rows, row)
	}
	r, err := quality.Evaluate(rows, quality.Options{Calibration: c, By: quality.ByTask, Resamples: 100, Seed: 1})
	require.NoError(t, err)
	return r
}

func TestPrintQuality(t *testing.T) {
	t.Parallel()
	r := twoSetReport(t)
	var b bytes.Buffer
	require.NoError(t, PrintQuality(&b, r))
	golden.Equal(t, "testdata/quality.table.golden", b.String())
}

// rowsFile writes n answers with a schema, every second of them faulty, and more rows.
func rowsFile(t *testing.T, n int, more ...string) string {
	t.Helper()
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"interaction":{"interaction_id":"i%d","answer":"{\"%s\":1}","response_schema":"{\"required\":[\"a\"]}"},"label":%d,"task":"schema","group":"g%d"}`+"\n",
			i, []string{"a", "b"}[i%2], i%2, i/2)
	}
	for _, line := range more {
		b.WriteString(line + "\n")
	}
	path := filepath.Join(t.TempDir(), "answers.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o600))
	return path
}

func runEvaluate(t *testing.T, file string, change func(*Options)) (out, errs string, err error) {
	t.Helper()
	c, err := calibration.Default()
	require.NoError(t, err)
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Baselines: c}), Thresholds: c,
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	labels, err := measure.OpenLabels(file)
	require.NoError(t, err)
	defer labels.Close()
	o := Options{
		Suite: suite, Labels: labels, Workers: 2,
		Quality: quality.Options{Calibration: c, By: quality.ByTask, Resamples: 20},
		Rows: RowOptions{
			Stamp: alerting.NewPolicy(alerting.PolicyOptions{}).Stamp,
		},
	}
	if change != nil {
		change(&o)
	}
	var w, errw bytes.Buffer
	err = Run(t.Context(), &w, &errw, o)
	return w.String(), errw.String(), err
}

func TestEvaluateWritesReports(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	var stages []string
	out, errs, err := runEvaluate(t, rowsFile(t, 60), func(o *Options) {
		o.JSON = filepath.Join(folder, "q.json")
		o.Stage = func(unit string) (func(int), func()) {
			most := 0
			return func(n int) { most = max(most, n) }, func() { stages = append(stages, fmt.Sprint(unit, " ", most)) }
		}
	})
	require.NoError(t, err)
	require.Empty(t, errs)
	require.Regexp(t, `answers +│ all +│ schema +│ +60 │ +30 │ +│ 1\.000 1\.00–1\.00`, out)
	require.Equal(t, "rows 60", stages[0])
	require.Len(t, stages, 2)
	content, err := os.ReadFile(filepath.Join(folder, "q.json"))
	require.NoError(t, err)
	require.True(t, json.Valid(content))
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Len(t, left, 1, "no temporary file stays")
}

func TestEvaluateReportsFaultyRows(t *testing.T) {
	t.Parallel()
	out, errs, err := runEvaluate(t, rowsFile(t, 60, `{"interaction":`, `{"answer":"no label"}`), nil)
	require.ErrorIs(t, err, ErrLeftOut)
	require.ErrorContains(t, err, "2 of 62")
	require.Contains(t, out, "schema", "the rest is judged")
	require.Contains(t, errs, "answers.jsonl:61")
	require.Contains(t, errs, `add "label": 0 for fine or 1 for wrong`)

	_, errs, err = runEvaluate(t, rowsFile(t, 0, `{"answer":"no label"}`), nil)
	require.ErrorContains(t, err, "no row is left to judge")
	require.Contains(t, errs, `add "label"`, "and why")

	_, errs, err = runEvaluate(t, rowsFile(t, 1), nil)
	require.NoError(t, err)
	require.Contains(t, errs, "every row is labelled fine, nothing can be ranked")
	require.Contains(t, errs, "1 rows are fewer than 50")
}

func TestEvaluateChecksOutputsFirst(t *testing.T) {
	t.Parallel()
	out, _, err := runEvaluate(t, rowsFile(t, 2), func(o *Options) { o.JSON = filepath.Join(t.TempDir(), "gone", "q.json") })
	require.ErrorContains(t, err, "create the folder")
	require.Empty(t, out)
}

// A claim is faulty where a span touches it, fine in a fine answer, and unknown in a faulty answer without spans.
func TestFaultyClaims(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	spans := []schemas.Span{{Start: 10, End: 14}}
	for _, c := range []struct {
		label, start, end int
		spans             []schemas.Span
		want              *bool
	}{
		{1, 0, 11, spans, &yes},
		{1, 13, 20, spans, &yes},
		{1, 0, 10, spans, &no},
		{1, 14, 20, spans, &no},
		{1, 0, 11, nil, nil},
		{0, 0, 11, nil, &no},
		{0, 0, 11, spans, &no},
	} {
		require.Equal(t, c.want, faulty(&schemas.Labelled{Label: c.label, Spans: c.spans}, c.start, c.end), "%v", c)
	}
}
