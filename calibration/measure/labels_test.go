package measure

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

// writeLabels writes a file in a folder of its own and returns its path.
func writeLabels(t *testing.T, name string, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
	content := strings.Join(lines, "\n") + "\n"
	if strings.HasSuffix(name, ".gz") {
		f, err := os.Create(path)
		require.NoError(t, err)
		w := gzip.NewWriter(f)
		_, err = io.WriteString(w, content)
		require.NoError(t, errors.Join(err, w.Close(), f.Close()))
		return path
	}
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func labelLine(id string, label int, more string) string {
	return fmt.Sprintf(`{"interaction":{"interaction_id":%q,"operation":"qa","answer":"{\"a\":%d}","response_schema":"{\"required\":[\"b\"]}"},"label":%d,"task":"t","group":"g"%s}`,
		id, label, label, more)
}

func TestLabelFilesNameTheirDatasets(t *testing.T) {
	t.Parallel()
	one := writeLabels(t, "sets/one.jsonl", labelLine("a", 1, ""), labelLine("b", 0, `,"dataset":"own"`))
	left := writeLabels(t, "left/train.jsonl.gz", labelLine("c", 1, ""))
	right := writeLabels(t, "right/train.jsonl", "", labelLine("d", 1, ""))
	l, err := OpenLabels(one, left, right)
	require.NoError(t, err)
	defer l.Close()
	require.Empty(t, l.Place())
	var got, places []string
	for {
		var row schemas.Labelled
		err := l.Next(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
		got, places = append(got, row.Interaction.ID+" "+row.Dataset), append(places, l.Place())
	}
	require.Equal(t, []string{"a one", "b own", "c left/train", "d right/train"}, got)
	require.Equal(t, []string{one + ":1", one + ":2", left + ":1", right + ":2"}, places)
	require.ErrorIs(t, l.Next(new(schemas.Labelled)), io.EOF, "the end stays the end")
}

func TestOpenLabelsErrors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := writeLabels(t, "x.jsonl", labelLine("a", 1, ""))
	for name, c := range map[string]struct {
		files []string
		want  string
	}{
		"nothing": {nil, "no file is given"},
		"missing": {[]string{filepath.Join(folder, "gone.jsonl")}, "gone.jsonl"},
		"folder":  {[]string{folder}, "is a folder: name the files in it"},
		"twice":   {[]string{file, file}, "is given twice"},
	} {
		_, err := OpenLabels(c.files...)
		require.ErrorContains(t, err, c.want, name)
	}
	broken := writeLabels(t, "broken.jsonl", "\x1f\x8b no gzip")
	l, err := OpenLabels(broken)
	require.NoError(t, err)
	defer l.Close()
	require.ErrorContains(t, l.Next(new(schemas.Labelled)), "broken.jsonl")
}

// schemaSuite has the standard detectors without thresholds.
func schemaSuite(t *testing.T) *detectors.Suite {
	t.Helper()
	s, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{}), Thresholds: noThresholds{},
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	return s
}

// noThresholds has no threshold: the suite then reports the score of every detector that could measure.
type noThresholds struct{}

func (noThresholds) Threshold(string, string, string, string) (float64, bool) { return 0, false }

func TestMeasureKeepsOrderAndCountsErrors(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 200 {
		lines = append(lines, labelLine(fmt.Sprint("id", i), i%2, fmt.Sprintf(`,"dataset":"d%d"`, i)))
	}
	lines = append(lines,
		`{"interaction":`, // unreadable
		strings.Replace(labelLine("plain", 1, ""), `"label":1,`, "", 1),
		labelLine("id1", 1, ""),                                   // repeated
		strings.Replace(labelLine("id2", 0, ""), `:0,`, `:1,`, 1), // the other label
		`{"interaction":{"answer":" ","new":1},"label":0}`,        // no text, an unknown field, no group
		`{"interaction":{"interaction_id":"lp","answer":"a b","top_k":0,"token_logprobs":"AADAfw=="},"label":0,"group":"g"}`,
	)
	file := writeLabels(t, "set.jsonl", lines...)
	l, err := OpenLabels(file)
	require.NoError(t, err)
	defer l.Close()
	progress := 0
	rows, problems, err := Rows(t.Context(), schemaSuite(t), l, Options{Workers: 4, Progress: func(n int) { progress = n }})
	require.NoError(t, err)
	require.Len(t, rows, 202)
	require.Equal(t, 202, progress)
	for i := range 200 {
		require.Equal(t, fmt.Sprint("d", i), rows[i].Dataset, "the order of the labels")
		require.Equal(t, i%2 == 1, rows[i].Positive)
	}
	require.Equal(t, "row "+file+":205", rows[200].Group)
	require.Equal(t, schemas.DefaultTenant, rows[200].Tenant)
	require.Equal(t, 4, problems.LeftOut())
	require.Equal(t, []string{
		"1 of 206 rows cannot be read and are left out: correct or remove them (" + file + ":201 syntax at byte 15: the text ends within the JSON value)",
		"1 of 206 rows repeat an answer under the same id with the other label and are left out: decide which label holds (" + file + ":204)",
		"1 of 206 rows repeat an answer under the same id and are left out: give each answer an interaction_id of its own (" + file + ":203)",
		`1 of 206 rows hold no label and are left out: add "label": 0 for fine or 1 for wrong next to "interaction", or give a table of verdicts with its log: confab tune LOG --labels TABLE (` + file + ":202)",
		"1 of 206 rows hold an empty answer, which no detector of text can check: add the answer or remove them (" + file + ":205)",
		"1 of 206 rows hold tokens whose log-probability is missing, NaN, infinite or above 0, and are measured by the others: write the natural logarithm of every chosen token's probability (" + file + ":206)",
		"1 of 206 rows hold fields of the interaction that are ignored: compare their names with docs/interaction.md (" + file + ":205)",
		`1 of 206 rows name no group and count as sources of their own: give rows of one source the same "group", or intervals come out too narrow (` + file + ":205)",
	}, problems.Messages())
}

