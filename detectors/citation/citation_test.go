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
		river = "The stadium opened in 1962 beside the river."
		roof  = "A new roof was fitted in 2006 by a local firm."
		price = "The city council bought the stadium in 2004."
	)
	tests := map[string]struct {
		answer string
		good   bool // the cited sources support the sentences
	}{
		"right source":                         {"The stadium opened in 1962 beside the river [1].", true},
		"wrong source":                         {"The stadium opened in 1962 beside the river [2].", false},
		"marker after the full stop":           {"The stadium opened in 1962 beside the river. [1] It rains.", true},
		"marker on its own line":               {"The stadium opened in 1962 beside the river.\n[1]\nIt rains.", true},
		"marker after, wrong source":           {"The stadium opened in 1962 beside the river. [2] It rains.", false},
		"wrong figure":                         {"The council bought the stadium in 2009 [3].", false},
		"figure of another source":             {"The city council bought the stadium in 2006 [3].", false},
		"figure of another cited source":       {"The city council bought the stadium in 2004 [2][3].", true},
		"list number":                          {"1. The stadium opened in 1962 beside the river [1].", true},
		"unknown source":                       {"The stadium opened in 1962 beside the river [8].", false},
		"unknown next to a right one":          {"The stadium opened in 1962 beside the river [1][8].", false},
		"two sources, one right":               {"The stadium opened in 1962 beside the river [1, 2].", true},
		"two sources, right together":          {"The stadium opened in 1962, a new roof was fitted in 2006 [1][2].", true},
		"two sources, one alone":               {"The stadium opened in 1962, a new roof was fitted in 2006 [1].", false},
		"one of two sentences wrong":           {"The stadium opened in 1962 beside the river [1]. A new roof was fitted in 2006 by a local firm [3].", false},
		"uncited inventions are not asked for": {"The stadium opened in 1962 beside the river [1]. Dragons nest there at night, they say.", true},
		"short sentence":                       {"Opened in 1962 [1].", true},
		"an abstention has nothing to support": {"The passages do not mention the architect's name [2]. The stadium opened in 1962 beside the river [1].", true},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(tc.answer, river, roof, price))
			require.Empty(t, f.NotCheckable)
			if tc.good {
				require.Less(t, f.Score, 0.15, "%+v", f)
			} else {
				require.Greater(t, f.Score, 0.25, "%+v", f)
			}
		})
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
		"nothing stated":     {detectortest.Sourced("When did the old stadium open [1]?", detectortest.Stadium), detectors.ReasonNoClaims},
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
	const first, second = "The stadium opened in 1962 beside the river [1][2]. ", "It got a new roof in 2006 [9]."
	f, doc := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(first+second, "The stadium opened in 1962 beside the river.", "A new roof was fitted in 2006."))
	type row struct {
		sentence, citation, note, window string
	}
	var rows []row
	for _, e := range f.Evidence {
		r := row{sentence: doc.Answer()[e.Start:e.End], citation: e.Citation, note: e.Note}
		if e.Source >= 0 {
			r.window = doc.Source(e.Source)[e.SourceStart:e.SourceEnd]
		}
		rows = append(rows, r)
	}
	require.Empty(t, cmp.Diff([]row{
		{strings.TrimSpace(second), "9", noteUnknown, ""},
		{strings.TrimSpace(first), "2", "", ""},
		{strings.TrimSpace(first), "1", "", "The stadium opened in 1962 beside the river."},
	}, rows, cmp.AllowUnexported(row{})))
	require.Equal(t, schemas.Attribution, f.Type)
	require.Equal(t, reasonUnknown, f.Reason)
	require.InDelta(t, 3, detectortest.Measure(t, f, "citations"), 0)
	require.InDelta(t, 1, detectortest.Measure(t, f, "unknown_citations"), 0)
	require.InDelta(t, 0, detectortest.Measure(t, f, "worst_support"), 0)
}

// A misattributed quotation names the speaker that the source has. Words that no source has leave nothing to show instead.
func TestQuotationsSayWhatTheSourceHas(t *testing.T) {
	t.Parallel()
	const source = `The council met. "We will rebuild the old bridge before the winter," said Ada Nyström, the mayor. "Nobody has told us what it costs," Boris Quaye replied.`
	for name, tt := range map[string]struct {
		answer, says string
		source       int
	}{
		"other speaker": {`"We will rebuild the old bridge before the winter," said Boris Quaye [1].`, "Nyström", 0},
		"other words":   {`"We will rebuild the town hall before the winter," said Ada Nyström [1].`, "", -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultCitation(t), detectortest.Sourced(tt.answer, source))
			require.NotEmpty(t, f.Evidence)
			require.Equal(t, tt.says, f.Evidence[0].Says)
			require.Equal(t, tt.source, f.Evidence[0].Source)
		})
	}
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
