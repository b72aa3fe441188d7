package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/llm/llmtest"
	"confab/schemas"
	schemajson "confab/schemas/json"
)

// scriptedModels answers as a sampler, a judge and a comparer. A judge and a comparer know their canaries by the number.
type scriptedModels struct {
	samples    []string
	unfaithful func(sentence string) bool // nil: every sentence is supported
	relation   func(premise, hypothesis string) string
}

var (
	fencedPart    = regexp.MustCompile(`(?s)(Answer|Statement|Premise|Hypothesis)(?: \d+)?:\n<<DATA-[a-p]+\n(.*?)\nDATA-[a-p]+>>`)
	canaryNumber  = regexp.MustCompile(`\b\d{5}\b`)
	canaryRelates = regexp.MustCompile(` exactly \d{4}\.$`)
)

func (m *scriptedModels) answer(c llmtest.Chat, i int) string {
	parts := map[string][]string{}
	for _, p := range fencedPart.FindAllStringSubmatch(c.Last(), -1) {
		parts[p[1]] = append(parts[p[1]], p[2])
	}
	var reply map[string]any
	switch system := c.Messages[0].Content; {
	case strings.HasPrefix(system, "You look"):
		faults := []any{}
		for paragraph := range strings.SplitSeq(parts["Answer"][0], "\n\n") {
			for s := range strings.SplitAfterSeq(paragraph, ". ") {
				if canaryNumber.MatchString(s) || m.unfaithful != nil && m.unfaithful(s) {
					faults = append(faults, map[string]any{"quote": s, "stance": "contradicted", "source": "1", "instead": "", "material": true, "probability": 0.9})
				}
			}
		}
		reply = map[string]any{"faults": faults}
	case strings.HasPrefix(system, "You compare"):
		var relations []any
		for k, hypothesis := range parts["Hypothesis"] {
			relation := "contradiction"
			if !canaryRelates.MatchString(hypothesis) {
				relation = m.relation(parts["Premise"][k], hypothesis)
			}
			relations = append(relations, map[string]any{"index": k, "relation": relation, "confidence": 0.9})
		}
		reply = map[string]any{"relations": relations}
	default:
		return m.samples[i%len(m.samples)]
	}
	text, _ := json.Marshal(reply)
	return string(text)
}

// checkDeep runs confab check --deep on one interaction with the server as the endpoints.
func checkDeep(t *testing.T, o llmtest.Options, interaction string, endpoints ...string) (f schemas.Flag, exit int, stderr string, server *llmtest.Server) {
	t.Helper()
	server, err := llmtest.Listen(t, o)
	require.NoError(t, err)
	args := []string{"check", "-", "--deep"}
	for _, endpoint := range endpoints {
		args = append(args, "--set", fmt.Sprintf("llm.%s.base_url=%s/v1", endpoint, server.URL), "--set", "llm."+endpoint+".model=tiny")
	}
	var out, errs bytes.Buffer
	exit = runProgram(stdStreams{in: strings.NewReader(interaction + "\n"), out: &out, err: &errs}, args, nil)
	require.NoError(t, schemajson.DecodeFlag(bytes.TrimSpace(out.Bytes()), &f), errs.String())
	return f, exit, errs.String(), server
}

func deepSignal(t *testing.T, f *schemas.Flag, detector string) schemas.Signal {
	t.Helper()
	i := slices.IndexFunc(f.Signals, func(s schemas.Signal) bool { return s.Detector == detector })
	require.GreaterOrEqual(t, i, 0, detector)
	return f.Signals[i]
}

const quota = `"prompt":"Do unused runs roll over?","sources":["Automations run at most once per minute and task. ` +
	`Unused runs expire at the end of the month. If the quota is used up, automations pause until the next month."]`

