package tune

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/alerting"
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/tune"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/tablefile"
	"confab/internal/worker/tuning"
	"confab/schemas"
)

// bench is a folder with a log.
type bench struct {
	Options

	folder    string
	out, errs bytes.Buffer
}

func newBench(t *testing.T, log string) *bench {
	t.Helper()
	b := &bench{folder: t.TempDir()}
	evaluator, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	cal, err := calibration.Default()
	require.NoError(t, err)
	admit := func(in *schemas.Interaction, origin schemas.Origin) {
		if in.Tenant == "" {
			in.Tenant = "acme"
		}
		if in.ID == "" {
			in.ID = fmt.Sprint("line ", origin.Offset)
		}
	}
	b.Options = Options{
		Log: &labelled.InteractionFile{Path: b.file(t, "log.jsonl", log), Admit: admit}, Evaluator: evaluator, InForce: cal,
		Policy: alerting.NewPolicy(alerting.PolicyOptions{}), Draws: 40, Seed: 1, Out: filepath.Join(b.folder, "labels.csv"), Command: "confab tune log.jsonl --map m.yaml", Check: "confab check log.jsonl --map m.yaml",
		Version: "test", Workers: 4, Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) },
	}
	return b
}

func (b *bench) file(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(b.folder, name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// fit reads verdicts in a file of that name.
func (b *bench) fit(t *testing.T, name, verdicts string) error {
	t.Helper()
	b.Labels, b.Out = []string{b.file(t, name, verdicts)}, filepath.Join(b.folder, "calibration.yaml")
	b.out.Reset()
	b.errs.Reset()
	return Fit(t.Context(), &b.out, &b.errs, b.Options)
}

// short is a text without the folder.
func (b *bench) short(text string) string {
	return strings.ReplaceAll(text, b.folder+string(filepath.Separator), "")
}

// manyAnswers are n answers about parcels; every tenth is wrong.
func manyAnswers(n int) string {
	var b strings.Builder
	for i := range n {
		said := 2 + i
		if i%10 == 0 {
			said += 5
		}
		fmt.Fprintf(&b, `{"interaction_id":"i%d","occurred_at":"2026-11-%02dT%02d:00:00Z","messages":[{"role":"user","content":"=HYPERLINK(%d)"}],`+
			`"answer":"Parcel %d, \"the heavy one\", leaves in %d days.","sources":["Parcel %d, the heavy one, leaves in %d days.","Other"]}`+"\n", i, 1+i/24, i%24, i, i, said, i, 2+i)
	}
	return b.String()
}

func readTable(t *testing.T, path string) []tablefile.Row {
	t.Helper()
	rows, bad, err := tablefile.ReadTable(path)
	require.NoError(t, err)
	require.Empty(t, bad)
	return rows
}

// fill fills in the verdicts of a table by the ids of its answers.
func fill(t *testing.T, content []byte, said func(id string) string) string {
	t.Helper()
	records, err := csv.NewReader(bytes.NewReader(content)).ReadAll()
	require.NoError(t, err)
	var filled strings.Builder
	w := csv.NewWriter(&filled)
	at, id := slices.Index(records[0], "verdict"), slices.Index(records[0], "interaction_id")
	for i, record := range records {
		if i > 0 {
			record[at] = said(record[id])
		}
		require.NoError(t, w.Write(record))
	}
	w.Flush()
	return filled.String()
}

// A drawn table, filled in by a person, becomes labels whose weights stand for the log.
func TestFromLogToCalibration(t *testing.T) {
	t.Parallel()
	b := newBench(t, manyAnswers(240))
	require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
	require.Regexp(t, `^drew 40 of 240 answers into labels.csv: on \d+ a detector fired, on \d+ one nearly did; the rest is at random\nnext: .* run: confab tune log.jsonl --map m.yaml --labels labels.csv --out calibration.yaml\n$`, b.short(b.out.String()))
	content, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	require.Contains(t, string(content), ",'=HYPERLINK(", "a spreadsheet does not run it")
	rows := readTable(t, b.Out)
	require.Len(t, rows, 40)
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row.Values["interaction_id"]
		require.NotContains(t, row.Values, "verdict")
		require.Contains(t, row.Values["question"], "=HYPERLINK(")
		if row.Values["fired"] != "" {
			require.Contains(t, row.Values["evidence"], "“")
		}
	}
	require.False(t, slices.IsSorted(ids), "a half of the table is a random part")
	require.ErrorContains(t, Draw(t.Context(), &b.out, &b.errs, b.Options), "labels.csv is there already: fill it in")

	filled := fill(t, content, func(id string) string {
		if strings.HasSuffix(id, "0") {
			return "Confirmed"
		}
		return "fine"
	})
	require.True(t, strings.HasPrefix(filled, "verdict,note,question,answer,sources,"), "scores come last: who labels does not see them first")
	b.Rows = filepath.Join(b.folder, "rows.jsonl")
	require.NoError(t, b.fit(t, "filled.csv", filled))
	require.Empty(t, b.errs.String())
	lines := strings.Split(b.out.String(), "\n")
	require.Regexp(t, `^labels:    40 answers, \d+ of them wrong; of all answers \d+ % \(\d+ to \d+ %\) are wrong$`, lines[0])
	for i, start := range []string{"           ", "now:       ", "tuned:     ", "           few", "changes:   ", "unchanged: "} {
		require.True(t, strings.HasPrefix(lines[i+1], start), lines[i+1])
	}
	require.Contains(t, lines[1], "   alerts a day   ", "the log has ten days")
	_, err = calibration.Load(openFile(t, b.Out))
	require.NoError(t, err)
	first, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	require.NoError(t, b.fit(t, "filled.csv", filled))
	again, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	require.Equal(t, string(first), string(again))

	total := 0.0
	for _, row := range readRows(t, b.Rows) {
		total += row.Weight
		require.Equal(t, strings.HasSuffix(row.Interaction.ID, "0"), row.Label == 1)
	}
	require.InDelta(t, 240, total, 120, "an estimate of the size of the log")

	b.Log, b.Labels, b.JSON, b.PerDay, b.Rows = nil, []string{b.Rows}, true, 1000, ""
	b.out.Reset()
	require.NoError(t, Fit(t.Context(), &b.out, &b.errs, b.Options))
	var report struct {
		Labels        struct{ Rows, Wrong int }
		AnswersPerDay float64 `json:"answers_per_day"`
		Written       string
	}
	require.NoError(t, json.Unmarshal(b.out.Bytes(), &report))
	require.Equal(t, []any{40, 1000.0, b.Out}, []any{report.Labels.Rows, report.AnswersPerDay, report.Written})
}

func openFile(t *testing.T, path string) io.Reader {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return bytes.NewReader(content)
}

func readRows(t *testing.T, path string) (rows []schemas.Labelled) {
	t.Helper()
	labels, err := measure.OpenLabels(path)
	require.NoError(t, err)
	defer labels.Close()
	for {
		var row schemas.Labelled
		err := labels.Next(&row)
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// A log of an unknown shape has the hint first, then three examples.
func TestDrawHintsAtMaps(t *testing.T) {
	t.Parallel()
	b := newBench(t, strings.Repeat(`{"frage":"Wie lange?","antwort":"Innerhalb von 90 Tagen nach der Lieferung."}`+"\n", 9))
	require.ErrorContains(t, Draw(t.Context(), &b.out, &b.errs, b.Options), "no interaction can be read")
	said := b.short(b.errs.String())
	require.Regexp(t, `^hint: confab map \S*log.jsonl proposes a map for such records\nlog.jsonl:1: missing_answer`, said)
	require.Equal(t, 5, strings.Count(said, "\n"), said)
	require.Contains(t, said, "log.jsonl:3: ")
	require.Contains(t, said, "and 6 more\n")
}

func TestDrawReportsFaults(t *testing.T) {
	t.Parallel()
	b := newBench(t, manyAnswers(10)+"broken\n"+manyAnswers(2))
	require.ErrorIs(t, Draw(t.Context(), &b.out, &b.errs, b.Options), ErrLeftOut)
	require.Equal(t, "hint: expected one JSON object per line: see docs/interaction.md\nlog.jsonl:11: syntax: no JSON value\n2 lines repeat an answer under the same id: each answer counts once\n", b.short(b.errs.String()))
	require.Contains(t, b.out.String(), "drew 10 of 10 answers")
	for _, row := range readTable(t, b.Out) {
		require.Equal(t, "1", row.Values["probability"])
	}
	for name, c := range map[string]struct {
		change func(o *Options)
		want   string
	}{
		"extension": {func(o *Options) { o.Out += ".xlsx" }, "the table is CSV: end the name in .csv"},
		"folder":    {func(o *Options) { o.Out = filepath.Join(filepath.Dir(o.Out), "gone", "r.csv") }, "create the folder"},
		"missing":   {func(o *Options) { o.Log.Path += ".gone" }, "does not exist"},
	} {
		b := newBench(t, manyAnswers(3))
		c.change(&b.Options)
		err := Draw(t.Context(), &b.out, &b.errs, b.Options)
		require.ErrorContains(t, err, c.want, name)
		_, input := errors.AsType[*console.InputError](err)
		require.True(t, input, name)
	}
	labelled := newBench(t, `{"interaction":{"interaction_id":"a","answer":"A."},"label":1}`)
	require.NoError(t, Draw(t.Context(), &labelled.out, &labelled.errs, labelled.Options))
	require.Contains(t, labelled.errs.String(), "1 lines hold labels of their own, which are not used: confab tune --labels ")
	empty := newBench(t, "x\n")
	require.ErrorContains(t, Draw(t.Context(), &empty.out, &empty.errs, empty.Options), "no interaction can be read: confab check ")
	require.Contains(t, empty.errs.String(), "log.jsonl:1: ")
}

// What is read is never replaced: a filled table may hold an hour of work.
func TestFitKeepsItsInputs(t *testing.T) {
	t.Parallel()
	b := newBench(t, manyAnswers(10))
	require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
	table := b.Out
	for name, c := range map[string]struct{ out, rows, want string }{
		"table":      {table, "", "is read: write to another file"},
		"other name": {b.folder + "/./labels.csv", "", "is read: write to another file"},
		"log":        {"", b.Log.Path, "is read: write to another file"},
		"both":       {table + ".yaml", table + ".yaml", "--out and --rows both name"},
	} {
		before, err := os.ReadFile(table)
		require.NoError(t, err)
		o := b.Options
		o.Labels, o.Out, o.Rows = []string{table}, c.out, c.rows
		err = Fit(t.Context(), &b.out, &b.errs, o)
		require.ErrorContains(t, err, c.want, name)
		after, err := os.ReadFile(table)
		require.NoError(t, err)
		require.Equal(t, string(before), string(after), name)
	}
}

// The lines of a log may be spans, each with several answers.
func TestSpans(t *testing.T) {
	t.Parallel()
	b := newBench(t, `{"resourceSpans":[{}]}`+"\n")
	b.Log.Expand = func(_ []byte, each func(in *schemas.Interaction, index int, err error)) error {
		for i := range 3 {
			each(&schemas.Interaction{ID: fmt.Sprint("span ", i), Answer: "Yes."}, i, nil)
		}
		each(nil, 3, errors.New("no answer"))
		return nil
	}
	require.ErrorIs(t, Draw(t.Context(), &b.out, &b.errs, b.Options), ErrLeftOut)
	require.Len(t, readTable(t, b.Out), 3)
	require.Equal(t, "log.jsonl:1: no answer\n", b.short(b.errs.String()))
}

func TestVerdictsOfOtherTools(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "interactions.jsonl"))
	require.NoError(t, err)
	b := newBench(t, string(content))
	b.Rows = filepath.Join(b.folder, "rows.jsonl")
	require.NoError(t, b.fit(t, "scores.csv", "interaction_id;verdict;probability\np-1;false_positive;0,25\np-2;wrong;1\np-3;confirmed;\np-4;;\n"))
	require.Equal(t, "1 rows have no verdict yet\n", b.errs.String())
	rows := readRows(t, b.Rows)
	require.Len(t, rows, 3)
	require.Equal(t, []float64{4, 1, 0}, []float64{rows[0].Weight, rows[1].Weight, rows[2].Weight})
	require.Equal(t, rows[0].Group, rows[1].Group, "the same sources")
	require.NotEqual(t, rows[0].Group, rows[2].Group)
	require.Equal(t, "qa", rows[0].Task)
	require.NoError(t, b.fit(t, "scores.jsonl", `{"trace_id":"a1","label":0}`+"\n"+`{"span_id":"1f1e2d3c4b5a6978","label":1}`))
	require.Contains(t, b.out.String(), "labels:    2 answers, 1 of them wrong")
	require.Contains(t, b.out.String(), "\nnot known: how 2 of the answers were chosen: they have no probability")
	require.Regexp(t, `(?m)^more:      about \d+ more labels, of a longer log, would bring 20 wrong answers, which outweigh what was known before; this log has \d+ answers without one: confab tune log.jsonl --map m.yaml --labels \S*scores.jsonl --draw \d+ --out more-1.csv, then --labels \S*scores.jsonl --labels more-1.csv$`, b.out.String())
	b.Log = nil
	require.ErrorContains(t, b.fit(t, "scores.csv", "interaction_id,verdict\np-1,wrong\n"), "scores.csv is a table of verdicts, which needs the log")
}

// Two draws of one log: each stands for all of it, so that an answer of both has both weights. A repeated row of one table changes nothing. A log
// has no more labels to give than answers.
func TestSeveralTables(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "interactions.jsonl"))
	require.NoError(t, err)
	b := newBench(t, string(content))
	b.Rows, b.Out = filepath.Join(b.folder, "rows.jsonl"), filepath.Join(b.folder, "calibration.yaml")
	const names = "interaction_id,verdict,probability\n"
	b.Labels = []string{b.file(t, "a.csv", names+"p-1,wrong,0.5\np-1,wrong,0.5\np-2,fine,0.25\n"), b.file(t, "b.csv", names+"p-1,wrong,0.25\np-1,wrong,0.25\np-3,fine,0.5\n")}
	require.NoError(t, Fit(t.Context(), &b.out, &b.errs, b.Options))
	require.Equal(t, "2 verdicts repeat another one of the answer\n", b.errs.String())
	rows := readRows(t, b.Rows)
	require.Equal(t, []float64{6, 4, 2}, []float64{rows[0].Weight, rows[1].Weight, rows[2].Weight})
	require.Contains(t, b.short(b.out.String()), "; this log has 1 answers without one: confab tune log.jsonl --map m.yaml --labels a.csv --labels b.csv --draw 1 --out more-2.csv, then --labels a.csv --labels b.csv --labels more-2.csv\n")
	require.Contains(t, b.short(b.out.String()), "or try it first: confab check log.jsonl --map m.yaml --calibration calibration.yaml\n")
	b.Labels[1] = b.file(t, "b.csv", names+"p-1,wrong,0.25\np-3,fine,0.5\np-4,fine,0.5\n")
	require.NoError(t, Fit(t.Context(), &b.out, &b.errs, b.Options))
	require.Contains(t, b.out.String(), "; this log has 0 answers without one\n")
}

