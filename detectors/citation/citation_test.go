package citation

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/text/citations"
	"confab/schemas"
)

func defaultCitation(t testing.TB) detectors.Detector {
	t.Helper()
	d, err := New(DefaultOptions())
	require.NoError(t, err)
	return d
}

func TestCitationScores(t *testing.T) {
	t.Parallel()
	const (
		river = "The stadium opened in 1962 beside the river. It was closed on 30 June 2026."
		roof  = "A new roof was fitted in 2006 by a local firm."
		price = "The city council bought the stadium in 2004 for 1.2 million euros."
	)
	tests := map[string]struct {
		answer string
		fires  bool
	}{
		"right source":                       {"The stadium opened in 1962 beside the river [1].", false},
		"wrong source":                       {"The stadium opened in 1962 beside the river [2].", true},
		"marker after the full stop":         {"The stadium opened in 1962 beside the river. [1] It rains.", false},
		"marker on its own line":             {"The stadium opened in 1962 beside the river.\n[1]\nIt rains.", false},
		"wrong marker on its own line":       {"The stadium opened in 1962 beside the river.\n[3]\nIt rains.", true},
		"marker after, wrong source":         {"The stadium opened in 1962 beside the river. [2] It rains.", true},
		"figures in other forms":             {"It was closed on 2026-06-30 [1] and cost 1,200,000 euros [3].", false},
		"figures in other forms, exchanged":  {"It was closed on 2026-06-30 [3].", true},
		"list number":                        {"1. The stadium opened in 1962 beside the river [1].", false},
		"unknown source":                     {"The stadium opened in 1962 beside the river [8].", true},
		"unknown next to a right one":        {"The stadium opened in 1962 beside the river [1][8].", true},
		"two sources, one right":             {"The stadium opened in 1962 beside the river [1, 2].", false},
		"two sources together":               {"The stadium opened in 1962, a new roof was fitted in 2006 [1][2].", false},
		"exchanged within a sentence":        {"The stadium opened in 1962 [2], and a new roof was fitted in 2006 by a local firm [1].", true},
		"clauses with their sources":         {"The stadium opened in 1962 [1], and a new roof was fitted in 2006 by a local firm [2].", false},
		"the subject of the sentence":        {"[1] says that the stadium opened in 1962 beside the river.", false},
		"two subjects":                       {"According to source 1, the stadium opened in 1962, and according to source 2, a new roof was fitted in 2006.", false},
		"two subjects, exchanged":            {"According to source 2, the stadium opened beside the river, and according to source 1, a new roof was fitted.", true},
		"one of two sentences wrong":         {"The stadium opened in 1962 beside the river [1]. A new roof was fitted in 2006 by a local firm [3].", true},
		"a sentence that only refers":        {"A new roof was fitted in 2006 by a local firm. This information is in source 2.", false},
		"a lead-in":                          {"The stadium opened beside the river [2]:\n- The council bought it for 1.2 million euros [3].", false},
		"a list of sources":                  {"Sources: [2], for the council that bought the stadium [3].", false},
		"short sentence":                     {"Opened in 1962 [1].", false},
		"few words, their sentence is right": {"The stadium opened beside the river, closed: roof [1].", false},
		"no source says it":                  {"Dragons nest there at night, they say [1].", false},
		"an abstention":                      {"The passages do not mention the architect's name [2]. The stadium opened in 1962 beside the river [1].", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(tc.answer, river, roof, price))
			require.Empty(t, f.NotCheckable)
			require.Equal(t, tc.fires, f.Score >= wrongGap, "%+v", f)
		})
	}
}

// Missing words and figures raise the score below the limit.
func TestSupportOrdersClearAnswers(t *testing.T) {
	t.Parallel()
	last := -1.0
	for _, answer := range []string{
		"The stadium opened in 1962 beside the river [1].", "The stadium opened in 1971 beside the river [1].", "Dragons guard the treasure of 1971 [1].",
	} {
		f, _ := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(answer, "The stadium opened in 1962 beside the river."))
		require.Greater(t, f.Score, last, answer)
		require.Less(t, f.Score, wrongGap)
		last = f.Score
	}
}