// TestJudgeDecides requires: entailment says nothing about sentences that it did not ask about,
// a judge who finds everything supported clears them, and hard evidence stands whatever the judge says, but does not page.
func TestJudgeDecides(t *testing.T) {
	entails := func(premise, hypothesis string) string {
		if strings.Contains(premise, strings.TrimSuffix(hypothesis, ".")) {
			return "entailment"
		}
		return "neutral"
	}
	for name, tt := range map[string]struct {
		answer     string
		fired      []string
		entailment schemas.Outcome
		pairs      float64 // that entailment asked about
		want       schemas.Recommendation
		unfaithful bool // the last sentence
	}{
		"a verbatim answer":             {answer: "Unused runs expire at the end of the month.", entailment: schemas.Clear, pairs: 1, want: schemas.Allow},
		"and a courtesy of other words": {answer: "Unused runs expire at the end of the month. Please wait and try again.", entailment: schemas.Clear, pairs: 1, want: schemas.Allow},
		"and one that shares a word":    {answer: "Unused runs expire at the end of the month. Please look at the month view in the web version for that.", entailment: schemas.Clear, pairs: 2, want: schemas.Allow},
		"a sentence that the judge refutes": {
			answer: "Unused runs expire at the end of the month. Customers may carry them over.", unfaithful: true,
			fired: []string{"faithfulness"}, entailment: schemas.Clear, pairs: 1, want: schemas.Recommend,
		},
		"hard evidence": {
			answer: "Unused runs do not expire at the end of the month [9].",
			fired:  []string{"citation", "facts"}, entailment: schemas.Clear, pairs: 1, want: schemas.Recommend, // the judge clears the alert alone
		},
	} {
		t.Run(name, func(t *testing.T) {
			m := &scriptedModels{relation: entails}
			if tt.unfaithful {
				m.unfaithful = func(s string) bool { return strings.Contains(s, "carry") }
			}
			f, exit, stderr, _ := checkDeep(t, llmtest.Options{Answer: m.answer}, fmt.Sprintf(`{"interaction_id":"a",%s,"answer":%q}`, quota, tt.answer), "judge")
			require.Equal(t, exitOK, exit, stderr)
			require.ElementsMatch(t, tt.fired, f.Fired)
			e := deepSignal(t, &f, "entailment")
			require.Equal(t, tt.entailment, e.Outcome, e.Reason)
			require.InDelta(t, tt.pairs, e.Measures["claims"], 0)
			require.Equal(t, tt.want, f.Recommendation)
			require.Equal(t, []string{"tiny", "faults-1"}, []string{f.JudgeModel, f.JudgePrompt})
			require.False(t, f.Alert)
			require.Equal(t, tt.want == schemas.Allow, *f.Risk < 0.4, *f.Risk)
		})
	}
}

// TestOneWitnessOfSamples requires of an answer without sources that the detectors which compare it with the same sampled
// responses are one witness, and that none fires where there is nothing to compare with.
func TestOneWitnessOfSamples(t *testing.T) {
	const lamp = `{"interaction_id":"a","prompt":"Who designed the lamp?","answer":"The lamp was designed by Neri in 1964."}`
	differ := &scriptedModels{
		samples:    []string{"The lamp was designed by Rossi in 1950.", "It was designed by Bianchi in 1971.", "The lamp was designed in 1938 by Conti."},
		unfaithful: func(string) bool { return true }, relation: func(string, string) string { return "contradiction" },
	}
	f, exit, stderr, _ := checkDeep(t, llmtest.Options{Answer: differ.answer}, lamp, "sampler", "judge")
	require.Equal(t, exitOK, exit, stderr)
	require.Equal(t, []string{"consistency", "faithfulness", "entailment"}, f.Fired)
	require.Equal(t, f.Fired, f.OneWitness())
	require.False(t, f.Alert)
	require.Equal(t, schemas.Recommend, f.Recommendation)
	require.Less(t, *f.Risk, 0.9)

	for name, samples := range map[string][]string{
		"refusals":          {"I'm sorry, but I cannot help with that."},
		"nothing":           {""},
		"one, then no more": {"", "The lamp was designed by Rossi in 1950.", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			m := *differ
			m.samples = samples
			f, exit, stderr, server := checkDeep(t, llmtest.Options{Answer: m.answer}, lamp, "sampler", "judge")
			require.Equal(t, exitOK, exit, stderr)
			require.Empty(t, f.Fired)
			require.Len(t, server.Requests(), 1, "nothing to judge")
		})
	}
	t.Run("a sampler that fails", func(t *testing.T) {
		f, exit, stderr, _ := checkDeep(t, llmtest.Options{Script: []llmtest.Reply{{Status: 401, Body: "{}", Times: -1}}}, lamp, "sampler", "judge")
		require.Equal(t, exitFailure, exit)
		require.Empty(t, f.Fired)
		require.Contains(t, stderr, "consistency: 1 of 1 answers could not be measured: chat: auth: the key is not accepted")
	})
}

