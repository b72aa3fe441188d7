package calibration

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/confidence"
	"confab/detectors/standard"
)

const wholeFile = `format: 1
id: 2026-11-21-abc
created_by: test
model: 2026-11-20-def
data: {fingerprint: abc, rows: 10, positives: 4}
thresholds:
  - {detector: grounding, tenant: "", operation: "", threshold: 0.7, armed: true, precision: 0.8, precision_low: 0.7, recall: 0.5, n: 100}
  - {detector: grounding, tenant: acme, operation: "", threshold: 0.6, armed: true}
  - {detector: grounding, tenant: "", operation: qa, threshold: 1, armed: false}
  - {detector: grounding, tenant: acme, operation: qa, threshold: 0.4, armed: true}
baselines:
  - {model: m1, operation: "", mean: 1, stdev: 0.1, peak_mean: 2, peak_stdev: 0.5, n: 50}
  - {model: m1, operation: qa, mean: 2, stdev: 0.1, peak_mean: 3, peak_stdev: 0.5, n: 20}
risk:
  - {measurable: "", a: 1.5, b: -0.5, n: 900, log_loss: 0.4}
  - {measurable: citation+grounding, a: 0.5, b: 1, n: 300, log_loss: 0.35}
`

func TestLoadReadsEveryField(t *testing.T) {
	t.Parallel()
	c, err := Load(strings.NewReader(wholeFile))
	require.NoError(t, err)
	f := c.File()
	require.Equal(t, "2026-11-21-abc", c.ID())
	require.Equal(t, "2026-11-20-def", f.Model)
	require.Equal(t, Data{Fingerprint: "abc", Rows: 10, Positives: 4}, f.Data)
	require.Equal(t, Threshold{
		Detector: "grounding", Threshold: 0.7, Armed: true, Precision: 0.8, PrecisionLow: 0.7, Recall: 0.5, N: 100,
	}, f.Thresholds[0])
	require.Equal(t, Baseline{Model: "m1", Operation: "qa", Baseline: confidence.Baseline{Mean: 2, Stdev: 0.1, PeakMean: 3, PeakStdev: 0.5, N: 20}}, f.Baselines[1])
	require.Equal(t, RiskMap{A: 1.5, B: -0.5, N: 900, LogLoss: 0.4}, f.Risk[0])
	require.Equal(t, RiskMap{Measurable: "citation+grounding", A: 0.5, B: 1, N: 300, LogLoss: 0.35}, f.Risk[1])
}

func TestSaveAndLoadRoundTrip(t *testing.T) {
	t.Parallel()
	c, err := Load(strings.NewReader(wholeFile))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.NoError(t, Save(path, c.File()))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	back, err := Load(file)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(c.File(), back.File()))
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, entries, 1, "no temporary file stays behind")
}

func TestSaveRejectsAnInvalidFileAndKeepsTheOld(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "calibration.yaml")
	require.NoError(t, os.WriteFile(path, []byte("old"), 0o600))
	require.ErrorContains(t, Save(path, File{Format: 1}), "id: is missing")
	require.ErrorContains(t, Save(path, File{Format: 1, ID: strings.Repeat("x", MaxBytes)}), "the limit is 1048576")
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "old", string(content))
	require.ErrorContains(t, Save(filepath.Join(t.TempDir(), "absent", "x.yaml"), File{Format: 1, ID: "x"}), "no such file")
}

func TestDefaultLoads(t *testing.T) {
	t.Parallel()
	c, err := Default()
	require.NoError(t, err)
	require.NotEmpty(t, c.ID())
}

func TestDefaultHasAThresholdForEveryStandardDetector(t *testing.T) {
	t.Parallel()
	c, err := Default()
	require.NoError(t, err)
	for _, name := range detectors.Names(standard.Fast(standard.Dependencies{})) {
		at, armed := c.Threshold(name, "some tenant", "some operation", "")
		require.True(t, armed, name)
		require.True(t, at > 0 && at <= 1, "%s fires at %v", name, at)
	}
}