func TestMeasureEndsWithTheLabels(t *testing.T) {
	t.Parallel()
	l, err := OpenLabels(writeLabels(t, "a.jsonl", labelLine("a", 1, "")), writeLabels(t, "b.jsonl", "\x1f\x8b no gzip"))
	require.NoError(t, err)
	defer l.Close()
	_, _, err = Rows(t.Context(), schemaSuite(t), l, Options{Workers: 2})
	require.ErrorContains(t, err, "b.jsonl")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	l, err = OpenLabels(writeLabels(t, "a.jsonl", labelLine("a", 1, "")))
	require.NoError(t, err)
	defer l.Close()
	_, _, err = Rows(ctx, schemaSuite(t), l, Options{})
	require.ErrorIs(t, err, context.Canceled)
}

func TestMeasureFillsARow(t *testing.T) {
	t.Parallel()
	l, err := OpenLabels(writeLabels(t, "set.jsonl", `{"interaction":{"interaction_id":"i","tenant":"acme","operation":"qa","model":"m","temperature":0.5,`+
		`"answer":"The lifetime warranty covers theft everywhere.","sources":["Parcels leave the warehouse within two working days."]},`+
		`"label":1,"task":"qa","group":"g","spans":[{"start":0,"end":20,"type":"x"}],"samples":[{"answer":"Another."}]}`))
	require.NoError(t, err)
	defer l.Close()
	rows, problems, err := Rows(t.Context(), schemaSuite(t), l, Options{})
	require.NoError(t, err)
	require.Empty(t, problems.Messages())
	require.Len(t, rows, 1)
	r := rows[0]
	require.Equal(t, []any{"set", "qa", "g", "acme", "qa", "m", true, 6}, []any{r.Dataset, r.Task, r.Group, r.Tenant, r.Operation, r.Model, r.Positive, r.Words})
	require.Contains(t, strings.Split(r.Measurable, "+"), "grounding")
	require.Equal(t, SpanTouched, r.Spans)
	for _, s := range r.Signals {
		require.Equal(t, s.Outcome != schemas.NotCheckable, s.HasScore, s.Detector)
	}
}

// constantFusion gives every answer the same log-odds.
type constantFusion float64

func (c constantFusion) LogOdds(*detectors.Evaluation, detectors.DetectorSet) float64 {
	return float64(c)
}

// A row keeps the log-odds of fusion, and a calibration maps them to a risk. A kept schema alone has the prior risk;
// without a measurable detector there is no risk.
func TestMeasureKeepsFusedLogOdds(t *testing.T) {
	t.Parallel()
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{}), Thresholds: noThresholds{},
		Fusion: constantFusion(2),
		Now:    func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	l, err := OpenLabels(writeLabels(t, "set.jsonl", labelLine("a", 1, ""), `{"interaction":{"answer":"Yes."},"label":0,"group":"g"}`,
		`{"interaction":{"answer":"The bridge was opened in 1932.","sources":[{"text":"The bridge was opened in 1933."}]},"label":1,"group":"h"}`))
	require.NoError(t, err)
	defer l.Close()
	rows, _, err := Rows(t.Context(), suite, l, Options{})
	require.NoError(t, err)
	require.Equal(t, "grounding+facts", rows[2].Measurable)
	require.InDelta(t, 2, rows[2].Fused, 0)
	require.Empty(t, rows[0].Measurable)
	require.True(t, math.IsNaN(rows[0].Fused))
	require.Empty(t, rows[1].Measurable)
	require.True(t, math.IsNaN(rows[1].Fused))

	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: "x", Risk: []calibration.RiskMap{{A: 1, B: -2, N: 1}}})
	require.NoError(t, err)
	p, ok := rows[2].Risk(c)
	require.True(t, ok)
	require.InDelta(t, 0.5, p, 1e-12)
	p, ok = rows[0].Risk(c)
	require.True(t, ok)
	require.InDelta(t, 0.29, p, 1e-12)
	_, ok = rows[1].Risk(c)
	require.False(t, ok)
	none, err := calibration.New(calibration.File{Format: calibration.Format, ID: "x"})
	require.NoError(t, err)
	_, ok = rows[0].Risk(none)
	require.False(t, ok, "no map")
}

