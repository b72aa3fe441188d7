package rowview

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
	"confab/schemas"
)

const (
	museumAnswer = "The museum opened in 1937 [2]. It shows 412 paintings. Call anna@example.org."
	museumSource = "Built by the city council, the museum opened in 1935 after two years of works."
)

// at is the evidence of the first place of a text in the answer, compared with the first place of another in the source.
func at(t *testing.T, answer, said, source, has string) schemas.Evidence {
	t.Helper()
	e := schemas.Evidence{Start: strings.Index(answer, said)}
	require.GreaterOrEqual(t, e.Start, 0, said)
	e.End = e.Start + len(said)
	if has != "" {
		e.SourceID, e.SourceStart = "2", strings.Index(source, has)
		require.GreaterOrEqual(t, e.SourceStart, 0, has)
		e.SourceEnd = e.SourceStart + len(has)
	}
	return e
}

func museum(t *testing.T) (*schemas.Interaction, *schemas.Flag) {
	t.Helper()
	risk := 0.9
	claim := at(t, museumAnswer, "It shows 412 paintings.", "", "")
	in := &schemas.Interaction{
		ID: "i-1", Answer: museumAnswer,
		Messages: []schemas.Message{{Role: "system", Content: "Be kind."}, {Role: "user", Content: "When did it open?"}, {Role: "assistant", Content: "x"}},
		Sources:  []schemas.Source{{ID: "1", Text: "other"}, {ID: "2", Text: museumSource}},
	}
	f := &schemas.Flag{
		InteractionID: "i-1", Origin: schemas.Origin{Offset: 7}, Risk: &risk, Fired: []string{"grounding", "facts"}, Alert: true,
		Signals: []schemas.Signal{
			{Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Threshold: 0.8, Evidence: []schemas.Evidence{
				at(t, museumAnswer, "The museum opened in 1937 [2].", museumSource, "the museum opened in 1935"),
			}},
			{Detector: "facts", Outcome: schemas.Fired, Score: 0.7, Threshold: 0.5, Evidence: []schemas.Evidence{
				at(t, museumAnswer, "1937", museumSource, "1935"), at(t, museumAnswer, "museum", "", ""), {Start: schemas.NoPlace, End: schemas.NoPlace, Note: "gone"},
			}},
			{Detector: "schema", Outcome: schemas.NotCheckable, Reason: "no schema"},
		},
		Grounding: &schemas.Grounding{UngroundedClaimList: []schemas.Claim{{Start: 0, End: 30}, {Start: claim.Start, End: claim.End}}},
	}
	return in, f
}

// Findings of one place share its number, which is marked once.
func TestFindingsOfOnePlace(t *testing.T) {
	e, inner, none := at(t, museumAnswer, "The museum opened", "", ""), at(t, museumAnswer, "museum", "", ""), schemas.Evidence{Start: -1, End: -1}
	in, f := museum(t)
	f.Grounding = nil
	f.Signals = []schemas.Signal{
		{Detector: "citation", Outcome: schemas.Fired, Evidence: []schemas.Evidence{inner, e}},
		{Detector: "grounding", Outcome: schemas.Fired, Evidence: []schemas.Evidence{e, none, none}},
	}
	r := New(in, f, nil)
	numbers := []int{}
	for _, found := range r.Findings {
		numbers = append(numbers, found.Number)
	}
	require.Equal(t, []int{2, 1, 1, 3, 4}, numbers)
	require.Equal(t, []Piece{{Text: "The ", Marks: []int{1}}, {Text: "museum", Marks: []int{1, 2}}, {Text: " opened", Marks: []int{1}}}, r.Answer.Pieces[:3])
}

// Of a long prompt without a known question the last lines are shown.
func TestQuestionIsAtTheEnd(t *testing.T) {
	in, f := museum(t)
	in.Messages = []schemas.Message{{Role: "user", Content: strings.Repeat("EXTRACTS FROM THE LIBRARY\nIt is dry there.\n", 30) + "When did it open?\n"}}
	r := New(in, f, nil)
	require.True(t, strings.HasPrefix(r.Question, "… "), r.Question)
	require.True(t, strings.HasSuffix(r.Question, "\nWhen did it open?"), r.Question)
	require.LessOrEqual(t, len(r.Question), maxQuestion)
}

// Where no part of a source was close, its beginning is shown.
func TestPassageWithoutPlace(t *testing.T) {
	e := at(t, museumAnswer, "1937", "", "")
	e.SourceID = "2"
	in, f := museum(t)
	f.Signals, f.Grounding = []schemas.Signal{{Detector: "citation", Outcome: schemas.Fired, Evidence: []schemas.Evidence{e, {Start: -1, SourceID: "9"}}}}, nil
	r := New(in, f, nil)
	require.Equal(t, &Passage{Source: "2", Text: Text{Pieces: []Piece{{Text: museumSource}}}}, r.Findings[0].Passage)
	require.Nil(t, r.Findings[1].Passage, "no such source")
}