func TestLoadReportsAllProblemsWithTheirPlace(t *testing.T) {
	t.Parallel()
	const faulty = `format: 1
id: x
colour: red
data: {rows: many, positives: 1}
thresholds:
  - {detector: grounding, threshold: 1.5, armed: true}
  - {detector: "", threshold: 0.5, armed: yes}
  - {detector: schema, armed: true, armed: true}
  - nonsense
  - {detector: grounding, threshold: 0.5, armed: true}
baselines:
  - {model: "", statistic: odd, mean: -1, stdev: .nan, peak_mean: 1, peak_stdev: .inf, n: -2}
rule: [1]
risk:
  - {measurable: a++b, method: platt, n: -1, log_loss: .nan}
  - {measurable: "", a: -1}
  - {measurable: "", prior: [1]}
  - {a: 1}
`
	_, err := Load(strings.NewReader(faulty))
	want := []string{
		`line 3, column 1: unknown key "colour"; known here: format, id, created_by, model, data, thresholds, baselines, rule, alert, risk`,
		"line 4, column 14: data.rows: expected a whole number",
		"line 4, column 31: data.positives: 1 exceeds the 0 rows",
		"line 6, column 38: thresholds[0].threshold: 1.5 is outside 0 to 1",
		"line 7, column 16: thresholds[1].detector: is missing: name the detector the threshold is for",
		"line 7, column 43: thresholds[1].armed: expected true or false",
		"line 8, column 5: thresholds[2].threshold: is missing",
		"line 8, column 37: thresholds[2].armed: given twice, first on line 8; keep one",
		"line 9, column 5: thresholds[3]: expected keys and values, got one value",
		"line 10, column 5: thresholds[4]: has the detector, tenant, operation and model of thresholds[0]: keep one of them",
		"line 12, column 13: baselines[0].model: is missing: a baseline holds for one model, name it as the provider reports it",
		`line 12, column 28: baselines[0].statistic: "odd" is not one of peak, mean, or empty for peak`,
		"line 12, column 39: baselines[0].mean: -1 is not an entropy: write a finite number of nats, 0 or more",
		"line 12, column 50: baselines[0].stdev: expected a number",
		"line 12, column 82: baselines[0].peak_stdev: expected a number",
		"line 12, column 91: baselines[0].n: -2 is negative",
		"line 13, column 7: rule: expected keys and values, got a list",
		`line 15, column 18: risk[0].measurable: "a++b": write names of detectors joined by +, or nothing for any`,
		`line 15, column 24: risk[0]: unknown key "method"; known here: measurable, a, b, n, log_loss, prior`,
		"line 15, column 42: risk[0].n: -1 is negative",
		"line 15, column 56: risk[0].log_loss: expected a number",
		"line 16, column 25: risk[1].a: -1 with b 0: write finite numbers and a slope of 0 or more: a risk must never fall when the log-odds rise",
		"line 17, column 5: risk[2]: has the measurable of risk[1]: keep one of them",
		"line 17, column 29: risk[2].prior: [1]: write the slope and the offset before the labels, or nothing",
		"line 18, column 5: risk[3].measurable: is missing",
	}
	require.Empty(t, cmp.Diff(want, strings.Split(strings.TrimPrefix(err.Error(), "calibration: "), "\n")))
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ yaml, want string }{
		"newer format, and nothing else of it": {"format: 2\nid: [1]\nnew_key: 1\n", "calibration: line 1, column 9: format: 2 is newer than this binary reads (1): upgrade confab, or write the file again with this version"},
		"format of a wrong type":               {"format: one\nid: x\n", "line 1, column 9: format: expected a whole number"},
		"no format":                            {"id: x\n", "format: is missing or 0: this binary reads format 1"},
		"empty file":                           {"", "the file is empty: write one with confab tune"},
		"a comment only":                       {"# nothing\n", "format: is missing or 0"},
		"no mapping":                           {"- 1\n", "line 1, column 1: expected keys and values, got a list"},
		"broken YAML":                          {"format: [1\n", "calibration: line 2: not YAML: a list is not closed, or a comma is missing: expected , or ]"},
		"two documents":                        {"format: 1\nid: x\n---\nformat: 1\n", "line 3, column 1: a second document: keep one"},
		"too large":                            {strings.Repeat("#", MaxBytes+1), "larger than"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Load(strings.NewReader(tc.yaml))
			require.ErrorContains(t, err, tc.want)
		})
	}
}

func TestLoadReturnsReadErrors(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	_, err := Load(readerFunc(func([]byte) (int, error) { return 0, broken }))
	require.ErrorIs(t, err, broken)
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func FuzzLoad(f *testing.F) {
	f.Add([]byte(wholeFile))
	f.Add([]byte("format: 1\nid: x\nthresholds: [{detector: d, threshold: 1, armed: false}]\n"))
	f.Add([]byte("a: &a [*a]\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Load(bytes.NewReader(data))
		if err != nil {
			return
		}
		var out bytes.Buffer
		require.NoError(t, Encode(&out, c.File()))
		back, err := Load(&out)
		require.NoError(t, err, "what was loaded can be written and loaded again")
		require.Empty(t, cmp.Diff(c.File(), back.File(), cmpopts.EquateEmpty(), cmpopts.EquateNaNs()))
	})
}

func TestLoadReportsABoundedNumberOfProblems(t *testing.T) {
	_, err := Load(strings.NewReader("format: 1\n" + strings.Repeat("x: 1\n", 100_000)))
	require.ErrorContains(t, err, "further problems are not shown")
	require.LessOrEqual(t, strings.Count(err.Error(), "\n"), 101)
	_, err = Load(strings.NewReader("# " + strings.Repeat("x", MaxBytes)))
	require.ErrorContains(t, err, "larger than 1048576 bytes")
}

func TestEvidence(t *testing.T) {
	t.Parallel()
	c, err := New(File{Format: Format, ID: "x", Risk: []RiskMap{{A: 1, N: 1}}, Thresholds: []Threshold{
		{Detector: "facts", Threshold: 0.5, Armed: true, PrecisionLow: 0.7, N: 20},
		{Detector: "facts", Tenant: "rare", Threshold: 0.5, Armed: true, PrecisionLow: 0.2, N: 90},
		{Detector: "schema", Threshold: 1, Armed: true, PrecisionLow: 0.9, N: 20},
		{Detector: "technical", Threshold: 1, Armed: true, PrecisionLow: 0.9, N: 19},
	}})
	require.NoError(t, err)
	prior, ok := c.PriorRisk()
	require.True(t, ok)
	require.InDelta(t, 0.29, prior, 0)
	for key, want := range map[ThresholdKey]float64{{Detector: "facts"}: 0.42, {Detector: "facts", Tenant: "rare", Operation: "qa"}: 0.2, {Detector: "citation"}: 0.42} {
		require.InDelta(t, want, c.FiredRisk(key, false), 0, key)
	}
	require.InDelta(t, 0.9, c.FiredRisk(ThresholdKey{Detector: "schema"}, true), 0)
	require.InDelta(t, 0.65, c.FiredRisk(ThresholdKey{Detector: "technical"}, true), 0)
}
