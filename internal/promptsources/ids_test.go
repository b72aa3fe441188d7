package promptsources

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// The id before a passage is its id if the answer has the beginning of one. It stays in the text.
func TestIDsBeforePassages(t *testing.T) {
	t.Parallel()
	fill := func(in schemas.Interaction) (ids []string) {
		(*Finder)(nil).Fill(&in)
		for _, s := range in.Sources {
			ids = append(ids, s.ID)
		}
		return ids
	}
	const cites, counts = "It leaves at 7:40 [kb-99].", "It leaves at 7:40 [1]."
	cite := func(id string) string { return "It leaves at 7:40 [" + id[:3] + "99]." }
	for form, joined := range map[string]bool{
		"[%s] %s": true, "(%s) %s": true, "**[%s]** %s": true, "- [%s] %s": true, "[id: %s] %s": true, "【%s】 %s": true, "%s: %s": true,
		"Source %s: %s": true, "Source: %s\n%s": true, "Document %s (ferries)\n%s": true, "ID: %s\nText: %s": true, "[%s]\n%s": true,
		"### %s Ferries\n%s": true, "=== %s | Ferries ===\n%s": true, `<doc id="%s">%s</doc>`: false,
	} {
		for _, ids := range [][]string{{"kb-17", "kb-18"}, {"P-14099", "P-11388"}, {"KB-2024-001", "KB-2024-107"}} {
			text := fmt.Sprintf(form, ids[0], paris) + "\n\n" + fmt.Sprintf(form, ids[1], prices)
			if form[0] == '=' && ids[0][0] == 'K' {
				continue
			}
			require.Equal(t, ids, fill(schemas.Interaction{Answer: cite(ids[0]), Messages: persona("Answer from the texts.\n\nContext:\n" + text)}), text)
			require.Equal(t, ids, fill(schemas.Interaction{Answer: cite(ids[0]), Messages: prompt("Context:\n" + text + "\n\nQuestion: When does it leave?")}), text)
			if joined {
				require.Equal(t, ids, fill(schemas.Interaction{Answer: cite(ids[0]), Sources: []schemas.Source{{Text: text}}}), text)
			}
		}
	}
	require.Equal(t, []string{"kb-17"}, fill(schemas.Interaction{Answer: cites, Messages: persona("Context:\n[kb-17] " + paris)}))
	require.Equal(t, []string{"kb-17"}, fill(schemas.Interaction{Answer: cites, Messages: persona("Context:\nSource kb-17: " + paris)}))
	require.Equal(t, []string{"kb-17", "kb-18"}, fill(schemas.Interaction{Answer: cites, Sources: []schemas.Source{{Text: "[kb-17] " + paris}, {Text: "[kb-18] " + prices}}}))
	for _, form := range []string{"[Note] %s", "[Fare rules v7 §2] %s", "[2024-05-01] %s", "[12/03] %s", "10:30: %s", "2024-05-01: %s", "X-1 | %s"} {
		text := fmt.Sprintf(form, paris) + "\n" + fmt.Sprintf(form, prices)
		require.Equal(t, []string{"1"}, fill(schemas.Interaction{Answer: cites, Messages: persona("Context:\n" + text)}), text)
	}
	clauses := schemas.Source{Text: "(R-1) " + paris + "\n(R-2) " + prices}
	require.Equal(t, []string{""}, fill(schemas.Interaction{Answer: counts, Sources: []schemas.Source{clauses}}), "[1] is the whole text")
	clauses.ID = "rules"
	require.Equal(t, []string{"rules"}, fill(schemas.Interaction{Answer: cites, Sources: []schemas.Source{clauses}}))
	nested := "Context:\n[kb-17] " + paris + "\n- [P-1] " + prices + "\n[kb-18] " + prices
	require.Equal(t, []string{"kb-17", "kb-18"}, fill(schemas.Interaction{Answer: cites, Messages: persona(nested)}), "a list inside a passage")
	rows := "Context:\nX-100: 5 GB\nX-200: 6 GB\nX-300: 9 GB, the largest one"
	require.Equal(t, []string{"1"}, fill(schemas.Interaction{Answer: cites, Messages: persona(rows)}), "a table")
}

// Results of tools name their id in other members, too.
func TestIDsOfResults(t *testing.T) {
	t.Parallel()
	for member, want := range map[string]string{
		`"id":"KB-417"`: "KB-417", `"doc":"KB-417"`: "KB-417", `"source":"KB-417"`: "KB-417", `"article":"KB-417"`: "KB-417", `"ref":"KB-417"`: "KB-417",
		`"key":"KB-417"`: "KB-417", `"kb":"KB-417"`: "KB-417", `"kb":"KB-417","updated":"2024-01-02"`: "KB-417", `"source":"Help centre"`: "1",
		`"doc":"KB-417","id":"a"`: "a", `"source":null`: "1",
	} {
		in := schemas.Interaction{Answer: "x", Messages: results(`[{` + member + `,"text":"` + paris + `"}]`)}
		(*Finder)(nil).Fill(&in)
		require.Equal(t, want, in.Sources[0].ID, member)
	}
}
