package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func TestConfiguredPlaces(t *testing.T) {
	messages := []schemas.Message{
		{Role: "system", Content: paris + " BEGIN " + prices + " END"},
		{Role: "tool", Content: "Light rain in Oslo today."},
		{Role: "user", Content: "<p id=a>" + prices + "</p>\n<p id=b>" + paris + "</p> When?"},
	}
	tests := map[string]struct {
		options Options
		want    []string
		from    string
	}{
		"field":         {Options{From: FromField}, nil, "none"},
		"tool messages": {Options{From: FromToolMessages}, []string{"1|Light rain in Oslo today."}, "tool_messages"},
		"system":        {Options{From: FromSystem}, []string{"1|" + messages[0].Content}, "system"},
		"group":         {Options{From: FromPrompt, Pattern: `BEGIN (.*) END`}, []string{"1|" + prices}, "prompt"},
		"named groups":  {Options{From: FromPrompt, Pattern: `<p id=(?P<id>\w+)>(?P<text>.*)</p>`}, []string{"a|" + prices, "b|" + paris}, "prompt"},
		"no match":      {Options{From: FromPrompt, Pattern: `FIRST (.*) END`}, nil, "none"},
	}
	for name, c := range tests {
		t.Run(name, func(t *testing.T) {
			f, err := NewFinder(c.options)
			require.NoError(t, err)
			in := schemas.Interaction{Messages: append([]schemas.Message(nil), messages...)}
			f.Fill(&in)
			require.Equal(t, c.want, passages(&in))
			require.Equal(t, c.from, in.SourcesFrom)
		})
	}
}

// Beside what a pattern finds, the question is where a header says so.
func TestQuestionBesideMatches(t *testing.T) {
	f, err := NewFinder(Options{From: FromPrompt, Pattern: `--- (?P<id>E\d+) \| .*\n(?P<text>.*)`})
	require.NoError(t, err)
	in := schemas.Interaction{Messages: prompt("EXTRACTS OF THE LINE\n\n--- E1 | Crib ---\n" + paris + "\n\n=== QUESTION (44/4) ===\nWhen?")}
	f.Fill(&in)
	require.Equal(t, []string{"E1|" + paris}, passages(&in))
	require.Equal(t, "When?", in.UserQuestion())
}

// TestOwnSourcesWin: what the producer says is never mixed with what is found.
func TestOwnSourcesWin(t *testing.T) {
	found := prompt("Context:\n" + paris + "\n\nQuestion: When?")
	in := schemas.Interaction{Messages: found, Sources: []schemas.Source{{ID: "own", Text: prices}}}
	new(Finder).Fill(&in)
	require.Equal(t, []string{"own|" + prices}, passages(&in))
	require.Equal(t, schemas.SourcesFromField, in.SourcesFrom)

	in = schemas.Interaction{Messages: found, Malformed: []string{"sources"}}
	new(Finder).Fill(&in)
	require.Empty(t, in.Sources, "the producer sent sources, which could not be read")
	require.Equal(t, schemas.SourcesFromNone, in.SourcesFrom)

	in = schemas.Interaction{Messages: found, SourcesFrom: schemas.SourcesFromNone}
	new(Finder).Fill(&in)
	require.Empty(t, in.Sources, "decided before")
}
