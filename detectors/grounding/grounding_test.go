package grounding

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/text"
	"confab/schemas"
)

func defaultGrounding(t testing.TB) detectors.Detector {
	t.Helper()
	d, err := New(DefaultOptions(), Dependencies{})
	require.NoError(t, err)
	return d
}

func TestGroundingRanksAnswers(t *testing.T) {
	t.Parallel()
	// Each answer is less supported than the one before.
	answers := []string{
		"The old stadium opened in 1962 on the eastern bank of the river.",
		"The old stadiums opened in 1962 on the river's eastern banks, opening early.",
		"The old stadium opened in 1971 on the eastern bank of the river.",
		"The old stadium opened in 1971 on the southern shore of the lake.",
		"Its architect, a pupil of Gropius, had won the national prize for concrete design.",
	}
	before := -1.0
	for _, answer := range answers {
		f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced(answer, detectortest.Stadium))
		require.Empty(t, f.NotCheckable, answer)
		require.Greater(t, f.Score, before, answer)
		before = f.Score
	}
	require.InDelta(t, 1, before, 0, "nothing of the last one is in the source")
}

func TestGroundingFullySupportedScoresZero(t *testing.T) {
	t.Parallel()
	f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("It holds 41,500 spectators. The city council bought it from the club in 2004.", detectortest.Stadium))
	require.InDelta(t, 0, f.Score, 1e-9)
	require.InDelta(t, 1, detectortest.Measure(t, f, "worst_support"), 1e-9)
	require.InDelta(t, 0, detectortest.Measure(t, f, "longest_run"), 0)
	require.Zero(t, f.Grounding.UngroundedClaims)
	require.Empty(t, f.Grounding.Ungrounded)
}

func TestGroundingTolerates(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"inflection":               "The old stadium opens in 1962 on eastern banks.",
		"another thousands form":   "It was holding 41500 spectators on the river.",
		"facts of two neighbors":   "The stadium opened in 1962 and holds 41,500 spectators.",
		"citation markers":         "The old stadium opened in 1962 on the eastern bank [1] of the river [^1] 【1†source】.",
		"a list of references":     "The old stadium opened in 1962 on the eastern bank.\n\nReferences:\n[1] Wikipedia, an encyclopedia that nobody has vetted.",
		"a list without brackets":  "The old stadium opened in 1962 on the eastern bank.\n\nReferences\n1. Wikipedia, an encyclopedia that nobody has vetted.",
		"a marker that is a range": "The city council bought it from the club in 2004 [1-1].",
	}
	for name, answer := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced(answer, detectortest.Stadium))
			require.Empty(t, f.NotCheckable)
			require.Less(t, f.Score, 0.25, "%v", f.Measures)
		})
	}
}

func TestGroundingNotCheckable(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		in   *schemas.Interaction
		want string
	}{
		"no sources":       {detectortest.Sourced("The old stadium opened in 1962."), "no sources"},
		"an empty source":  {detectortest.Sourced("The old stadium opened in 1962.", " \n"), "no sources"},
		"a courtesy":       {detectortest.Sourced("You're welcome!", detectortest.Stadium), "no claims"},
		"a question":       {detectortest.Sourced("Which stadium?", detectortest.Stadium), "no claims"},
		"stop words only":  {detectortest.Sourced("It is what it is and so are they.", detectortest.Stadium), "no claims"},
		"another language": {detectortest.Sourced("旧体育场于一九六二年开放,位于河的东岸。", detectortest.Stadium), "language"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, _ := detectortest.Detect(t, defaultGrounding(t), tc.in)
			require.Equal(t, tc.want, f.NotCheckable)
		})
	}
}

// An answer of a few words is measured if it has no longer sentence.
func TestGroundingMeasuresShortAnswers(t *testing.T) {
	t.Parallel()
	right, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("In 1962.", detectortest.Stadium))
	wrong, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("In 1971.", detectortest.Stadium))
	require.Empty(t, right.NotCheckable)
	require.InDelta(t, 0, right.Score, 1e-9)
	require.InDelta(t, 1, wrong.Score, 1e-9)
	remark, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("Built in 1971. The old stadium opened in 1962 on the eastern bank.", detectortest.Stadium))
	require.InDelta(t, 0, remark.Score, 1e-9, "next to a claim it is a heading or a remark")
}

func TestGroundingEvidence(t *testing.T) {
	t.Parallel()
	const invented = "Its architect, a pupil of Gropius, had won the national prize for concrete design."
	answer := "It holds 41,500 spectators in all seasons. " + invented
	f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced(answer, "Nothing of the kind is said here.", detectortest.Stadium))
	require.Equal(t, schemas.Fabrication, f.Type, "a long run of missing words")
	require.NotEmpty(t, f.Evidence)
	worst := f.Evidence[0]
	require.Equal(t, invented, answer[worst.Start:worst.End])
	require.Contains(t, worst.Note, "architect, a pupil of Gropius")
	require.Equal(t, 1, f.Grounding.UngroundedClaims)
	require.Equal(t, invented, answer[f.Grounding.Ungrounded[0].Start:f.Grounding.Ungrounded[0].End])
	require.Equal(t, 2, f.Grounding.Claims)

	mistaken, doc := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The city council sold it to the club in 2004, before years of debate.", "Nothing of the kind is said here.", detectortest.Stadium))
	require.Equal(t, schemas.Factual, mistaken.Type)
	row := mistaken.Evidence[0]
	require.Equal(t, 1, row.Source)
	require.Equal(t, "The city council bought it from the club in 2004, after years of debate.", doc.Source(1)[row.SourceStart:row.SourceEnd])
	require.Equal(t, "sold", row.Note)
}

