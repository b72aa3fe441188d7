package negatives

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 7)) }

// testCorpus has three rows in three groups.
func testCorpus() []schemas.Labelled {
	row := func(group, answer string, sources ...string) schemas.Labelled {
		r := schemas.Labelled{Group: group, Labelled: true, Interaction: schemas.Interaction{ID: group, Answer: answer}}
		for _, s := range sources {
			r.Interaction.Sources = append(r.Interaction.Sources, schemas.Source{Text: s})
		}
		return r
	}
	return []schemas.Labelled{
		row(
			"mill",
			"The old mill in Ottersby opened on 12 May 1871 and employed 48 workers. Anna Brandt sold it to Peter Holm in 1902. It does not sell flour today.",
			"The mill of Ottersby was opened on 12 May 1871. It had 48 workers. In 1902 the owner Anna Brandt sold the building to Peter Holm. Flour is no longer sold there. In 1915 it had 63 workers.",
		),
		row(
			"clinic",
			"Patients should take two tablets every morning. Doctor Miriam Falk recommends the tablets before breakfast, and the effective dose is 25 mg.",
			"Take two tablets each morning before breakfast. The effective dose is 25 mg, says Doctor Miriam Falk of the Lindner Clinic.",
		),
		row(
			"ferry",
			"The ferry from Sandvik leaves at 9:30 on Mondays. Tickets are cheaper online, the ferry line says, and children travel free.",
			"On Monday the ferry leaves Sandvik at 9:30. Online tickets are cheaper. Children under 6 travel free with Captain Erik Lund.",
		),
	}
}

func TestEdits(t *testing.T) {
	rows := testCorpus()
	pool := NewPool(rows)
	seen := map[Kind]int{}
	for seed := range uint64(100) {
		for i := range rows {
			row := &rows[i]
			kinds := map[Kind]bool{}
			for _, e := range FaultyEdits(newRandom(seed), row, pool) {
				requireOneChange(t, row.Interaction.Answer, e)
				require.False(t, kinds[e.Kind], "two edits of kind %s", e.Kind)
				kinds[e.Kind] = true
				seen[e.Kind]++
			}
		}
	}
	for _, kind := range Faults() {
		require.NotZero(t, seen[kind], kind)
	}
}

// requireOneChange asserts that the answer differs from the old one within the span, and only there.
func requireOneChange(t *testing.T, old string, e Edit) {
	t.Helper()
	require.NotEqual(t, old, e.Answer, e.Kind)
	require.LessOrEqual(t, 0, e.Start)
	require.Less(t, e.Start, e.End, "a fault has a place")
	require.LessOrEqual(t, e.End, len(e.Answer))
	require.True(t, utf8.ValidString(e.Answer))
	require.True(t, strings.HasPrefix(old, strings.TrimRight(e.Answer[:e.Start], " ")), "%s: %q", e.Kind, e.Answer)
	require.True(t, strings.HasSuffix(old, e.Answer[e.End:]), "%s: %q", e.Kind, e.Answer)
}

func TestEditsAreDeterministic(t *testing.T) {
	rows := testCorpus()
	first, again := NewPool(rows), NewPool(testCorpus())
	for seed := range uint64(20) {
		require.Equal(t, Rows(newRandom(seed), &rows[0], first, DefaultOptions()), Rows(newRandom(seed), &rows[0], again, DefaultOptions()))
	}
	require.NotEqual(t, Rows(newRandom(1), &rows[0], first, DefaultOptions()), Rows(newRandom(2), &rows[0], first, DefaultOptions()))
}

func TestBadAnswersAreNotEdited(t *testing.T) {
	rows := testCorpus()
	rows[0].Label = 1
	pool := NewPool(rows)
	require.Empty(t, FaultyEdits(newRandom(1), &rows[0], pool))
	require.Empty(t, PreservingEdits(newRandom(1), &rows[0]))
	for _, row := range Rows(newRandom(1), &rows[0], pool, DefaultOptions()) {
		require.NotContains(t, row.Interaction.Answer, "old mill", "its answer is used for nothing, its sources are")
	}
}

