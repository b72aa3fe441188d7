package check

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/promptsources"
	"confab/internal/rowview"
	"confab/schemas"
)

// scoreBySource fires where the answer is not in the source: grounding with a place, and facts too if the answer has a
// figure.
func scoreBySource(_ context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag {
	f := schemas.Flag{InteractionID: strings.Clone(in.ID), Service: strings.Clone(in.Service), Origin: origin, DetectedAt: now, Fired: []string{}, Recommendation: schemas.Allow}
	signal := schemas.Signal{Detector: "grounding", Outcome: schemas.NotCheckable, Reason: "no sources"}
	if len(in.Sources) > 0 {
		signal = schemas.Signal{Detector: "grounding", Outcome: schemas.Clear, Threshold: 0.5}
	}
	if len(in.Sources) > 0 && in.Sources[0].Text != in.Answer {
		signal = schemas.Signal{
			Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.5, Reason: "the sources do not support the answer",
			Evidence: []schemas.Evidence{{Start: 0, End: len(in.Answer), SourceID: strings.Clone(in.Sources[0].ID), SourceEnd: len(in.Sources[0].Text)}},
		}
		risk := 0.5 + float64(len(in.Answer)%10)/100
		f.Fired, f.Risk = []string{"grounding"}, &risk
		f.Alert = strings.ContainsAny(in.Answer, "0123456789")
	}
	f.Signals = []schemas.Signal{signal, {Detector: "schema", Outcome: schemas.NotCheckable, Reason: "no schema"}}
	return f
}

type outcome struct {
	out, err string
	res      Result
	fault    error
}

// runCommand runs the command on an input; set changes it.
func runCommand(t *testing.T, input string, flags Flags, terminal bool, args ...string) outcome {
	t.Helper()
	var out, errs bytes.Buffer
	if flags.Only == "" {
		flags.Only = "all"
	}
	c, err := NewCommand(flags, args, &out, terminal)
	require.NoError(t, err)
	c.Printer.Color = false
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	c.Admit, c.Evaluate, c.Now = answerScorer{}.Admit, scoreBySource, func() time.Time { return now }
	c.NoAlert = func(f *schemas.Flag) string {
		if f.Alert || len(f.Fired) == 0 {
			return ""
		}
		return "no alert: too low"
	}
	ticks := 0
	c.Clock = func() time.Time { ticks++; return now.Add(time.Duration(ticks) * 400 * time.Millisecond) }
	res, err := c.Run(t.Context(), strings.NewReader(input), &out, &errs)
	return outcome{out.String(), errs.String(), res, err}
}

const fourAnswers = `{"interaction_id":"fine","answer":"Open daily.","sources":["Open daily."]}
{"interaction_id":"odd","service":"bot","answer":"Open never.","prompt":"When is it open?","sources":["Open daily, said anna@example.org."]}
{"interaction_id":"bare","answer":"Hello."}
{"interaction_id":"worst","answer":"Open since 1937.","sources":[{"id":"guide","text":"Open since 1935."}]}
`

const fourSummary = `4 records read: 4 answers, 0 unreadable; 2 flagged (50 %), 1 alert, 1 with nothing to check (25 %), in 400 ms
nothing to check: no sources 1, no schema 1
detector     fired    clear  not checkable
grounding        2        1        1  no sources 1
schema           0        0        4  no schema 4
`

func TestTerminalShowsWorstFirst(t *testing.T) {
	got := runCommand(t, fourAnswers, Flags{}, true, "four.jsonl")
	require.NoError(t, got.fault)
	require.Equal(t, fourSummary, got.err)
	require.Equal(t, `line 4  worst  grounding  alert  risk 0.56
    grounding 0.90 ≥ 0.50  the sources do not support the answer
      answer: Open since 1937.
      source guide: Open since 1935.

line 2  odd  bot  grounding  risk 0.51  no alert: too low
    question: When is it open?
    grounding 0.90 ≥ 0.50  the sources do not support the answer
      answer: Open never.
      source 1: Open daily, said [email].

line 1  fine  quiet
line 3  bare  nothing to check against
`, got.out)
}

// The summary says in how many prompts sources were found, and names the first where not.
func TestPromptsWithSourcesAreCounted(t *testing.T) {
	const lines = `{"answer":"x","sources":["y"],"messages":[{"role":"user","content":"When?"}]}
{"answer":"x","messages":[{"role":"system","content":"Context:\nIt opens daily at 9:00."},{"role":"user","content":"When?"}]}
{"answer":"x","messages":[{"role":"user","content":"Is any left?"}],"tool_calls":[{"name":"search","result":"{\"hits\":[]}"}]}
{"answer":"x","messages":[{"role":"user","content":"When?"}]}
{"answer":"x","messages":[{"role":"user","content":"Where?"}]}
`
	var errs bytes.Buffer
	o := Options{Admit: func(in *schemas.Interaction, _ schemas.Origin) { new(promptsources.Finder).Fill(in) }, Evaluate: scoreBySource, Now: time.Now, Only: SelectAll}
	res, err := Run(t.Context(), strings.NewReader(lines), nil, &errs, o)
	require.NoError(t, err)
	require.NoError(t, res.WriteSummary(&errs, "FILE"))
	require.Contains(t, errs.String(), "\n4 answers without given sources: found in the prompt of 1; not in that of line 4: if it has some, say where with sources_pattern in the file of --map or the configuration (docs/prompt-sources.md)\n")
}

func TestPipeIsShownInInputOrder(t *testing.T) {
	for _, args := range [][]string{nil, {"-"}} {
		got := runCommand(t, fourAnswers, Flags{}, true, args...)
		require.NoError(t, got.fault)
		require.Equal(t, fourSummary, got.err)
		at := -1
		for _, id := range []string{"fine", "odd", "bare", "worst"} {
			require.Greater(t, strings.Index(got.out, id), at, id)
			at = strings.Index(got.out, id)
		}
	}
}

func TestOnly(t *testing.T) {
	for only, want := range map[string][]string{"all": {"fine", "odd", "bare", "worst"}, "flagged": {"odd", "worst"}, "alerts": {"worst"}} {
		for form, o := range map[string]outcome{
			"JSON":     runCommand(t, fourAnswers, Flags{Only: only}, false, "four.jsonl"),
			"--json":   runCommand(t, fourAnswers, Flags{Only: only, JSON: true}, true, "four.jsonl"),
			"terminal": runCommand(t, fourAnswers, Flags{Only: only}, true, "four.jsonl"),
			"pipe":     runCommand(t, fourAnswers, Flags{Only: only}, true),
		} {
			require.NoError(t, o.fault)
			require.Equal(t, fourSummary, o.err, "the summary counts everything: %s", form)
			for _, id := range []string{"fine", "odd", "bare", "worst"} {
				require.Equal(t, strings.Contains(strings.Join(want, " "), id), strings.Contains(o.out, id), "%s, %s: %s", only, form, id)
			}
			require.Equal(t, form == "JSON" || form == "--json", strings.HasPrefix(o.out, `{"incident_id"`), form)
		}
	}
}

// Who asks for nothing sees flagged answers on a terminal and the number of the others; elsewhere, and in a report, all.
func TestQuietAnswersAreCounted(t *testing.T) {
	list := func(f Flags, terminal bool) string {
		var out, errs bytes.Buffer
		c, err := NewCommand(f, []string{"four.jsonl"}, &out, terminal)
		require.NoError(t, err)
		c.Printer.Color = false
		c.Admit, c.Evaluate, c.Now, c.Clock = answerScorer{}.Admit, scoreBySource, time.Now, time.Now
		_, err = c.Run(t.Context(), strings.NewReader(fourAnswers), &out, &errs)
		require.NoError(t, err)
		return out.String() + errs.String()
	}
	shown := list(Flags{}, true)
	require.Contains(t, shown, "line 4  worst")
	require.NotContains(t, shown, "line 1  fine")
	require.Contains(t, shown, "\n2 answers without a flag: --only all lists them\n")
	require.Contains(t, list(Flags{}, false), `"interaction_id":"fine"`)
	require.Contains(t, list(Flags{Only: "all"}, true), "line 1  fine")
	require.Contains(t, list(Flags{Rewrite: "remove"}, true), "line 1  fine")
	require.Contains(t, list(Flags{Report: filepath.Join(t.TempDir(), "r.html")}, true), "4 of 4 answers")
}

// All reasons why a detector could not check are counted.
func TestReasonsAreCounted(t *testing.T) {
	var r Result
	for i := range 12 {
		r.count(&checkJob{flag: schemas.Flag{Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.NotCheckable, Reason: fmt.Sprintf("reason %d", min(i/2, 4))}}}})
	}
	var b bytes.Buffer
	require.NoError(t, r.WriteSummary(&b, "FILE"))
	require.Contains(t, b.String(), "       12  reason 4 4, reason 0 2, reason 1 2, reason 2 2, and 1 more\n")
}

