package promptsources

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// Sources that are JSON around passages are these passages; records stay records.
func TestSourcesOfJSONAreSplit(t *testing.T) {
	const tariff = "The Albin tariff can be left after 3 months."
	fill := func(sources ...schemas.Source) []schemas.Source {
		in := schemas.Interaction{Answer: "x", Sources: sources, SourcesFrom: schemas.SourcesFromRetriever}
		(*Finder)(nil).Fill(&in)
		return in.Sources
	}
	for _, text := range []string{
		`[{"content":"` + tariff + `"}]`, `[{"type":"text","text":"` + tariff + `"}]`, `["` + tariff + `"]`, `{"results":[{"snippet":"` + tariff + `"}]}`,
		`[{"page_content":"` + tariff + `","metadata":{"n":1}}]`,
	} {
		got := fill(schemas.Source{Text: text})
		require.Len(t, got, 1, text)
		require.Equal(t, tariff, got[0].Text)
	}
	got := fill(schemas.Source{Text: "Plain."}, schemas.Source{Text: `["First passage.","Second passage."]`}, schemas.Source{Text: "Last."})
	require.Equal(t, []schemas.Source{
		{ID: "1", Text: "Plain."}, {ID: "2", Text: "First passage."}, {ID: "2", Text: "Second passage."}, {ID: "3", Text: "Last."},
	}, got)
	for _, record := range []string{`{"order":17,"total":"20.00"}`, `[{"order":17,"total":"20.00"}]`, `[1,2]`, `{`, `[]`, `"x"`} {
		require.Equal(t, []schemas.Source{{Text: record}}, fill(schemas.Source{Text: record}), record)
	}
	both := []schemas.Source{{Text: "Plain."}, {Text: `{"order":17,"total":"20.00"}`}}
	require.Equal(t, both, fill(both...))
}