// A right marker does not fire because of the markers beside it: its verdict stays when they are wrong, unknown or left out.
func TestMarkersAreJudgedAlone(t *testing.T) {
	t.Parallel()
	clauses := []string{
		"The ferry to the northern island leaves the harbour at dawn", "The museum shop sells carved whistles made of birch",
		"Visitors pay nine crowns for the lighthouse tour", "The bakery closes early when its rye bread is gone",
	}
	for right := range clauses {
		for others := range 6 { // the number that the other clauses cite; 5 is unknown
			answer := ""
			for i, clause := range clauses {
				marker := fmt.Sprintf(" [%d]", others)
				if others == 0 {
					marker = ""
				}
				if i == right {
					marker = fmt.Sprintf(" [%d]", i+1)
				}
				answer += clause + marker + ", "
			}
			f, doc := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(answer+"as planned.", clauses...))
			for _, e := range f.Evidence {
				if said := doc.Answer()[e.Start:e.End]; e.Note != "" && strings.Contains(said, clauses[right]) && others > 0 {
					require.NotContains(t, said, fmt.Sprintf("[%d]", right+1), answer)
				}
			}
			if others == 0 && right == 0 {
				require.Less(t, f.Score, wrongGap, answer)
			}
		}
	}
}

func TestSourceBeyondCapIsNotUnknown(t *testing.T) {
	t.Parallel()
	sources := make([]string, detectors.MaxSources+5)
	for i := range sources {
		sources[i] = detectortest.Stadium
	}
	in := detectortest.Sourced(fmt.Sprintf("The old stadium opened in 1962 on the eastern bank [%d].", detectors.MaxSources+1), sources...)
	f, _ := detectortest.Detect(t, defaultCitation(t), in)
	require.Equal(t, detectors.ReasonTruncated, f.NotCheckable, "it exists, but it was not measured")
	in.Answer = "The old stadium opened in 1962 on the eastern bank [999]."
	f, _ = detectortest.Detect(t, defaultCitation(t), in)
	require.InDelta(t, 1, f.Score, 0)
}

func TestCitationNotCheckable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   *schemas.Interaction
		want string
	}{
		"no markers":         {detectortest.Sourced("The old stadium opened in 1962.", detectortest.Stadium), reasonNoCitations},
		"no sources":         {detectortest.Sourced("The old stadium opened in 1962 [1]."), detectors.ReasonNoSources},
		"nothing but marker": {detectortest.Sourced("[1]", detectortest.Stadium), detectors.ReasonNoClaims},
		"another language":   {detectortest.Sourced("旧体育场于一九六二年开放 [1]。", detectortest.Stadium), detectors.ReasonLanguage},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultCitation(t), tc.in)
			require.Equal(t, tc.want, f.NotCheckable)
		})
	}
	f, _ := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced("旧体育场于一九六二年开放 [9]。", detectortest.Stadium))
	require.InDelta(t, 1, f.Score, 0, "an unknown source is detected in any language")
}