func TestTerminalSaysHowManyMore(t *testing.T) {
	var input strings.Builder
	for i := range 150 {
		fmt.Fprintf(&input, `{"interaction_id":"i%d","answer":"Fine.","sources":["Fine."]}`+"\n", i)
	}
	input.WriteString(`{"interaction_id":"last","answer":"Wrong.","sources":["Fine."]}` + "\n")
	got := runCommand(t, input.String(), Flags{}, true, "many.jsonl")
	require.NoError(t, got.fault)
	require.True(t, strings.HasPrefix(got.out, "line 151  last  grounding"), got.out)
	require.True(t, strings.HasSuffix(got.out, "\n… and 51 more answers: --report FILE.html shows the worst 1000, --json all\n"), got.out)
}

func TestEmptyInput(t *testing.T) {
	for _, input := range []string{"", "\n \n\r\n", "[]", "[ ]\n", "[\n]\n", "question,answer,sources\n"} {
		require.EqualError(t, runCommand(t, input, Flags{}, true, "empty.jsonl").fault, "no interactions in empty.jsonl")
		require.EqualError(t, runCommand(t, input, Flags{}, false).fault, "no interactions in standard input")
	}
}

func TestOtherFilesAreNamed(t *testing.T) {
	got := runCommand(t, "<html>", Flags{}, false, "in.json")
	require.EqualError(t, got.fault, "in.json: this is an HTML page: was a login page saved instead of the file? Expected one JSON object per line")
	require.Empty(t, got.out+got.err)
}