func TestFaultyVerdicts(t *testing.T) {
	t.Parallel()
	b := newBench(t, `{"interaction_id":"a","answer":"A."}
{"interaction_id":"b","tenant":"acme","answer":"B."}
{"interaction_id":"b","tenant":"zoo","answer":"B."}
{"interaction_id":"c","answer":"C."}
`)
	const verdicts = `interaction_id,tenant,verdict,probability
a,,wrong,
a,,fine,
b,,wrong,
b,acme,wrong,
b,acme,wrong,
b,zoo,maybe,
c,,wrong,2
,,wrong,
gone,,wrong,
short
`
	err := b.fit(t, "scores.csv", verdicts)
	require.ErrorIs(t, err, errFaultyLabels)
	require.NoFileExists(t, b.Out)
	faults := []string{
		"scores.csv:11: 1 cells where the first line has 4 names",
		`scores.csv:7: verdict "maybe": write wrong or fine, what the answer is`,
		`scores.csv:8: probability "2": expected a number from 0.000001 to 1`,
		"scores.csv:9: has no id: expected one of incident_id, interaction_id, span_id, trace_id",
		"scores.csv:3: contradicts scores.csv:2: the answer gets no label",
		"scores.csv:4: the id b is of several answers: judge single answers",
	}
	notes := []string{"1 verdicts match no answer of the log", "1 verdicts repeat another one of the answer"}
	require.Equal(t, append(notes, faults...), strings.Split(strings.TrimSpace(b.short(b.errs.String())), "\n"))
	b.Lenient = true
	require.NoError(t, b.fit(t, "scores.csv", verdicts))
	require.FileExists(t, b.Out)
	require.Equal(t, append(notes, faults...), strings.Split(strings.TrimSpace(b.short(b.errs.String())), "\n"))
	require.Contains(t, b.out.String(), "labels:    1 answers, 1 of them wrong")
}