// TestOwnGroupIsNotUsed has two rows of one group and no other: there is no text to insert.
func TestOwnGroupIsNotUsed(t *testing.T) {
	rows := testCorpus()[:2]
	rows[1].Group = rows[0].Group
	pool := NewPool(rows)
	for seed := range uint64(100) {
		for _, e := range FaultyEdits(newRandom(seed), &rows[0], pool) {
			require.NotEqual(t, Foreign, e.Kind)
			require.NotContains(t, e.Answer, "Falk")
		}
	}
}

func TestRowsWithoutGroupAreGroupsOfTheirOwn(t *testing.T) {
	rows := testCorpus()
	for i := range rows {
		rows[i].Group = ""
	}
	pool := NewPool(rows)
	kinds := map[Kind]bool{}
	for seed := range uint64(20) {
		for _, e := range FaultyEdits(newRandom(seed), &rows[0], pool) {
			kinds[e.Kind] = true
		}
	}
	require.True(t, kinds[Foreign])
}

// kindsOf are the kinds of faults that an answer can get.
func kindsOf(answer string) map[Kind]bool {
	rows := append(testCorpus(), schemas.Labelled{Group: "own", Interaction: schemas.Interaction{Answer: answer}})
	pool := NewPool(rows)
	kinds := map[Kind]bool{}
	for seed := range uint64(50) {
		for _, e := range FaultyEdits(newRandom(seed), &rows[3], pool) {
			kinds[e.Kind] = true
		}
	}
	return kinds
}

func TestTextsWithoutClaimsAreNotEdited(t *testing.T) {
	for _, answer := range []string{
		"", " \n", "Which two trains leave in May?", "Unable to answer based on the 3 passages.",
		"I'm sorry, the passages do not mention it.", "```\nreturn 5 // not two\n```",
	} {
		require.Empty(t, kindsOf(answer), answer)
	}
	require.False(t, kindsOf("1. Open the valve before you start the pump.\n2. Close the valve when the pump has stopped.")[Figure], "list numbers")
	require.False(t, kindsOf("According to passage 2, the pump stops when the valve is closed.")[Figure], "numbers of sources")
	require.False(t, kindsOf("The pump stops when the valve is closed [2].")[Figure], "citation markers")
}

func TestPoolKeepsBadAnswersOut(t *testing.T) {
	rows := testCorpus()
	rows[1].Label, rows[1].Interaction.Sources = 1, nil
	pool := NewPool(rows)
	for _, s := range pool.sentences {
		require.NotEqual(t, "clinic", s.group)
	}
	require.NotEmpty(t, pool.sentences)
}

func FuzzEdits(f *testing.F) {
	for _, row := range testCorpus() {
		f.Add(row.Interaction.Answer, row.Interaction.Sources[0].Text, uint64(1))
	}
	f.Add("Es öffnet um 9:30. ١٢٣ Äpfel, 5. Straße's U.S.'s", "{\"a\": 1}", uint64(2))
	pool := NewPool(testCorpus())
	f.Fuzz(func(t *testing.T, answer, source string, seed uint64) {
		if !utf8.ValidString(answer) {
			t.Skip("no decoder lets it through")
		}
		row := schemas.Labelled{Interaction: schemas.Interaction{Answer: answer, Sources: []schemas.Source{{Text: source}}}}
		for _, e := range FaultyEdits(newRandom(seed), &row, pool) {
			requireOneChange(t, answer, e)
		}
		for _, e := range PreservingEdits(newRandom(seed), &row) {
			require.LessOrEqual(t, e.Start, e.End)
			require.LessOrEqual(t, e.End, len(e.Answer))
		}
		for _, r := range Rows(newRandom(seed), &row, pool, DefaultOptions()) {
			require.Len(t, r.Spans, r.Label)
		}
	})
}

// Tokens of scripts without word boundaries overlap.
func TestEditsOfOverlappingTokens(t *testing.T) {
	t.Parallel()
	rows := testCorpus()
	rows[0].Interaction.Answer = "The exhibit 日本の古い水車小屋, built in 1871, employed 48 workers from 大阪市立 Ottersby."
	pool := NewPool(rows)
	for seed := range uint64(50) {
		for _, e := range FaultyEdits(newRandom(seed), &rows[0], pool) {
			require.True(t, utf8.ValidString(e.Answer), e.Answer)
		}
		for _, e := range PreservingEdits(newRandom(seed), &rows[0]) {
			require.True(t, utf8.ValidString(e.Answer), e.Answer)
		}
	}
}