func TestCitationEvidenceRows(t *testing.T) {
	t.Parallel()
	const first, second, third = "The stadium opened in 1962 beside the river [1]", "a new roof was fitted in 2006 [1]", "It got a new roof in 2006 [9]"
	f, doc := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(first+", and "+second+". "+third+".",
		"The stadium opened in 1962 beside the river.", "It rains. A new roof was fitted in 2006."))
	type row struct {
		said, citation, note, says string
	}
	var rows []row
	for _, e := range f.Evidence {
		r := row{said: doc.Answer()[e.Start:e.End], citation: e.Citation, note: e.Note}
		if e.Source >= 0 {
			r.says = doc.Source(e.Source)[e.SourceStart:e.SourceEnd]
		}
		rows = append(rows, r)
	}
	require.Empty(t, cmp.Diff([]row{
		{"and " + second, "1", "source 2 supports this, source 1 is cited", "A new roof was fitted in 2006."}, {third, "9", noteUnknown, ""},
	}, rows, cmp.AllowUnexported(row{})))
	require.Equal(t, schemas.Attribution, f.Type)
	require.Equal(t, reasonUnknown, f.Reason)
	require.InDelta(t, 2, detectortest.Measure(t, f, "cited_sentences"), 0)
	require.InDelta(t, 1, detectortest.Measure(t, f, "unknown_citations"), 0)
	require.InDelta(t, 1, detectortest.Measure(t, f, "gap"), 0.01)
	f, _ = detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(first+".", "The stadium opened in 1962 beside the river."))
	require.Len(t, f.Evidence, 1, "the weakest one explains a clear answer")
	require.Empty(t, f.Evidence[0].Note)
	require.InDelta(t, 1, f.Evidence[0].Similarity, 0.01)
	f, _ = detectortest.Detect(t, defaultCitation(t), detectortest.Sourced("The stadium opened in 1962 beside the river [1][2].", "The stadium opened in 1962 beside the river.", "Bananas grow in the tropics."))
	require.Len(t, f.Evidence, 2, "a row for each citation, the weak one first")
	require.Equal(t, "2", f.Evidence[0].Citation)
	require.Zero(t, f.Evidence[0].Similarity)
	require.InDelta(t, 1, f.Evidence[1].Similarity, 0.01)
}

func TestCitationForms(t *testing.T) {
	t.Parallel()
	d, err := New(Options{Forms: []string{citations.FormFootnote}})
	require.NoError(t, err)
	f, _ := detectortest.Detect(t, d, detectortest.Sourced("The old stadium opened in 1962 on the eastern bank [9].", detectortest.Stadium))
	require.Equal(t, reasonNoCitations, f.NotCheckable)
	f, _ = detectortest.Detect(t, d, detectortest.Sourced("The old stadium opened in 1962 on the eastern bank [^1].", detectortest.Stadium))
	require.InDelta(t, 0, f.Score, 1e-9)
	_, err = New(Options{Forms: []string{"roman"}})
	require.ErrorContains(t, err, `unknown form "roman": choose from [bracket footnote lenticular source parenthesis`)
}

func TestCitationOfHostileMarkers(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"markers in a row": strings.Repeat("[1]", 30_000),
		"unknown ids in a row": func() string {
			var b strings.Builder
			for i := range 20_000 {
				fmt.Fprintf(&b, "[%d]", 10_000+i)
			}
			return b.String()
		}(),
		"a marker a line":       strings.Repeat("[1]\n", 30_000),
		"open brackets":         strings.Repeat("[", 150_000),
		"brackets never closed": strings.Repeat("[1", 70_000),
		"backticks":             strings.Repeat("` ", 70_000),
		"growing runs of ticks": func() string {
			var b strings.Builder
			for i := range 500 {
				b.WriteString(strings.Repeat("`", i) + " ")
			}
			return b.String()
		}(),
		"words in brackets":      strings.Repeat("[word] ", 25_000),
		"wide ranges":            strings.Repeat("[1-999999999]", 15_000),
		"one list of everything": "[" + strings.Repeat("1,", 90_000) + "]",
	}
	for name, hostile := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := detectortest.Sourced("The old stadium opened in 1962. "+hostile, detectortest.Stadium, "Another source.")
			f, _ := detectortest.Detect(t, defaultCitation(t), in)
			detectortest.RequireContract(t, "citation", in, &f)
			require.LessOrEqual(t, len(f.Evidence), citations.MaxCitations+detectors.MaxSources+1)
		})
	}
}

func FuzzCitation(f *testing.F) {
	f.Add("The old stadium opened in 1962 [1].", detectortest.Stadium)
	f.Add("日本の首都は東京です。 [1]", "東京は日本の首都です。")
	f.Add(strings.Repeat("a b c d e f. ", 90), strings.Repeat("a b c. ", 90))
	f.Add("`[1]` [[1]] [1](x) 【1†a】 (source: 1) [1, 9-999999999]", "1")
	d := defaultCitation(f)
	f.Fuzz(func(t *testing.T, answer, source string) {
		in := detectortest.Sourced(strings.ToValidUTF8(answer, "?"), strings.ToValidUTF8(source, "?"), "Another source of a few words.")
		finding, _ := detectortest.Detect(t, d, in)
		detectortest.RequireContract(t, "citation", in, &finding)
	})
}