func TestFitRefuses(t *testing.T) {
	t.Parallel()
	var many strings.Builder
	many.WriteString("trace_id,label\n")
	for i := range 200 {
		fmt.Fprintf(&many, "trace-%d,1\n", i)
	}
	for name, c := range map[string]struct{ verdicts, want string }{
		"nothing matches":  {many.String(), `0 of 200 verdicts match an answer of log.jsonl: is it the log that they are about, read with the same map and tenant? The first verdict has the id "trace-0", the first answer "a"`},
		"columns":          {"id,points\na,1\n", "scores.csv: expected a column with ids (incident_id, interaction_id, span_id, trace_id) and one with verdicts (verdict or label); its columns are id, points; labelled rows are read without a log: confab tune --labels scores.csv"},
		"nothing reviewed": {"verdict,answer,probability,interaction_id\n,A.,0.5,a\n", "scores.csv: no verdict is filled in: write wrong or fine in the column verdict"},
		"another answer":   {"verdict,incident_id,interaction_id\nwrong,00ff,a\n", `0 of 1 verdicts match an answer of log.jsonl: is it the log that they are about, read with the same map and tenant? The first verdict has the id "00ff", the first answer "a"`},
		"empty":            {" ", "scores.csv is empty"},
	} {
		b := newBench(t, `{"interaction_id":"a","answer":"A."}`)
		err := b.fit(t, "scores.csv", c.verdicts)
		require.EqualError(t, errors.New(b.short(err.Error())), c.want, name)
		_, input := errors.AsType[*console.InputError](err)
		require.True(t, input, name)
		require.NoFileExists(t, b.Out)
	}
}