// TestUnreadableReplies requires that replies which are not what was asked for fail the command, with their beginning,
// redacted, on the terminal only.
func TestUnreadableReplies(t *testing.T) {
	long := strings.Repeat("é", 500)
	answer := fmt.Sprintf(`{"interaction_id":"a",%s,"answer":"Unused runs expire at the end of the month."}`, quota)
	for name, tt := range map[string]struct {
		options llmtest.Options
		want    []string
	}{
		"other JSON": {
			llmtest.Options{Answer: func(llmtest.Chat, int) string { return `{"result":"mail jane.roe@example.org ` + long + `"}` }},
			[]string{
				`faithfulness: 1 of 1 judge replies could not be read: the judge's reply is not the JSON that was asked for: it began {"result":"mail [email] é`,
				"é…; use a model and a server that keep to a JSON schema", "entailment: 1 of 1 judge replies could not be read",
			},
		},
		"prose":             {llmtest.Options{Answer: func(llmtest.Chat, int) string { return "Sure!\x1b[31m Here it is." }}, []string{"it began Sure!"}},
		"nothing":           {llmtest.Options{Answer: func(llmtest.Chat, int) string { return "" }}, []string{"the JSON that was asked for; use"}},
		"another interface": {llmtest.Options{Script: []llmtest.Reply{{Body: `{"result":"hello"}`, Times: -1}}}, []string{`check that base_url leads to such a server: it began {"result":"hello"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			f, exit, stderr, _ := checkDeep(t, tt.options, answer, "judge")
			require.Equal(t, exitFailure, exit)
			for _, want := range tt.want {
				require.Contains(t, stderr, want)
			}
			require.Contains(t, stderr, "confab: some answers were not judged: faithfulness failed on 1 of 1")
			require.NotContains(t, stderr, "jane.roe")
			require.NotContains(t, stderr, "\x1b")
			require.LessOrEqual(t, strings.Count(stderr, "é"), 2*200)
			require.Equal(t, schemas.Failed, deepSignal(t, &f, "faithfulness").Outcome)
			require.NotContains(t, fmt.Sprint(f), "result")
		})
	}
}

// TestEvaluateShowsTheJudge requires the agreement of the judge with the labels, by kind of fault.
func TestEvaluateShowsTheJudge(t *testing.T) {
	models := scriptedModels{unfaithful: func(s string) bool { return strings.Contains(s, "roll over") }, relation: func(string, string) string { return "entailment" }}
	server, err := llmtest.Listen(t, llmtest.Options{Answer: models.answer})
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(
		`{"interaction":{"interaction_id":"a","answer":"Unused runs roll over.",`+quota+`},"label":1,"task":"qa","group":"a","meta":{"kind":"negation"}}`+"\n"+
			`{"interaction":{"interaction_id":"b","answer":"Unused runs expire at the end of the month.",`+quota+`},"label":0,"task":"qa","group":"b"}`+"\n"), 0o600))
	var out, errs bytes.Buffer
	args := []string{"evaluate", "--labels", file, "--resamples", "0"}
	judge := []string{"--deep", "--set", "llm.judge.base_url=" + server.URL + "/v1", "--set", "llm.judge.model=tiny"}
	require.Zero(t, runProgram(stdStreams{out: &out, err: &errs}, append(args, judge...), nil), errs.String())
	require.Contains(t, out.String(), "judge tiny, prompt faults-1: 2 of 2 answers judged, 1.000 as labelled")
	require.Contains(t, out.String(), "negation (1): balanced accuracy 1.000")

	require.Equal(t, 2, runProgram(stdStreams{out: &out, err: &errs}, append(args, "--deep"), nil), "without an endpoint")
	require.Contains(t, errs.String(), "--deep: no endpoint")
	require.Equal(t, 2, runProgram(stdStreams{out: &out, err: &errs}, append(append(args, judge...), "--without", "facts"), nil))
}