// Running text cites an id that no source has, and that is of the form and length of one.
func TestUnknownIDInRunningText(t *testing.T) {
	for answer, unknown := range map[string]int{
		"Guests sign. See help article KB-4019 for the form.": 1, "Guests sign, as KB-4019 says.": 1, "KB-4019 states that guests sign.": 1,
		"Guests sign, according to KB-4017.": 0, "Guests sign. See KB-40.": 0, "Guests sign under your order KB-4019.": 0, "Guests sign. See KB-8855.": 0,
		"Guests sign. See KB-4019-2.": 0,
	} {
		in := &schemas.Interaction{
			Answer: answer, Sources: []schemas.Source{{ID: "KB-4017", Text: "Guests sign the policy."}},
			Messages: []schemas.Message{{Role: "user", Content: "Do guests sign, as KB-8855 says?"}},
		}
		f, _ := detectortest.Detect(t, defaultCitation(t), in)
		require.Equal(t, unknown == 1, f.Reason == reasonUnknown, answer)
	}
}

// Each id of a list is looked for.
func TestUnknownIDBesideAKnownOne(t *testing.T) {
	for answer, unknown := range map[string]float64{"Guests sign [kb-4, kb-9].": 1, "Guests sign (kb-9; kb-4).": 1, "Guests sign [kb-4, kb-7].": 0, "Guests sign [kb-4, section 3].": 0} {
		in := &schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "kb-4", Text: "Guests sign the policy."}, {ID: "kb-7", Text: "Guests sign in."}}}
		f, _ := detectortest.Detect(t, defaultCitation(t), in)
		require.InDelta(t, unknown, detectortest.Measure(t, f, "unknown_citations"), 0, answer)
	}
}

// Passages that a log joined in one text have numbers that it does not tell.
func TestNumbersOfJoinedPassagesAreUnknown(t *testing.T) {
	const gym, towels = "The gym opens at 6:00 on weekdays.", "Towels cost 3 EUR a piece."
	for text, fires := range map[string]bool{gym + "\n\n" + towels: false, gym + " | " + towels: false, gym + " " + towels: true} {
		in := &schemas.Interaction{Answer: "The gym opens at 6:00 [1]; towels cost 3 EUR [2].", Sources: []schemas.Source{{Text: text}}}
		f, _ := detectortest.Detect(t, defaultCitation(t), in)
		require.Equal(t, fires, f.Score == 1, text)
	}
}

// Sources with one id are parts of one. An id that a message has is not invented.
func TestIDsOfPassages(t *testing.T) {
	t.Parallel()
	const tickets = "A return ticket costs 18 euros and is valid for thirty days."
	for name, c := range map[string]struct {
		answer, asked string
		ids           [2]string
		fires         bool
	}{
		"right":             {"The old stadium opened in 1962 on the eastern bank [kb-18].", "When?", [2]string{"kb-17", "kb-18"}, false},
		"wrong":             {"The old stadium opened in 1962 on the eastern bank [kb-17].", "When?", [2]string{"kb-17", "kb-18"}, true},
		"invented":          {"The old stadium opened in 1962 on the eastern bank [kb-99].", "When?", [2]string{"kb-17", "kb-18"}, true},
		"the user's":        {"Nothing is known of that text [kb-99].", "What does kb-99 say?", [2]string{"kb-17", "kb-18"}, false},
		"parts of a source": {"The old stadium opened in 1962 on the eastern bank [kb-17].", "When?", [2]string{"kb-17", "kb-17"}, false},
	} {
		in := detectortest.Sourced(c.answer, tickets, "The old stadium opened in 1962 on the eastern bank.")
		in.Sources[0].ID, in.Sources[1].ID = c.ids[0], c.ids[1]
		in.Messages = []schemas.Message{{Role: "user", Content: c.asked}}
		f, _ := detectortest.Detect(t, defaultCitation(t), in)
		require.Equal(t, c.fires, f.Score >= wrongGap, name)
	}
}
