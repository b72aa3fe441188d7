package standard_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// verbatimSentences returns sentences of sources in five languages, each with its source.
func verbatimSentences(t *testing.T) (list []schemas.Interaction) {
	t.Helper()
	for _, row := range everydayRows(t) {
		if row.split != "dev" || row.Label != 0 || len(row.Interaction.Sources) == 0 || row.language == "zh" {
			continue
		}
		in := row.Interaction
		var d detectors.Document
		d.Reset(&in)
		for _, s := range d.AllSourceSentences() {
			text := d.Source(int(s.Source))[s.Start:s.End]
			if n := len(strings.Fields(text)); n >= 8 && n <= 40 && !strings.ContainsAny(text, "|{}[]<>#*\"\n?") && strings.HasSuffix(text, ".") {
				list = append(list, schemas.Interaction{ID: in.ID, Answer: text, Sources: in.Sources})
				break
			}
		}
	}
	require.NotEmpty(t, list)
	return list
}

// verbatimForms are ways to write a sentence: %s, or %j as a JSON string.
func verbatimForms() []string {
	return []string{
		"%s", "No, %s", "Yes. %s", "Hi Anna,\n\n%s", "Sure! %s", "**%s**", "- %s", "1. %s", "> %s", "| Answer |\n|---|\n| %s |", `{"answer": %j}`,
	}
}

// TestVerbatimSentencesNeverFire requires it of a sentence of a source, whatever short opening stands before it, in bold, in a list, in a
// cell of a table, and in JSON.
func TestVerbatimSentencesNeverFire(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	for _, in := range verbatimSentences(t) {
		quoted, err := json.Marshal(in.Answer)
		require.NoError(t, err)
		for _, form := range verbatimForms() {
			one := in
			one.Answer = strings.NewReplacer("%s", in.Answer, "%j", string(quoted)).Replace(form)
			if fired := firedOn(t, suite, &one); len(fired) > 0 {
				t.Errorf("%s: %v on %q", in.ID, fired, one.Answer)
			}
		}
	}
}

// TestVerbatimSentenceMovesGroundingLittle adds a sentence of a source to answers. Columns that compare the claims of an answer
// with each other, and their number, let one score in eight rise by more than .02.
func TestVerbatimSentenceMovesGroundingLittle(t *testing.T) {
	t.Parallel()
	suite := qualitySuite(t)
	grounding := func(in *schemas.Interaction) float64 {
		for _, r := range evaluateRules(t, suite, in) {
			if score, ok := r.Measured(); ok && r.Detector == "grounding" {
				return score
			}
		}
		return 0
	}
	extra := map[string]string{}
	for _, in := range verbatimSentences(t) {
		extra[in.ID] = in.Answer
	}
	var rises []float64
	for _, row := range everydayRows(t) {
		sentence, ok := extra[row.Interaction.ID]
		before := grounding(&row.Interaction)
		if !ok || before == 0 {
			continue
		}
		in := row.Interaction
		in.Answer += "\n\n" + sentence
		rises = append(rises, grounding(&in)-before)
	}
	slices.Sort(rises)
	const bound = 0.02
	over := 0
	for _, r := range rises {
		if r > bound {
			over++
		}
	}
	t.Logf("%d answers: %d rise by more than %v, most %.3f, nine of ten at most %.3f", len(rises), over, bound, rises[len(rises)-1], rises[len(rises)*9/10])
	require.LessOrEqual(t, rises[len(rises)/2], 0.001)
	require.LessOrEqual(t, float64(over), 0.2*float64(len(rises)))
}
