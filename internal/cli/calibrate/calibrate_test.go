package calibrate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/calibration/thresholds"
	"confab/detectors"
	"confab/internal/golden"
	"confab/schemas"
)

// recordedScores is a detector whose score is an attribute of the interaction.
type recordedScores string

func (d recordedScores) Name() string { return string(d) }

func (d recordedScores) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	score, err := strconv.ParseFloat(doc.Interaction().Attributes[string(d)], 64)
	if err != nil {
		return detectors.Finding{NotCheckable: "not printed"}, nil //nolint:nilerr // that is what there was to find out
	}
	return detectors.Finding{Score: score, Type: schemas.Factual}, nil
}

// recordedSuite has the detectors alpha, beta and confidence.
func recordedSuite(c *calibration.Calibration) (*detectors.Suite, error) {
	var entries []detectors.Entry
	for _, name := range []string{"alpha", "beta", "gamma"} {
		entries = append(entries, detectors.Entry{
			Name: name, Type: schemas.Factual,
			NewOptions: func() any { return nil }, New: func(any) (detectors.Detector, error) { return recordedScores(name), nil },
		})
	}
	return detectors.NewSuite(detectors.Options{
		Detectors: entries, Thresholds: c, Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
}

// recordedRows makes labelled rows: for each line of the plan a number of rows with a label and the scores of alpha and
// beta.
func recordedRows() []string {
	var rows []string
	for _, part := range []struct {
		n, label    int
		operation   string
		alpha, beta string
		logprobs    bool
	}{
		{30, 1, "qa", "0.9", "0.8", false},
		{10, 1, "qa", "0.2", "0.8", true},
		{2, 0, "qa", "0.9", "0.8", false},
		{1, 0, "qa", "0.9", "0.1", false},
		{50, 0, "qa", "0.2", "0.1", true},
		{30, 1, "mail", "0.5", "0.7", false},
		{40, 0, "mail", "0.5", "0.7", false},
		{8, 0, "chat", "0.3", "", false},
	} {
		for range part.n {
			logprobs := ""
			if part.logprobs {
				logprobs = fmt.Sprintf(`,"logprobs":{"content":[{"token":"a","logprob":-0.1,"top_logprobs":[{"token":"a","logprob":-0.1},{"token":"b","logprob":-%d}]}]}`, 2+len(rows)%3)
			}
			rows = append(rows, fmt.Sprintf(`{"interaction":{"interaction_id":"i%d","model":"m","operation":%q,"answer":"a","attributes":{"alpha":%q,"beta":%q}%s},"label":%d,"task":%q,"group":"g%d"}`,
				len(rows), part.operation, part.alpha, part.beta, logprobs, part.label, part.operation, len(rows)))
		}
	}
	return rows
}

type calibrateTest struct {
	dir      string
	o        Options
	out, err bytes.Buffer
}

func newCalibrateTest(t *testing.T, rows ...string) *calibrateTest {
	t.Helper()
	c := &calibrateTest{dir: t.TempDir()}
	labels := filepath.Join(c.dir, "labels.jsonl")
	require.NoError(t, os.WriteFile(labels, []byte(strings.Join(rows, "\n")), 0o600))
	c.o = Options{
		Files: []string{labels}, Suite: recordedSuite, Workers: 2, Version: "v1",
		Out:    filepath.Join(c.dir, "calibration.yaml"),
		Choose: thresholds.Options{CreatedBy: "confab calibrate v1", Now: time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)},
	}
	return c
}

func (c *calibrateTest) run(t *testing.T) error {
	t.Helper()
	c.out.Reset()
	c.err.Reset()
	return Run(t.Context(), &c.out, &c.err, c.o)
}

// files lists the names in the folder.
func (c *calibrateTest) files(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCalibrateSummary(t *testing.T) {
	t.Parallel()
	c := newCalibrateTest(t, recordedRows()...)
	old, err := calibration.New(calibration.File{Format: 1, ID: "2026-01-01-00000000", CreatedBy: "confab calibrate v0", Thresholds: []calibration.Threshold{
		{Detector: "alpha", Threshold: 0.4, Armed: true}, {Detector: "beta", Threshold: 0.6, Armed: true}, {Detector: "gamma", Threshold: 0.5, Armed: true},
	}})
	require.NoError(t, err)
	c.o.InForce, c.o.Force = old, true
	require.NoError(t, c.run(t))
	require.Equal(t, []string{"calibration.yaml", "labels.jsonl"}, c.files(t))
	got := strings.ReplaceAll(c.out.String(), c.dir+string(filepath.Separator), "") + "--- stderr\n" + c.err.String()
	golden.Equal(t, "testdata/calibrate.golden", got)

	file, err := os.Open(c.o.Out)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	cal, err := calibration.Load(file)
	require.NoError(t, err)
	at, armed := cal.Threshold("gamma", "default", "qa", "")
	require.True(t, armed && at == 0.5, "kept")
}

// The same labels give the same bytes, whatever their order and files.
func TestCalibrateIsDeterministic(t *testing.T) {
	t.Parallel()
	rows := recordedRows()
	for i := range rows {
		if i%4 == 0 {
			rows[i] = strings.Replace(rows[i], fmt.Sprintf(`"group":"g%d"`, i), `"group":"shared"`, 1)
		}
		rows[i] = strings.Replace(rows[i], `"task"`, `"dataset":"d","task"`, 1)
	}
	one := newCalibrateTest(t, rows...)
	require.NoError(t, one.run(t))
	want, err := os.ReadFile(one.o.Out)
	require.NoError(t, err)
	two := newCalibrateTest(t, append(append([]string{}, rows[90:]...), "", rows[0]+"  ")...)
	rest := filepath.Join(t.TempDir(), "rest.jsonl")
	require.NoError(t, os.WriteFile(rest, []byte(strings.Join(rows[1:90], "\r\n")), 0o600))
	two.o.Files = append(two.o.Files, rest)
	require.NoError(t, two.run(t))
	got, err := os.ReadFile(two.o.Out)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}

func TestCalibrateErrorsWriteNothing(t *testing.T) {
	t.Parallel()
	good := recordedRows()
	first := good[0]
	for name, tc := range map[string]struct {
		rows []string
		want string // the error or the output before it
	}{
		"few":        {good[20:69], "49 rows are too few to calibrate on: label at least 50"},
		"all bad":    {append(append([]string{}, good[:40]...), good[93:123]...), "all 70 rows are labelled 1 (bad)"},
		"no label":   {append([]string{strings.Replace(first, `"label":1,`, "", 1)}, good[1:]...), `add "label": 0 for fine`},
		"repeated":   {append([]string{first}, good...), "repeat an answer under the same id and are left out"},
		"no text":    {append([]string{strings.Replace(first, `"answer":"a"`, `"answer":" "`, 1)}, good[1:]...), "hold an empty answer"},
		"unknown":    {append([]string{strings.Replace(first, `"model"`, `"colour":"red","model"`, 1)}, good[1:]...), "fields of the interaction that are ignored"},
		"not JSON":   {append([]string{`{"interaction`}, good...), "cannot be read"},
		"not finite": {append([]string{strings.Replace(first, `"model"`, `"top_k":0,"token_logprobs":"AADAfw==","model"`, 1)}, good[1:]...), "log-probability is missing, NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCalibrateTest(t, tc.rows...)
			require.NoError(t, os.WriteFile(c.o.Out, []byte("old"), 0o600))
			err := c.run(t)
			if name == "few" || name == "all bad" {
				require.ErrorIs(t, err, thresholds.ErrLabels)
			} else {
				require.ErrorIs(t, err, ErrFaultyLabels)
				lenient := c
				lenient.o.Lenient = true
				printed := c.err.String()
				require.NoError(t, lenient.run(t), "left out on demand")
				require.NoError(t, os.WriteFile(c.o.Out, []byte("old"), 0o600))
				c.err.Reset()
				c.err.WriteString(printed)
			}
			require.Contains(t, err.Error()+c.err.String(), tc.want)
			require.Equal(t, []string{"calibration.yaml", "labels.jsonl"}, c.files(t))
			content, err := os.ReadFile(c.o.Out)
			require.NoError(t, err)
			require.Equal(t, "old", string(content))
		})
	}
}

func TestCalibrateChecksOutputsFirst(t *testing.T) {
	t.Parallel()
	c := newCalibrateTest(t, recordedRows()...)
	c.o.Suite = nil // not used
	c.o.Out = filepath.Join(c.dir, "absent", "x.yaml")
	require.ErrorContains(t, c.run(t), "create the folder")
	c.o.Out = c.dir
	require.ErrorContains(t, c.run(t), "it is a folder")
}
