package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// Results of calls are sources as those in messages of tools are, each once.
func TestResultsOfCalls(t *testing.T) {
	t.Parallel()
	const train, hotel = "The train to Ghent leaves at 9:42 from platform 7.", "The hotel at the quay has two free rooms on Friday."
	in := &schemas.Interaction{
		Messages: []schemas.Message{{Role: "user", Content: "When does my train leave?"}, {Role: "tool", Content: train}},
		Calls:    []schemas.ToolCall{{Name: "trains", Result: train}, {Name: "hotels", Result: hotel}, {Name: "book", Result: `{"ok": true}`}},
	}
	var f *Finder
	f.Fill(in)
	require.Equal(t, schemas.SourcesFromToolMessages, in.SourcesFrom)
	require.Len(t, in.Sources, 2)
	require.Equal(t, hotel, in.Sources[1].Text)

	alone := &schemas.Interaction{Calls: []schemas.ToolCall{{Name: "hotels", Result: hotel}}}
	f.Fill(alone)
	require.Len(t, alone.Sources, 1)
}
