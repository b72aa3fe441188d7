package console

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"confab/internal/rowview"
	"confab/schemas"
)

func evidenceRow(answer, source string) *rowview.Row {
	risk := 0.9
	e := schemas.Evidence{Start: 0, End: len(answer), SourceID: source, SourceEnd: len(source), Citation: source, Note: source, SourceSays: source}
	return rowview.New(&schemas.Interaction{Answer: answer, Messages: []schemas.Message{{Content: answer}}, Sources: []schemas.Source{{ID: source, Text: source}}}, &schemas.Flag{
		InteractionID: answer, Service: answer, Model: answer, Risk: &risk, Fired: []string{"facts"}, Alert: true,
		Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Reason: answer, Evidence: []schemas.Evidence{e, e, e}}},
	}, nil)
}

func TestRowShowsControlCharacters(t *testing.T) {
	const evil = "\x1b[31mred\x1b[0m \u202eback \u200bwide\r\nforged line \a"
	var out bytes.Buffer
	require.NoError(t, FlagPrinter{W: &out}.Row(evidenceRow(evil, evil)))
	require.Contains(t, out.String(), "answer: [U+001B][31mred[U+001B][0m [U+202E]back wide")
	for _, r := range out.String() {
		require.True(t, unicode.IsPrint(r) || r == '\n', "%q in %q", r, out.String())
	}
	require.NotContains(t, out.String(), "\nforged")
}

// Texts are wrapped below each other; colors do not count as columns.
func TestRowIsWrapped(t *testing.T) {
	r := evidenceRow(strings.Repeat("many words of an answer ", 8), strings.Repeat("many words of a source ", 8))
	r.ID, r.Service, r.Model, r.SourcesFrom = "i", "", "", schemas.SourcesFromToolMessages
	var plain, colored bytes.Buffer
	require.NoError(t, FlagPrinter{W: &plain}.Row(r))
	require.NoError(t, FlagPrinter{W: &colored, Color: true}.Row(r))
	for line := range strings.Lines(plain.String()) {
		if !strings.Contains(line, "≥") { // the reason is one line
			require.LessOrEqual(t, len([]rune(line)), rowColumns+3, line) // two more of indent, and the line break
		}
	}
	require.Contains(t, plain.String(), "\n    sources from tool messages\n")
	require.Contains(t, plain.String(), "\n      answer: many words of an answer many")
	require.Contains(t, plain.String(), "\n      … and 1 more of facts\n")
	require.Contains(t, colored.String(), "\x1b[91mfacts\x1b[0m  alert  risk 0.90")
	require.Contains(t, colored.String(), "answer: \x1b[33mmany words")
	require.Contains(t, colored.String(), "\x1b[36mmany words of a")
	require.NotContains(t, plain.String(), "\x1b")
}

// What the source says is shown in place of a note that repeats it.
func TestRowShowsTheSource(t *testing.T) {
	r := evidenceRow("It is 12 km long.", "It is 15 km long.")
	r.Findings = r.Findings[:1]
	for note, shown := range map[string]bool{"12 km; the source has 15 km": false, `the source says "15 km"`: false, "another note": true} {
		var out bytes.Buffer
		r.Findings[0].Note, r.Findings[0].Says = note, "15 km"
		require.NoError(t, FlagPrinter{W: &out}.Row(r))
		require.Contains(t, out.String(), "\n      source says: 15 km\n")
		require.Equal(t, shown, strings.Contains(out.String(), note), note)
	}
}

// A row says why it is no alert although enough detectors fired.
func TestRowSaysWhyThereIsNoAlert(t *testing.T) {
	r := evidenceRow("a", "b")
	r.Rank.Class, r.NoAlert = rowview.Flagged, "no alert: risk 0.90 below the minimum 0.95"
	var out bytes.Buffer
	require.NoError(t, FlagPrinter{W: &out}.Row(r))
	require.Contains(t, out.String(), "facts  risk 0.90  no alert: risk 0.90 below the minimum 0.95\n")
}
