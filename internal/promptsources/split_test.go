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
		`['` + tariff + `']`, `[{'text': '` + tariff + `', 'score': 0.5, 'metadata': None}]`,
		`[Document(metadata={'source': 'a.md', 'page': 1}, page_content='` + tariff + `')]`,
	} {
		got := fill(schemas.Source{Text: text})
		require.Len(t, got, 1, text)
		require.Equal(t, tariff, got[0].Text)
	}
	mixed := []schemas.Source{{ID: "1", Text: "It's \"open\"\n[all day]."}, {ID: "2", Text: "A dog's life (é)."}}
	require.Equal(t, mixed, fill(schemas.Source{Text: `['It\'s "open"\n[all day].', "A dog's life (é)."]`}))
	require.Equal(t, mixed, fill(schemas.Source{Text: `('It\'s "open"\n[all day].', "A dog's life (é).")`}))
	got := fill(schemas.Source{Text: "Plain."}, schemas.Source{Text: `["First passage.","Second passage."]`}, schemas.Source{Text: "Last."})
	require.Equal(t, []schemas.Source{
		{ID: "1", Text: "Plain."}, {ID: "2", Text: "First passage."}, {ID: "2", Text: "Second passage."}, {ID: "3", Text: "Last."},
	}, got)
	for _, record := range []string{`{"order":17,"total":"20.00"}`, `[{"order":17,"total":"20.00"}]`, `[1,2]`, `['a`, `['a' 'b']`, `[a()]`, `['a'])`, `{`, `[]`, `"x"`} {
		require.Equal(t, []schemas.Source{{Text: record}}, fill(schemas.Source{Text: record}), record)
	}
	both := []schemas.Source{{Text: "Plain."}, {Text: `{"order":17,"total":"20.00"}`}}
	require.Equal(t, both, fill(both...))
}

// One text that holds several passages, with numbers or rules between them, is these passages.
func TestOnlySourceIsSplit(t *testing.T) {
	const gym, towels, pool = "The gym opens at 6:00.", "Towels cost 3 EUR a piece; they are changed daily.", "The pool is closed in May."
	three := []schemas.Source{{ID: "1", Text: gym}, {ID: "2", Text: towels}, {ID: "3", Text: pool}}
	fill := func(sources ...schemas.Source) []schemas.Source {
		in := schemas.Interaction{Answer: "x", Sources: sources}
		(*Finder)(nil).Fill(&in)
		return in.Sources
	}
	for _, text := range []string{
		"[1] " + gym + "\n[2] " + towels + "\n[3] " + pool, "[1] " + gym + " [2] " + towels + " [3] " + pool,
		"Source 1: " + gym + "\n\nSource 2: " + towels + "\n\nSource 3: " + pool, gym + "\n---\n" + towels + "\n---\n" + pool, gym + " ||| " + towels + " ||| " + pool,
		gym + " || " + towels + " || " + pool, gym + "||" + towels + "||" + pool, gym + "\n||\n" + towels + "\n||\n" + pool, gym + " ;; " + towels + " ;; " + pool,
	} {
		require.Equal(t, three, fill(schemas.Source{Text: text}), text)
	}
	steps := schemas.Source{Text: "1. Open the lid of the printer and wait until the head stands still.\n2. Take the cartridge out at its grip."}
	for _, s := range []schemas.Source{
		steps,
		{Text: gym + "\n\n" + towels},
		{Text: "Use `a || b`. Or c || d."},
		{Text: "It is open where sep === '.' || 'A'. So it is."},
		{Text: "It ends with a line. || true makes it pass."},
		{Text: "In C, for (;;) { wait(); } runs on; a ;; B ends it."},
		{Text: "[4] " + gym},
		{ID: "a", Text: gym},
	} {
		require.Equal(t, []schemas.Source{s}, fill(s))
	}
	require.Equal(t, []schemas.Source{{ID: "2", Text: "[2] " + gym}, {ID: "4", Text: "[4] " + pool}}, fill(schemas.Source{Text: "[2] " + gym}, schemas.Source{Text: "[4] " + pool}))
}