// A version of other files is chosen without effect: the command must not say that it is in force.
func TestShowChoice(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]struct {
		id      string
		applied *tuning.Version
	}{
		"the calibration file is in force now":                              {"", nil},
		"v1 is in force now":                                                {"v1", &tuning.Version{ID: "v1"}},
		"v1 is chosen, but was made from another calibration file or model": {"v1", nil},
	} {
		var out bytes.Buffer
		require.NoError(t, ShowChoice(&out, &tuning.State{InForce: tuning.Choice{Version: c.id}}, c.applied))
		require.Contains(t, out.String(), want)
	}
}

// An answer that is judged in the table and in the topics counts once.
func TestRecordedAnswersCountOnce(t *testing.T) {
	t.Parallel()
	b := newBench(t, manyAnswers(1))
	f := &fitRun{o: &b.Options, errw: &b.errs}
	f.add(measure.Row{Group: "a"}, true)
	f.addRecorded([]tune.Row{{Row: measure.Row{ID: "a"}}, {Row: measure.Row{ID: "b"}}})
	require.Len(t, f.rows, 2)
	require.Equal(t, "b", f.rows[1].ID)
	require.Equal(t, "1 answers are judged in the topics, too: their verdicts in the table count\n", b.errs.String())
}

// A line of the log that comes again makes no id ambiguous; an id of two answers is, unless the tenant tells them apart.
func TestIndexOfRepeatedAnswers(t *testing.T) {
	t.Parallel()
	x := newAnswerIndex()
	for _, id := range []string{"a", "b", "a", "a"} {
		x.add(&schemas.Interaction{ID: id, Tenant: "t" + id, TraceID: "trace"})
	}
	for name, c := range map[string]struct {
		v    verdict
		want assignment
	}{
		"own id":     {verdict{ids: []string{"a"}}, taken},
		"shared":     {verdict{ids: []string{"trace"}}, severalMatches},
		"by tenant":  {verdict{ids: []string{"trace"}, tenant: "tb"}, taken},
		"no tenant":  {verdict{ids: []string{"trace"}, tenant: "tc"}, noMatch},
		"next id":    {verdict{ids: []string{"gone", "b"}}, taken},
		"unknown id": {verdict{ids: []string{"gone"}}, noMatch},
	} {
		_, got := x.find(&c.v)
		require.Equal(t, c.want, got, name)
	}
}