// The number distinguishes sources without ids.
func TestPassageOfSourceWithoutID(t *testing.T) {
	in, f := museum(t)
	in.Sources = []schemas.Source{{Text: strings.Repeat("Tickets are free on Mondays. ", 9)}, {Text: museumSource}}
	e := at(t, museumAnswer, "1937", museumSource, "1935")
	e.SourceID, e.SourceNumber = "", 2
	far := schemas.Evidence{Start: e.Start, End: e.End, SourceNumber: 1}
	f.Signals, f.Grounding = []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Evidence: []schemas.Evidence{e}}}, nil
	r := New(in, f, nil)
	require.Equal(t, "2", r.Findings[0].Passage.Source)
	require.Equal(t, "1935", r.Findings[0].Passage.Text.Pieces[1].Text)
	f.Signals[0].Evidence = []schemas.Evidence{far}
	require.Equal(t, "1", New(in, f, nil).Findings[0].Passage.Source, "no part of it was close")
}

func TestRow(t *testing.T) {
	in, f := museum(t)
	r := New(in, f, nil)
	require.Equal(t, "When did it open?", r.Question)
	require.Empty(t, r.SourcesFrom)
	for from, want := range map[string]string{schemas.SourcesFromField: "", schemas.SourcesFromNone: "", schemas.SourcesFromPrompt: "prompt"} {
		in.SourcesFrom = from
		require.Equal(t, want, New(in, f, nil).SourcesFrom)
	}
	in.Messages = []schemas.Message{{Role: "user", Content: "Use the passages. It opened in 1935. Question: When?", SourcesStart: 18, SourcesEnd: 36, QuestionStart: 47, QuestionEnd: 52}}
	require.Equal(t, "When?", New(in, f, nil).Question, "neither instructions nor sources")
	in.Messages = []schemas.Message{{Role: "human", Content: "When?"}}
	require.Equal(t, "When?", New(in, f, nil).Question, "a role of another library")
	require.Equal(t, Rank{Class: Alerting, Risk: 0.9, Worst: 0.9, Line: 7}, r.Rank)
	require.Equal(t, "The museum opened in 1937 [2]. It shows 412 paintings. Call [email].", r.Answer.String())
	require.Equal(t, []Piece{
		{Text: "The ", Marks: []int{1}},
		{Text: "museum", Marks: []int{1, 2}},
		{Text: " opened in ", Marks: []int{1}},
		{Text: "1937", Marks: []int{1, 3}},
		{Text: " [2].", Marks: []int{1}},
		{Text: " "},
		{Text: "It shows 412 paintings.", Marks: []int{4}},
		{Text: " Call [email]."},
	}, r.Answer.Pieces)
	require.Len(t, r.Findings, 5)
	numbers := []int{}
	for _, found := range r.Findings {
		numbers = append(numbers, found.Number)
	}
	require.Equal(t, []int{1, 3, 2, 5, 4}, numbers)

	date := r.Findings[1]
	require.Equal(t, "The museum opened in 1937 [2].", date.Sentence.String())
	require.Equal(t, []int{3}, date.Sentence.Pieces[1].Marks)
	require.Zero(t, date.Sentence.Before+date.Sentence.After, "the sentence is whole")
	require.Equal(t, "2", date.Passage.Source)
	require.Equal(t, museumSource, date.Passage.Text.String())
	require.Equal(t, "1935", date.Passage.Text.Pieces[1].Text)

	require.Equal(t, "the museum opened in 1935", r.Findings[2].Passage.Text.Pieces[1].Text, "the passage of the claim around it")
	require.Nil(t, r.Findings[3].Passage)
	require.Empty(t, r.Findings[3].Sentence.Pieces, "no place")
	require.True(t, r.Findings[4].Claim)
}

// A long answer is shown around its first finding, a long source around what was compared; a pattern is not cut in half.
func TestRowIsBounded(t *testing.T) {
	filler := strings.Repeat("Nothing of note happens here, ä and so on. ", 4000)
	answer, source := filler+"It opened in 1937. "+filler, filler+"It opened in 1935. "+filler
	e := at(t, answer, "1937", source, "1935")
	in := &schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "2", Text: source}}, Messages: []schemas.Message{{Content: filler}}}
	f := &schemas.Flag{InteractionID: filler, Service: filler, Fired: []string{"facts"}, Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Evidence: []schemas.Evidence{e}}}}
	for range 100 {
		f.Signals[0].Evidence = append(f.Signals[0].Evidence, e)
	}
	r := New(in, f, nil)
	text := r.Answer.String()
	require.LessOrEqual(t, len(text), maxAnswer)
	require.Contains(t, text, "It opened in 1937.")
	require.Positive(t, r.Answer.Before)
	require.Equal(t, len(answer), r.Answer.Before+len(text)+r.Answer.After)
	require.Len(t, r.Findings, maxFindings)
	require.Equal(t, 101-maxFindings, r.MoreFindings)
	for _, found := range r.Findings {
		require.LessOrEqual(t, len(found.Passage.Text.String()), maxPassage)
		require.Contains(t, found.Passage.Text.String(), "It opened in 1935.")
		require.LessOrEqual(t, len(found.Sentence.String()), maxSentence)
	}
	require.LessOrEqual(t, len(r.ID), 2*maxField)
	require.LessOrEqual(t, len(r.Question), 2*maxQuestion)
}

