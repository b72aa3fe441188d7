package redaction

import (
	"bytes"
	stdjson "encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/internal/golden"
	"confab/internal/redact"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// privacyPage has the figures of the built-in patterns.
const privacyPage = "../../../docs/privacy.md"

// Recall of the built-in patterns on the texts that they were made with, on a list that was written before them and was not used
// to make them, and on texts without secrets.
func TestBuiltinGates(t *testing.T) {
	for file, gate := range map[string]struct {
		rows, wrong int
		recall      float64
	}{
		"rows.jsonl":     {rows: 331, recall: 0.95},
		"second.jsonl":   {rows: 103, recall: 0.85},
		"harmless.jsonl": {rows: 206, wrong: 1},
	} {
		t.Run(file, func(t *testing.T) {
			report, err := MeasureFile(t.Context(), "testdata/"+file, redact.NewRedactor(nil), true)
			require.NoError(t, err)
			require.Empty(t, report.Faults)
			require.Equal(t, gate.rows, report.Rows)
			require.GreaterOrEqual(t, report.All.Recall, gate.recall, "%v", report.Missed)
			require.LessOrEqual(t, report.FalseRows, gate.wrong, "%v", report.Wrong)
		})
	}
}

// TestBuiltinRecall writes the recall of the built-in patterns on testdata/rows.jsonl into docs/privacy.md.
func TestBuiltinRecall(t *testing.T) {
	report, err := MeasureFile(t.Context(), "testdata/rows.jsonl", redact.NewRedactor(nil), false)
	require.NoError(t, err)
	require.Len(t, report.Kinds, 13)
	var table bytes.Buffer
	require.NoError(t, PrintMarkdown(&table, report))
	page, err := os.ReadFile(privacyPage)
	require.NoError(t, err)
	section := regexp.MustCompile(`(?s)(<!-- recall -->\n).*?(<!-- end -->)`)
	require.Len(t, section.FindAll(page, -1), 1)
	golden.Equal(t, privacyPage, section.ReplaceAll(page, []byte("${1}\n"+table.String()+"\n${2}")))
}

func measure(t *testing.T, text string, texts bool, own ...redact.Pattern) *Report {
	t.Helper()
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	report, err := MeasureFile(t.Context(), file, redact.NewRedactor(own), texts)
	require.NoError(t, err)
	return report
}

func TestMeasure(t *testing.T) {
	customer := redact.Pattern{Name: "customer", Match: regexp.MustCompile(`\bKD-[0-9]{6}\b`)}
	report := measure(t, `{"id": "a", "text": "KD-123456 and KD-12345 of ann@example.com", "secrets": [{"text": "KD-123456", "kind": "customer"}, {"text": "KD-12345 ", "kind": "customer"}, "ann@example.com"]}
{"text": "ZÜ: KD-000001 wrote", "spans": [{"start": 4, "end": 13, "kind": "customer"}]}
{"text": "mail bob@example.com or bob@example.com", "secrets": ["bob@example.com"]}
{"text": "KD-999999 is a part number, 030 is not"}
{"text": "call Ann: +49 30 901820", "secrets": [{"text": "Ann: +49 30 901820", "kind": "contact"}]}
{"text": ""}
`, true, customer)
	require.Empty(t, report.Faults)
	require.Equal(t, 6, report.Rows)
	kinds := map[string]Kind{}
	for _, k := range report.Kinds {
		kinds[k.Kind] = k
	}
	require.Equal(t, Kind{"customer", 3, 2, 0, 2. / 3, kinds["customer"].Range}, kinds["customer"])
	require.Equal(t, 3, kinds["secret"].Hidden, "both places of one text count")
	require.Equal(t, Kind{"contact", 1, 0, 1, 0, kinds["contact"].Range}, kinds["contact"])
	require.Less(t, kinds["customer"].Range[0], 2./3)
	require.Equal(t, 7, report.All.Secrets)
	require.Equal(t, []False{{"[customer]", 1}}, report.False)
	require.Equal(t, 1, report.FalseRows)
	require.Equal(t, []Missed{{1, "a", "customer", "KD-12345 "}, {5, "", "contact", "Ann: +49 30 901820"}}, report.Missed)
	require.Equal(t, []Missed{{4, "", "[customer]", "KD-999999"}}, report.Wrong)
	for _, m := range append(measure(t, `{"text": "x 4711", "secrets": ["4711"]}`, false).Missed, report.Missed[0]) {
		require.Equal(t, m.ID == "a", m.Text != "", "texts are shown when asked for")
	}
}

func TestRowsThatAreLeftOut(t *testing.T) {
	for line, want := range map[string]string{
		`[]`:                                     "cannot unmarshal",
		`{"text": "a", "secret": ["a"]}`:         `unknown field "secret"`,
		`{"secrets": ["a"]}`:                     "has no text",
		`{"text": null}`:                         "has no text",
		`{"text": "a", "secrets": ["b"]}`:        "a secret is not in the text",
		`{"text": "a", "secrets": [""]}`:         "a secret is not in the text",
		`{"text": "a", "secrets": [{"txt": 1}]}`: "unknown field",
		`{"text": "a\u00e4", "spans": [{"start": 0, "end": 3}]}`:              "span 0 to 3 is not in the text, which has 2 characters",
		`{"text": "ab", "spans": [{"start": -1, "end": 1}]}`:                  "is not in the text",
		`{"text": "ab", "spans": [{"start": 1, "end": 1}]}`:                   "is not in the text",
		`{"text": "a"} {"text": "b"}`:                                         "more than one value",
		`{"text": "a", "secrets": [` + strings.Repeat(`"a",`, 1000) + `"a"]}`: "more than 1000 secrets",
		`{"text": "` + strings.Repeat("a", maxRowBytes) + `"}`:                "too long",
	} {
		report := measure(t, "{\"text\": \"fine\"}\n"+line+"\n", true)
		require.Equal(t, 1, report.Rows, want)
		require.Equal(t, 1, report.LeftOut)
		require.Len(t, report.Faults, 1)
		require.Contains(t, report.Faults[0], "line 2: ")
		require.Contains(t, report.Faults[0], want)
	}
}

// Overlapping labels are one secret; many secrets in a long text are measured in a run over it.
func TestManySecrets(t *testing.T) {
	require.Equal(t, 1, measure(t, `{"text": "ann@example.com", "secrets": ["ann@example.com", "example"]}`, false).All.Secrets)
	text, err := stdjson.Marshal(strings.Repeat("ann@example.com, 4711 ", 20_000))
	require.NoError(t, err)
	report := measure(t, `{"text": `+string(text)+`, "secrets": ["ann@example.com", "4711"]}`, false)
	require.Equal(t, 20_000, report.All.Hidden)
	require.Equal(t, 40_000, report.All.Secrets)
	require.Len(t, report.Missed, maxListed)
}

func TestRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(file, []byte("{\"text\": \"box 4711\", \"secrets\": [{\"text\": \"4711\", \"kind\": \"\\u001b[31mpin\"}]}\n{}\n"), 0o600))
	run := func(format string, texts bool) (out, errs string, err error) {
		var o, e bytes.Buffer
		err = Run(t.Context(), &o, &e, Options{File: file, Format: format, Texts: texts, Redactor: redact.NewRedactor(nil)})
		return o.String(), e.String(), err
	}
	out, errs, err := run("table", true)
	require.ErrorIs(t, err, ErrLeftOut)
	require.ErrorContains(t, err, "1 of 2")
	require.Contains(t, errs, "line 2: has no text")
	require.Contains(t, out, `missed: line 1`)
	require.Contains(t, out, `: "4711"`)
	require.NotContains(t, out, "\x1b")
	out, _, _ = run("json", false)
	require.NotContains(t, out, "4711")
	var decoded Report
	require.NoError(t, stdjson.Unmarshal([]byte(out), &decoded))
	require.Equal(t, 1, decoded.LeftOut)
	_, _, err = run("csv", false)
	require.ErrorContains(t, err, "--format csv: expected table, markdown or json")
	file = "/nowhere"
	_, _, err = run("table", false)
	require.ErrorContains(t, err, "/nowhere")
}