// Without an alert on a labelled answer the share of right ones is unknown, not 0.
func TestForecastWithoutAlerts(t *testing.T) {
	for want, right := range map[string]tune.Interval{
		"unknown: none labelled": {High: 1}, "all labelled ones": {Value: 1, Low: 1, High: 1}, "0 % (0 to 60 %)": {High: 0.6},
	} {
		require.Equal(t, want, rightAlerts(&tune.Forecast{Right: right}))
	}
}

// A further draw takes answers that have no label, and keeps the verdicts that there are, so that both tables stand for the log.
func TestDrawLeavesOutWhatIsLabelled(t *testing.T) {
	t.Parallel()
	b := newBench(t, manyAnswers(60))
	require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
	content, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	filled := fill(t, content, func(string) string { return "fine" })
	b.Labels, b.Draws = []string{b.file(t, "filled.csv", filled)}, 10
	for _, out := range []string{"more.csv", "more.html"} {
		b.Out = filepath.Join(b.folder, out)
		b.out.Reset()
		require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
		require.Contains(t, b.out.String(), "drew 10 of 20 answers without a label into ")
		require.Contains(t, b.short(b.out.String()), " --labels filled.csv --labels ")
	}
	page, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	require.Equal(t, 10, strings.Count(string(page), "<article "))
	require.Equal(t, 40, strings.Count(string(page), `<data class="labelled" value="fine"`))

	seen, total := map[string]bool{}, 0.0
	for i, row := range readTable(t, filepath.Join(b.folder, "more.csv")) {
		_, said := row.Values["verdict"]
		require.Equal(t, i >= 10, said)
		p, err := strconv.ParseFloat(row.Values["probability"], 64)
		require.NoError(t, err)
		require.Equal(t, i >= 10, p == 1)
		seen[row.Values["incident_id"]], total = true, total+1/p
	}
	require.Len(t, seen, 50)
	require.InDelta(t, 60, total, 8)

	b.Out, b.Draws = filepath.Join(b.folder, "rest.csv"), 40
	require.NoError(t, Draw(t.Context(), &b.out, &b.errs, b.Options))
	rest, err := os.ReadFile(b.Out)
	require.NoError(t, err)
	b.Labels, b.Out = append(b.Labels, b.file(t, "all.csv", fill(t, rest, func(string) string { return "fine" }))), filepath.Join(b.folder, "none.csv")
	require.ErrorContains(t, Draw(t.Context(), &b.out, &b.errs, b.Options), "all 60 answers of ")
	require.Empty(t, b.errs.String(), "an answer of two draws is no repetition")
}

// Counts are those of the log; what they say of other answers is apart.
func TestForecastCounts(t *testing.T) {
	p := &reportPrinter{report: &tune.Report{Before: tune.Forecast{Flags: tune.Interval{High: 55}, Log: tune.Counted{Answers: 44}}}}
	var said strings.Builder
	p.forecasts(&said)
	require.Regexp(t, `of these 44 +flags of 1,000 [^\n]*\nnow: +0 flagged, 0 alerting +0 \(0 to 55\) +0 \(0 to 0\) +no alert to label`, said.String())
}

// Labels of the topics may be more than the answers of the log.
func TestHelpWithLabelsOfTopics(t *testing.T) {
	t.Parallel()
	p := &reportPrinter{o: &Options{Log: new(labelled.InteractionFile), Labels: []string{"a.csv"}}, report: &tune.Report{}}
	p.report.Labels.Rows, p.report.Labels.Wrong, p.report.Before.Log.Answers = 50, 2, 45
	require.Contains(t, p.help(), "this log has 0 answers without one")
}
