package citations

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// noLimit counts work without a limit.
type noLimit struct{ spent int }

func (w *noLimit) Spend(n int) bool { w.spent += n; return true }
func (*noLimit) Ended() string      { return "" }

// formatMarkers renders the markers of an answer as "text→labels", unknown ones with a question mark.
func formatMarkers(answer string, ids ...string) []string {
	var sources []schemas.Source
	for _, id := range ids {
		sources = append(sources, schemas.Source{ID: id, Text: "A source of a few words."})
	}
	return markersOf(answer, sources)
}

func markersOf(answer string, sources []schemas.Source) []string {
	var c Markers
	c.Read(Input{Answer: answer, Sources: sources, Measured: len(sources), Work: &noLimit{}})
	found := []string{}
	for _, m := range c.List {
		labels := []string{}
		for _, r := range c.References[m.First:m.Last] {
			label := r.Label
			if r.Source == UnknownSource {
				label += "?"
			}
			labels = append(labels, label)
		}
		found = append(found, answer[m.Start:m.End]+"→"+strings.Join(labels, " "))
	}
	return found
}

func TestMarkers(t *testing.T) {
	t.Parallel()
	five := []string{"a", "b", "c", "d", "e"}
	tests := map[string]struct {
		answer string
		ids    []string
		want   []string
	}{
		"one":                        {"A fact [1].", five, []string{"[1]→1"}},
		"list":                       {"A fact [1, 3].", five, []string{"[1, 3]→1 3"}},
		"list with semicolons":       {"A fact [1;3].", five, []string{"[1;3]→1 3"}},
		"range":                      {"A fact [2-4].", five, []string{"[2-4]→2 3 4"}},
		"range with an en dash":      {"A fact [2–4].", five, []string{"[2–4]→2 3 4"}},
		"list and range":             {"A fact [1, 3-4].", five, []string{"[1, 3-4]→1 3 4"}},
		"several":                    {"A fact [1][2] [3].", five, []string{"[1]→1", "[2]→2", "[3]→3"}},
		"footnote":                   {"A fact.[^1]", five, []string{"[^1]→1"}},
		"unknown footnote":           {"A fact.[^note]", five, []string{"[^note]→note?"}},
		"lenticular":                 {"A fact【1†source】.", five, []string{"【1†source】→1"}},
		"lenticular with a position": {"A fact【4:2†source】.", five, []string{"【4:2†source】→4:2"}},
		"lenticular id with a colon": {"A fact【4:2†source】.", []string{"4:2"}, []string{"【4:2†source】→4:2"}},
		"lenticular heading":         {"【重要】 A fact.", five, []string{}},
		"source":                     {"A fact (source: b).", five, []string{"(source: b)→b"}},
		"sources":                    {"A fact (Sources: b, c).", five, []string{"(Sources: b, c)→b c"}},
		"source in german":           {"Ein Fakt (Quelle: b).", five, []string{"(Quelle: b)→b"}},
		"source in french":           {"Un fait (source : b, c).", five, []string{"(source : b, c)→b c"}},
		"source in chinese":          {"事实（来源：b、c）。", five, []string{"（来源：b、c）→b c"}},
		"wide brackets of prose":     {"事实（没有来源）。", five, []string{}},
		"source that is prose":       {"A fact (source: Reuters).", five, []string{}},
		"source that looks like one": {"A fact (source: doc-9).", five, []string{"(source: doc-9)→doc-9?"}},
		"source of another word":     {"A fact (sourced from: b).", five, []string{}},
		"id in brackets":             {"A fact [kb-17].", []string{"kb-17"}, []string{"[kb-17]→kb-17"}},
		"id before position":         {"A fact [1].", []string{"2", "1"}, []string{"[1]→1"}},
		"id that looks like a range": {"A fact [2-4].", []string{"2-4"}, []string{"[2-4]→2-4"}},
		"number sign":                {"A fact [#2].", five, []string{"[#2]→2"}},
		"another number of an id":    {"A fact [kb-9].", []string{"kb-17"}, []string{"[kb-9]→kb-9?"}},
		"another id":                 {"A fact [iso-9].", []string{"kb-17"}, []string{}},
		"file of no source":          {"A fact [leave.pdf].", []string{"hr_policy.pdf", "benefits.pdf"}, []string{"[leave.pdf]→leave.pdf?"}},
		"file with a page":           {"A fact [leave_policy.pdf#page=7].", []string{"benefits.pdf#page=3"}, []string{"[leave_policy.pdf#page=7]→leave_policy.pdf#page=7?"}},
		"id with a section":          {"A fact [kb-17, 7.3]. Another [kb-9 §2] (kb-17, p. 4).", []string{"kb-17"}, []string{"[kb-17, 7.3]→kb-17", "[kb-9 §2]→kb-9?", "(kb-17, p. 4)→kb-17"}},
		"page of a source":           {"A fact [caps.pdf#page=3].", []string{"caps.pdf", "rules.pdf"}, []string{"[caps.pdf#page=3]→caps.pdf"}},
		"source in brackets":         {"A fact (Source: [2]). Another (Source: meals.pdf).", []string{"caps.pdf", "rules.pdf"}, []string{"(Source: [2])→2", "(Source: meals.pdf)→meals.pdf?"}},
		"range of a reference":       {"118 µmol/L (reference 60–110), 3 mm (ref. 60-110).", five, []string{}},
		"file in parentheses":        {"A fact (leave.pdf).", []string{"hr_policy.pdf"}, []string{"(leave.pdf)→leave.pdf?"}},
		"file of another kind":       {"A fact [leave.txt] (e.g.).", []string{"hr_policy.pdf"}, []string{}},
		"two file ids joined":        {"A fact [file-a81file-c07].", []string{"file-a81", "file-c07"}, []string{"[file-a81file-c07]→file-a81file-c07?"}},
		"ids between bars":           {"A fact <|file-k11|>. Another <|file-q7|><|im_end|>.", []string{"file-k11", "file-m20"}, []string{"<|file-k11|>→file-k11", "<|file-q7|>→file-q7?"}},
		"counted from 0":             {"A fact [0]. Another [1].", []string{"", ""}, []string{"[0]→0", "[1]→1"}},
		"0 and the last number":      {"A fact [0]. Another [1], [2].", []string{"", ""}, []string{"[1]→1", "[2]→2"}},
		"two in prose":               {"Documents 1 and 2 say so.", five, []string{"Documents 1 and 2 say→1 2"}},
		"one in prose and a count":   {"According to document 1 and 9 people.", five, []string{"According to document 1→1"}},
		"glued to the word":          {"A fact[2].", five, []string{"[2]→2"}},
		"linked":                     {"A fact [2](https://example.com/a).", five, []string{"[2](https://example.com/a)→2"}},

		"beyond the sources":   {"A fact [9].", five, []string{"[9]→9?"}},
		"range beyond":         {"A fact [4-999999999].", five, []string{"[4-999999999]→4 5 4-999999999?"}},
		"range wholly beyond":  {"A fact [7-999999999].", five, []string{"[7-999999999]→7-999999999?"}},
		"range backwards":      {"A fact [4-2].", five, []string{"[4-2]→4-2?"}},
		"number of 21 digits":  {"A fact [123456789012345678901].", five, []string{"[123456789012345678901]→123456789012345678901?"}},
		"id of 21 digits":      {"A fact [123456789012345678901].", []string{"123456789012345678901"}, []string{"[123456789012345678901]→123456789012345678901"}},
		"double brackets":      {"A fact [[1]].", five, []string{"[1]→1"}},
		"brackets in brackets": {"A fact [1[2]].", five, []string{"[2]→2"}},
		"unclosed":             {"A fact [1, [2", five, []string{}},
		"negative":             {"A fact [-1].", five, []string{}},
		"empty":                {"A fact [] [ ] [,].", five, []string{}},
		"homoglyph digits":     {"A fact [１] [١].", five, []string{}},
		"over a line break":    {"A fact [1,\n2].", five, []string{}},

		"year":                  {"He said [1999] that it was so.", five, []string{}},
		"range of years":        {"The war [1914-1918] was long.", five, []string{}},
		"year that is an id":    {"A fact [1999].", []string{"1999"}, []string{"[1999]→1999"}},
		"date":                  {"It closed [2024-01-05] early.", five, []string{}},
		"index":                 {"The value a[0] is first.", five, []string{}},
		"interval":              {"A share in [0, 1] of all.", five, []string{}},
		"source named 0":        {"A fact [0].", []string{"0"}, []string{"[0]→0"}},
		"Markdown link":         {"See [the docs](https://example.com) and [x].", five, []string{}},
		"check box":             {"- [x] done\n- [ ] open", five, []string{}},
		"inline code":           {"Use `a[1]` and ``b[`2`]`` here [3].", five, []string{"[3]→3"}},
		"fenced code":           {"```go\nx := a[1]\n```\nA fact [2].", five, []string{"[2]→2"}},
		"fence without an end":  {"A fact [2].\n```go\nx := a[1]\n", five, []string{"[2]→2"}},
		"a lone backtick":       {"The ` key is left [1].", five, []string{"[1]→1"}},
		"definition":            {"A fact [1].\n\n[1]: https://example.com", five, []string{"[1]→1"}},
		"list of references":    {"A fact [1].\n\n## References\n[1] Title\n[7] Title", five, []string{"[1]→1"}},
		"heading in other form": {"A fact [1].\n**Sources:**\n- [7] Title", five, []string{"[1]→1"}},
		"sources in a sentence": {"Sources: [1] and [2] agree.", five, []string{"[1]→1", "[2]→2"}},
		"marker as subject":     {"[1] says that it rains.", five, []string{"[1]→1"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, cmp.Diff(tc.want, formatMarkers(tc.answer, tc.ids...)))
		})
	}
}

