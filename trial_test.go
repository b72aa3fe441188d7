package confab_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// trialRow is an invented answer of testdata/trial.jsonl, written without a look at the detectors. Label 1 is a faulty answer.
type trialRow struct {
	schemas.Labelled

	Meta struct {
		Fires      string // the detector that must fire
		Limit      string // why the outcome is not the right one; see "Limits of rules" in docs/errors.md
		Unmeasured string // set: nothing can be measured, so the risk is null
	}
}

func trialRows(t *testing.T) []*trialRow {
	t.Helper()
	content, err := os.ReadFile("testdata/trial.jsonl")
	require.NoError(t, err)
	var rows []*trialRow
	for line := range bytes.Lines(content) {
		row := &trialRow{}
		require.NoError(t, json.Unmarshal(line, &struct{ Meta any }{&row.Meta}))
		require.NoError(t, schemasjson.DecodeLabelled(line, &row.Labelled))
		rows = append(rows, row)
	}
	return rows
}

// explainer evaluates as "confab check --explain".
func explainer(t *testing.T) *confab.Evaluator {
	t.Helper()
	e, err := confab.New(confab.Options{Suite: detectors.Options{Explain: true}}, confab.Tuning{})
	require.NoError(t, err)
	return e
}

// TestTrial requires that right answers do not alert, and that most faulty ones without a limit are flagged.
func TestTrial(t *testing.T) {
	t.Parallel()
	e := explainer(t)
	var missed, alarms []string
	rows, limits := trialRows(t), 0
	for _, row := range rows {
		in := &row.Interaction
		f, err := e.Check(t.Context(), in)
		require.NoError(t, err)
		requireConsistent(t, in, &f)
		switch {
		case row.Meta.Limit != "":
			limits++
			continue
		case row.Label == 0 && f.Alert:
			alarms = append(alarms, in.ID)
		case row.Label == 1 && f.Recommendation == schemas.Allow:
			missed = append(missed, in.ID)
		}
		if row.Meta.Fires != "" {
			require.Contains(t, f.Fired, row.Meta.Fires, in.ID)
		}
		if row.Meta.Unmeasured != "" {
			require.Nil(t, f.Risk, in.ID)
		}
	}
	require.GreaterOrEqual(t, len(rows), 500)
	require.LessOrEqual(t, limits, 20)
	require.LessOrEqual(t, len(missed), len(rows)/7, "faulty answers that nothing flags: %v", missed)
	require.LessOrEqual(t, len(alarms), len(rows)/100, "right answers that alert: %v", alarms)
}

// TestTrialOfOddTexts requires consistent flags of texts that are empty, huge, in several scripts, or no text at all.
func TestTrialOfOddTexts(t *testing.T) {
	t.Parallel()
	e := explainer(t)
	source := "The Alder Museum is open from Tuesday to Sunday. Tickets cost 14 euros, students pay 9 euros. The garden is free."
	for name, c := range map[string]struct{ answer, source string }{
		"replacement characters": {strings.Repeat("\uFFFD\x01\x02\x7f", 50), source},
		"base64":                 {strings.Repeat("iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4", 40), source},
		"combining marks":        {strings.Repeat("T\u0301\u0302\u0303\u0304", 2000) + " The garden is free.", source},
		"repeated":               {strings.Repeat("The garden is free. ", 3000), source},
		"brackets":               {strings.Repeat("[", 5000) + strings.Repeat("]", 5000), source},
		"deep JSON":              {strings.Repeat(`{"a":`, 3000) + "1" + strings.Repeat("}", 3000), source},
		"right to left mark":     {"\u202EThe garden is free.\u202C", source},
		"scripts":                {"博物馆 The Alder Museum открыт from Tuesday bis Sonntag です。", source},
		"zeros in the source":    {"The garden is free.", strings.Repeat("\x00", 1000) + source},
		"rows of bars":           {strings.Repeat("|", 4000) + "\n" + strings.Repeat("|-", 2000) + "\n| 14 | 9 |", source},
		"table without a head":   {"| 14 |\n| 9 |", "| a |\n|---|\n| 14 |"},
		"table in a table":       {strings.Repeat("| a | 14 |\n|---|---|\n", 300) + "| b | 9 |", "| a | b |\n|---|---|\n| 14 | 9 |"},
		"quotation marks":        {strings.Repeat(`"a b c d," the sailor said. `, 300), strings.Repeat(`the cook said "a b c d". `, 300)},
	} {
		t.Run(name, func(t *testing.T) {
			in := &schemas.Interaction{Answer: c.answer, Sources: []schemas.Source{{ID: "1", Text: c.source}}, Temperature: schemas.UnknownTemperature}
			f, err := e.Check(t.Context(), in)
			require.NoError(t, err)
			requireConsistent(t, in, &f)
		})
	}
}

// requireConsistent requires what holds for every flag: the recommendation agrees with the alert, the risk is null only where
// nothing was measured, and evidence quotes the answer and the source at its places.
func requireConsistent(t *testing.T, in *schemas.Interaction, f *schemas.Flag) {
	t.Helper()
	require.False(t, f.Recommendation == schemas.Block && !f.Alert, "%s: block without an alert", in.ID)
	require.False(t, f.Recommendation == schemas.Allow && f.Alert, "%s: an alert is allowed", in.ID)
	measured := false
	for _, s := range f.Signals {
		require.NotEqual(t, schemas.Failed, s.Outcome, "%s: %s: %s", in.ID, s.Detector, s.Reason)
		measured = measured || s.Outcome == schemas.Fired || s.Outcome == schemas.Clear
		for i := range s.Evidence {
			requireQuotes(t, in, &s.Evidence[i])
		}
	}
	require.Equal(t, measured, f.Risk != nil, "%s: risk", in.ID)
}

func requireQuotes(t *testing.T, in *schemas.Interaction, e *schemas.Evidence) {
	t.Helper()
	if e.Excerpt != "" && e.Start >= 0 {
		requireParts(t, in.ID+": excerpt", in.Answer[e.Start:e.End], e.Excerpt)
	}
	if len(in.Sources) == 0 {
		return // those of its messages
	}
	if e.SourceNumber == 0 {
		require.Empty(t, e.SourceExcerpt, in.ID)
		return
	}
	source := in.Sources[e.SourceNumber-1].Text
	require.True(t, utf8.ValidString(source[e.SourceStart:max(e.SourceStart, e.SourceEnd)]), in.ID)
	requireParts(t, in.ID+": source excerpt", source, e.SourceExcerpt)
	require.LessOrEqual(t, utf8.RuneCountInString(e.SourceExcerpt), 170, in.ID)
	requireParts(t, in.ID+": source says", source, e.SourceSays)
}

// quoteJoint stands between the parts of a quotation that are next to each other in the text quoted: what was left out, masked,
// or set between a key and its value.
var quoteJoint = regexp.MustCompile(`\.\.\.|…|\[[a-z]+\]|"`)

func requireParts(t *testing.T, what, text, quoted string) {
	t.Helper()
	flat := strings.Join(strings.Fields(text), " ")
	for _, part := range quoteJoint.Split(quoted, -1) {
		part = strings.Join(strings.Fields(part), " ")
		require.True(t, strings.Contains(flat, part) || slices.Contains([]string{"", ":"}, part), "%s: %q is not in %q", what, part, text)
	}
}