func TestSpanHit(t *testing.T) {
	t.Parallel()
	reading := func(o schemas.Outcome, score float64, start, end int) detectors.Reading {
		return detectors.Reading{Outcome: o, Finding: detectors.Finding{Score: score, Evidence: []detectors.Evidence{{Start: schemas.NoPlace, End: schemas.NoPlace}, {Start: start, End: end}}}}
	}
	spans := []schemas.Span{{Start: 10, End: 20}}
	for name, c := range map[string]struct {
		readings []detectors.Reading
		spans    []schemas.Span
		want     SpanHit
	}{
		"no spans":            {[]detectors.Reading{reading(schemas.Fired, 1, 10, 20)}, nil, NoSpans},
		"no evidence":         {[]detectors.Reading{{Outcome: schemas.Fired}}, spans, NoSpans},
		"touches":             {[]detectors.Reading{reading(schemas.Fired, 1, 19, 25)}, spans, SpanTouched},
		"ends before":         {[]detectors.Reading{reading(schemas.Fired, 1, 0, 10)}, spans, SpanMissed},
		"starts after":        {[]detectors.Reading{reading(schemas.Fired, 1, 20, 30)}, spans, SpanMissed},
		"fired goes first":    {[]detectors.Reading{reading(schemas.Clear, 0.9, 10, 20), reading(schemas.Fired, 0.5, 30, 40)}, spans, SpanMissed},
		"then the highest":    {[]detectors.Reading{reading(schemas.Clear, 0.2, 30, 40), reading(schemas.Clear, 0.5, 10, 20)}, spans, SpanTouched},
		"failed says nothing": {[]detectors.Reading{reading(schemas.Failed, 0.9, 10, 20)}, spans, NoSpans},
	} {
		require.Equal(t, c.want, spanHit(c.readings, c.spans), name)
	}
}

func TestFiredUnderAnotherCalibration(t *testing.T) {
	t.Parallel()
	thresholds := []calibration.Threshold{
		{Detector: "grounding", Threshold: 0.7, Armed: true},
		{Detector: "grounding", Tenant: "acme", Threshold: 0.6, Armed: true},
		{Detector: "grounding", Operation: "qa", Threshold: 1},
		{Detector: "grounding", Tenant: "acme", Operation: "qa", Threshold: 0.4, Armed: true},
	}
	c, err := calibration.New(calibration.File{Format: calibration.Format, ID: "x", Thresholds: thresholds})
	require.NoError(t, err)
	row := Row{Tenant: "acme", Operation: "qa", Signals: []Signal{
		{Detector: "grounding", Score: 0.4, HasScore: true}, {Detector: "grounding"}, {Detector: "unknown", Score: 1, HasScore: true},
	}}
	require.Equal(t, []bool{true, false, false}, row.Fired(c, nil), "at the threshold; without a score; without a threshold")
	fired, able := row.CountFired(c)
	require.Equal(t, []int{1, 2}, []int{fired, able})
	row.Tenant = "other"
	require.Equal(t, []bool{false, false, false}, row.Fired(c, nil), "not armed there")
}

// TestLabelsFindSourcesInMessages: labelled rows are measured like records of a topic.
func TestLabelsFindSourcesInMessages(t *testing.T) {
	labels, err := OpenLabels(writeLabels(t, "a.jsonl",
		`{"interaction":{"answer":"At 8.","prompt":"Context: The ferry leaves at 7:40.\nQuestion: When?"},"label":1}`,
		`{"interaction":{"answer":"At 8.","prompt":"When does it leave?"},"label":1}`))
	require.NoError(t, err)
	defer labels.Close()
	var row schemas.Labelled
	require.NoError(t, labels.Next(&row))
	require.Equal(t, []schemas.Source{{ID: "1", Text: "The ferry leaves at 7:40."}}, row.Interaction.Sources)
	require.Equal(t, schemas.SourcesFromPrompt, row.Interaction.SourcesFrom)
	require.NoError(t, labels.Next(&row))
	require.Empty(t, row.Interaction.Sources)
}