// An answer that counts from 0 means the sources that it says.
func TestCountingFromZero(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"A fact [0]. Another [1].": 0, "A fact [1]. Another [2].": 0, "A fact [1]. An index a[0].": 0} {
		var c Markers
		sources := []schemas.Source{{Text: "One."}, {Text: "Two."}}
		c.Read(Input{Answer: answer, Sources: sources, Measured: 2, Work: &noLimit{}})
		require.Equal(t, want, c.References[0].Source, answer)
	}
}

func TestMarkerLimits(t *testing.T) {
	t.Parallel()
	for name, hostile := range map[string]string{
		"markers in a row":       strings.Repeat("[1]", 30_000),
		"open brackets":          strings.Repeat("[", 150_000),
		"wide ranges":            strings.Repeat("[1-999999999]", 15_000),
		"one list of everything": "[" + strings.Repeat("1,", 90_000) + "]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var c Markers
			sources := []schemas.Source{{Text: "The old stadium opened in 1962."}, {Text: "Another source."}}
			c.Read(Input{Answer: "The old stadium opened in 1962. " + hostile, Sources: sources, Measured: 2, Work: &noLimit{}})
			require.LessOrEqual(t, len(c.References), MaxCitations+60)
			require.LessOrEqual(t, c.brackets, maxBrackets+1)
		})
	}
}