// The union of the pieces with a mark is the place, whatever overlaps it, at the limits of characters and outside.
func TestMarksAreThePlaces(t *testing.T) {
	const s = "größer als ÄÖÜ, naïve 東京 texts — ok"
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var spans []Span
		for i := range 1 + random.IntN(5) {
			start := random.IntN(len(s))
			spans = append(spans, Span{start, start + random.IntN(len(s)-start+1), i + 1})
		}
		text := markText(nil, s, spans, 0, len(s))
		require.Equal(t, s, text.String())
		for _, p := range spans {
			var marked strings.Builder
			for _, piece := range text.Pieces {
				for _, m := range piece.Marks {
					if m == p.Mark {
						marked.WriteString(piece.Text)
					}
				}
			}
			require.Equal(t, s[runeStart(s, p.Start):runeStart(s, p.End)], marked.String())
		}
	}
}

func TestWindowsRedact(t *testing.T) {
	s := "Write to anna.lang@example.org before noon, please."
	for from := range len(s) {
		for _, to := range []int{from + 1, from + 6, len(s)} {
			got := markText(nil, s, []Span{{from, to, 1}}, from, min(to, len(s))).String()
			require.NotContains(t, got, "@", "%d to %d", from, to)
			require.NotContains(t, got, "lang")
		}
	}
}

func TestNarrow(t *testing.T) {
	s := "one two three four five six seven"
	text := markText(nil, s, []Span{{14, 18, 1}}, 0, len(s)).Narrow(8)
	require.Equal(t, "three four five", text.String())
	require.Equal(t, len(s), text.Before+len(text.String())+text.After)
	whole := markText(nil, s, []Span{{14, 18, 1}}, 0, len(s))
	require.Equal(t, whole, whole.Narrow(100))
}

func TestWorst(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	w := NewWorst(10)
	var all []*Row
	for i := range 500 {
		all = append(all, &Row{ID: strconv.Itoa(i), Rank: Rank{Class: Class(random.IntN(4)), Risk: float64(random.IntN(10)) / 10, Line: int64(i)}})
	}
	for _, r := range all {
		if w.Wants(r.Rank) {
			w.Add(r)
		} else {
			w.Add(nil)
		}
	}
	rows, total := w.Rows()
	require.Equal(t, 500, total)
	require.Len(t, rows, 10)
	better := 0
	for _, r := range all {
		if r.Rank.Compare(rows[9].Rank) <= 0 {
			better++
		}
	}
	require.Equal(t, 10, better, "no other row is worse than the last one kept")
	for i := range rows[1:] {
		require.Negative(t, rows[i].Rank.Compare(rows[i+1].Rank))
	}
	none := NewWorst(0)
	require.False(t, none.Wants(rows[0].Rank))
}

func TestRankOrder(t *testing.T) {
	risk := func(x float64) *float64 { return &x }
	fired := []schemas.Signal{{Outcome: schemas.Fired, Score: 0.6}}
	order := []schemas.Flag{
		{Alert: true, Fired: []string{"a"}, Signals: fired, Risk: risk(0.2)},
		{Fired: []string{"a"}, Signals: fired, Risk: risk(0.9)},
		{Fired: []string{"a"}, Signals: fired, Risk: risk(0.8), Origin: schemas.Origin{Offset: 1}},
		{Fired: []string{"a"}, Signals: fired, Risk: risk(0.8), Origin: schemas.Origin{Offset: 2}},
		{Fired: []string{"a"}, Signals: fired},
		{Signals: []schemas.Signal{{Outcome: schemas.Clear}}, Risk: risk(0.5)},
		{Signals: []schemas.Signal{{Outcome: schemas.NotCheckable}}},
	}
	for i := range order[1:] {
		require.Negative(t, RankOf(&order[i]).Compare(RankOf(&order[i+1])), "%d before %d", i, i+1)
	}
}

// An id is shown as it is, texts are redacted, and for people who hold the texts anyway nothing is.
func TestIDsAndTexts(t *testing.T) {
	const id, phone = "chatcmpl-Q7TzR4wKxLm9VbN2cYd8HsPfJgE3u", "call +49 30 5550 1234"
	in := &schemas.Interaction{Answer: "Done.", Calls: []schemas.ToolCall{{Name: "dial", Arguments: phone, Result: id}}}
	f := &schemas.Flag{InteractionID: id, Signals: []schemas.Signal{{Detector: "tools", Outcome: schemas.Fired, Reason: phone, Evidence: []schemas.Evidence{{Start: schemas.NoPlace, Note: phone}}}}}
	for hide, want := range map[*redact.Redactor]string{nil: "call [phone]", redact.Nothing(): phone} {
		r := New(in, f, hide)
		require.Equal(t, id, r.ID)
		require.Contains(t, r.Calls[0], want)
		require.Equal(t, []string{want, want}, []string{r.Signals[0].Reason, r.Findings[0].Note})
	}
}