// Records are read from whatever holds them.
func TestFilesOfRecords(t *testing.T) {
	for _, text := range []string{"[\n{\"answer\": \"a\"},\n{\"answer\": \"b\"}]", "question,answer\nwhen,then\nwho,they\n", "{\n \"answer\": \"a\"\n}\n{\"answer\": \"b\"}"} {
		got := runCommand(t, text, Flags{}, false, "in.json")
		require.NoError(t, got.fault)
		require.Contains(t, got.err, "2 records read: 2 answers")
		require.Contains(t, got.err, " 0 unreadable")
	}
}

func TestLikeErrorsAreGrouped(t *testing.T) {
	var input strings.Builder
	for i := range 200 {
		fmt.Fprintf(&input, `{"id":"c-%d","reply":"Within 90 days of delivery."}`+"\n", i)
	}
	input.WriteString(`{"answer":` + "\n" + `{"answer":"fine"}` + "\n")
	got := runCommand(t, input.String(), Flags{}, false, "in.jsonl")
	require.NoError(t, got.fault)
	require.ErrorIs(t, got.res.Err(), ErrBadLines)
	require.EqualError(t, got.res.Err(), "some lines could not be read: 201 of 202")
	require.True(t, strings.HasPrefix(got.err, "hint: confab map in.jsonl proposes a map for such records\nline 1: missing_answer"), got.err)
	require.Equal(t, 3, strings.Count(got.err, ": missing_answer in answer at byte"))
	require.NotContains(t, got.err, "line 4: ")
	require.Contains(t, got.err, "line 201: syntax")
	require.Contains(t, got.err, "… and 197 more lines like this: missing_answer in answer")
	require.Contains(t, got.err, "202 records read: 1 answer, 201 unreadable; 0 flagged, 0 alerts, 1 with nothing to check (100 %), in 400 ms\n")
}

func TestReportIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	got := runCommand(t, fourAnswers, Flags{Report: path}, true, "four.jsonl")
	require.NoError(t, got.fault)
	require.Empty(t, got.out, "the rows are in the report")
	require.Regexp(t, `^report: .*report\.html, 4 of 4 answers, \d+ kB\n4 records read`, got.err)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Less(t, bytes.Index(page, []byte(`>worst</h2>`)), bytes.Index(page, []byte(`>odd</h2>`)))
	require.NotContains(t, string(page), "anna@example.org")

	piped := runCommand(t, fourAnswers, Flags{Report: path, Only: "flagged"}, false, "four.jsonl")
	require.NoError(t, piped.fault)
	require.Empty(t, piped.out, "the report was asked for")
	require.Contains(t, piped.err, "2 of 2 answers")
	both := runCommand(t, fourAnswers, Flags{Report: path, Only: "flagged", JSON: true}, false, "four.jsonl")
	require.Equal(t, 2, strings.Count(both.out, "\n"), "and flags, too")
}

func TestNoReportOfAFailedRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "report.html")
	require.Error(t, runCommand(t, "", Flags{Report: path}, true, "empty.jsonl").fault)
	require.NoFileExists(t, path)
	require.NoError(t, os.WriteFile(path, []byte("older"), 0o600))
	require.NotZero(t, runCommand(t, "no record\n", Flags{Report: path}, true, "log.txt").res.Bad)
	page, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, "older", string(page), "nothing was read")
}

// An agent's call of a tool is no answer: the answer after it has the call.
func TestStepsAreNoAnswers(t *testing.T) {
	const run = `{"thread_id":"t","role":"user","content":"Book it."}
{"thread_id":"t","role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"book","arguments":"{}"}}]}
{"thread_id":"t","role":"tool","tool_call_id":"c","content":"{\"ok\":true}"}
{"thread_id":"t","role":"assistant","content":"It is booked."}
`
	got := runCommand(t, run, Flags{}, true, "agent.jsonl")
	require.NoError(t, got.fault)
	require.Contains(t, got.err, "4 records read: 1 answer, 3 without a model's answer, 0 unreadable")
}

func TestCommandLineFaults(t *testing.T) {
	dir := t.TempDir()
	input := filepath.Join(dir, "in.jsonl")
	require.NoError(t, os.WriteFile(input, nil, 0o600))
	for want, f := range map[string]Flags{
		`--only "fired": expected all, flagged or alerts`:                                           {Only: "fired"},
		"--report: the report is a page for a browser: name a file, such as report.html":            {Only: "all", Report: "-"},
		"--report: " + input + " is the input: name another file":                                   {Only: "all", Report: filepath.Join(dir, ".", "in.jsonl")},
		"--report: " + dir + " cannot be written: it is a folder; name a file in it":                {Only: "all", Report: dir},
		"--report: " + dir + "/no/x.html cannot be written: create the folder " + dir + "/no first": {Only: "all", Report: dir + "/no/x.html"},
	} {
		_, err := NewCommand(f, []string{input}, nil, true)
		require.EqualError(t, err, want)
	}
}

// What explains the unchecked lines comes first, not what no line has.
func TestReasonsExplain(t *testing.T) {
	signals := func(reasons ...string) (list []schemas.Signal) {
		for _, r := range reasons {
			list = append(list, schemas.Signal{Outcome: schemas.NotCheckable, Reason: r})
		}
		return list
	}
	var res Result
	for range 30 {
		res.count(&checkJob{class: rowview.Quiet, flag: schemas.Flag{Signals: signals("no logprobs", "no citations", "no logprobs")}})
	}
	for range 10 {
		res.count(&checkJob{class: rowview.Unchecked, flag: schemas.Flag{Signals: signals("no logprobs", "no citations", "no sources", "no sources")}})
	}
	require.Equal(t, []string{"no sources", "no logprobs", "no citations"}, res.explain())
	require.Equal(t, 10, res.Reasons.n["no sources"], "once per line")
}

func TestShares(t *testing.T) {
	for want, n := range map[string][2]int{"": {0, 10}, " (50 %)": {1, 2}, " (33.3 %)": {1, 3}, " (< 0.1 %)": {1, 100_000}, " (100 %)": {3, 3}} {
		require.Equal(t, want, share(n[0], n[1]))
	}
	for want, d := range map[string]time.Duration{"0 ms": 0, "999 ms": 999 * time.Millisecond, "1.5 s": 1500 * time.Millisecond, "1m5s": 65*time.Second + 3} {
		require.Equal(t, want, formatElapsed(d))
	}
}