func TestGroundingOfWrongFigure(t *testing.T) {
	t.Parallel()
	right, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The city council bought it from the club in 2004, after years of debate.", detectortest.Stadium))
	wrong, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The city council bought it from the club in 2011, after years of debate.", detectortest.Stadium))
	word, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The city council bought it from the duke in 2004, after years of debate.", detectortest.Stadium))
	require.InDelta(t, 0, right.Score, 1e-9)
	require.Greater(t, wrong.Score, 0.75)
	require.Less(t, word.Score, 0.5)
	listed, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("7. The city council bought it from the club in 2004.\n8) A new roof was fitted two winters later.", detectortest.Stadium))
	require.InDelta(t, 0, listed.Score, 1e-9, "list numbers are not figures")
}

func TestGroundingReadsJSONRecords(t *testing.T) {
	t.Parallel()
	record := `{"name": "Lure Fish House", "city": "Santa Barbara", "stars": 4.0, "hours": {"Monday": "11:30-21:0"}}`
	good, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("Lure Fish House in Santa Barbara has 4 stars.", record))
	bad, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("Lure Fish House in San Diego has 3 stars.", record))
	require.Less(t, good.Score, bad.Score)

	keys, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("There is outdoor seating and a parking garage.", `[{"OutdoorSeating": true, "BusinessParking": {"garage": true}}]`))
	require.InDelta(t, 0, keys.Score, 1e-9, "joined words of keys")
	phrased, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The restaurant offers a location in Santa Barbara named Lure Fish House.", record))
	prose, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("The restaurant offers a location in Santa Barbara named Lure Fish House.", "It is said that "+record))
	require.Less(t, phrased.Score, prose.Score, "wording counts less in a record")
}

// The words of keys are compared like words of text, in other languages too.
func TestGroundingReadsForeignRecords(t *testing.T) {
	t.Parallel()
	record := `{"name": "Gasthaus zur Post", "KinderSpielplatz": "mit der Rutsche und einem Sandkasten", "GartenTische": 12}`
	f, doc := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("Das Gasthaus hat für das Kind einen Spielplatz und im Garten zwölf Tische.", record))
	require.Equal(t, text.Foreign, doc.MatchMode())
	require.Zero(t, detectortest.Measure(t, f, "missing_words"), "the record has twelve as digits")
}

func TestGroundingMeasuresLongClaims(t *testing.T) {
	t.Parallel()
	var known, invented []string
	for i := range 150 {
		known = append(known, fmt.Sprintf("wordk%dk", i))
		invented = append(invented, fmt.Sprintf("wordx%dx", i))
	}
	source := strings.Join(known, " ") + "."
	f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced(source, source))
	require.InDelta(t, 0, f.Score, 1e-9, "more words than there are bits")
	f, _ = detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced(strings.Join(append(known[:75:75], invented[:75]...), " ")+".", source))
	require.InDelta(t, 75, detectortest.Measure(t, f, "longest_run"), 0)
	require.Greater(t, f.Score, 0.5)
}

func TestGroundingStopsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var doc detectors.Document
	doc.Reset(detectortest.Sourced("The old stadium opened in 1962.", detectortest.Stadium))
	_, err := defaultGrounding(t).Detect(ctx, &doc)
	require.ErrorIs(t, err, context.Canceled)
}

func TestGroundingOptions(t *testing.T) {
	t.Parallel()
	for _, share := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := New(Options{MinSupport: share}, Dependencies{})
		require.ErrorContains(t, err, "MinSupport is a share")
	}
	strict, err := New(Options{MinSupport: 1}, Dependencies{})
	require.NoError(t, err)
	in := detectortest.Sourced("The city council sold it to the club in 2004.", detectortest.Stadium)
	f, _ := detectortest.Detect(t, strict, in)
	require.Equal(t, 1, f.Grounding.UngroundedClaims)
	lenient, _ := detectortest.Detect(t, defaultGrounding(t), in)
	require.Zero(t, lenient.Grounding.UngroundedClaims)
	require.InDelta(t, lenient.Score, f.Score, 0, "the option does not change the score")
}

func FuzzGrounding(f *testing.F) {
	f.Add("The old stadium opened in 1962 [1].", detectortest.Stadium)
	f.Add("日本の首都は東京です。 [1]", "東京は日本の首都です。")
	f.Add(strings.Repeat("a b c d e f. ", 90), strings.Repeat("a b c. ", 90))
	f.Add("`[1]` [[1]] [1](x) 【1†a】 (source: 1) [1, 9-999999999]", "1")
	d := defaultGrounding(f)
	f.Fuzz(func(t *testing.T, answer, source string) {
		in := detectortest.Sourced(strings.ToValidUTF8(answer, "?"), strings.ToValidUTF8(source, "?"), "Another source of a few words.")
		finding, _ := detectortest.Detect(t, d, in)
		detectortest.RequireContract(t, "grounding", in, &finding)
	})
}

func TestGroundingSaysWhatTheSourceSays(t *testing.T) {
	t.Parallel()
	f, _ := detectortest.Detect(t, defaultGrounding(t), detectortest.Sourced("Aspirin is recommended for children under twelve years.", "Aspirin is not recommended for children under twelve years."))
	require.NotEmpty(t, f.Evidence)
	require.Equal(t, "not recommended", f.Evidence[0].Says)
	require.Equal(t, `the source says "not recommended"`, f.Evidence[0].Note)
}
