package facts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

func TestFactsFinding(t *testing.T) {
	in := &schemas.Interaction{
		Answer:  "The bridge is 12 km long and was opened in May 2004 by the mayor.",
		Sources: []schemas.Source{{ID: "a", Text: "Nothing of note."}, {ID: "b", Text: "The bridge, 15 km long, was opened in June 2003 by the mayor."}},
	}
	var doc detectors.Document
	doc.Reset(in)
	d, err := New(DefaultOptions(), Dependencies{})
	require.NoError(t, err)
	f, err := d.Detect(t.Context(), &doc)
	require.NoError(t, err)
	require.Equal(t, schemas.Temporal, f.Type, "the heaviest finding is a date")
	require.InDelta(t, 1-(1-0.6)*(1-0.55), f.Score, 1e-6)
	require.Len(t, f.Evidence, 2)
	require.Equal(t, "May 2004; the source has June 2003", f.Evidence[0].Note)
	require.Equal(t, "June 2003", f.Evidence[0].Says)
	require.Equal(t, "12 km; the source has 15 km", f.Evidence[1].Note)
	require.Equal(t, "12 km", in.Answer[f.Evidence[1].Start:f.Evidence[1].End])
	require.Equal(t, 1, f.Evidence[1].Source)
	require.Equal(t, "15 km", in.Sources[1].Text[f.Evidence[1].SourceStart:f.Evidence[1].SourceEnd])
	got := map[string]float64{}
	for _, m := range f.Measures {
		got[m.Name] = m.Value
	}
	require.InDelta(t, 0.6, got["worst"], 1e-6)
	delete(got, "worst")
	require.Equal(t, map[string]float64{
		"facts": 2, "unsupported_numbers": 1, "unsupported_dates": 1, "unsupported_names": 0, "weak_facts": 0,
		"contradicted_fields": 0, "missing_fields": 0,
	}, got)
}

func TestFactsOutcomes(t *testing.T) {
	in := &schemas.Interaction{Answer: "The bridge by Anna Bell is new.", Sources: []schemas.Source{{ID: "1", Text: "The bridge is new."}}}
	for names, want := range map[bool]float64{true: 0.5, false: 0} {
		d, err := New(Options{Names: names}, Dependencies{})
		require.NoError(t, err)
		var doc detectors.Document
		doc.Reset(in)
		f, err := d.Detect(t.Context(), &doc)
		require.NoError(t, err)
		require.InDelta(t, want, f.Score, 1e-6, "names: %t", names)
		require.Len(t, f.Evidence, map[bool]int{true: 1}[names])

		doc.Reset(&schemas.Interaction{Answer: "The bridge over there is quite new.", Sources: in.Sources})
		f, err = d.Detect(t.Context(), &doc)
		require.NoError(t, err)
		require.Equal(t, reasonNoFacts, f.NotCheckable)
	}
}

func TestFactsReadLongPrompt(t *testing.T) {
	in := &schemas.Interaction{
		Messages: []schemas.Message{{Role: "user", Content: "What did Anna Bell do in 2004?"}, {Role: "assistant", Content: "In 2005 she left."}},
		Answer:   "What Anna Bell did in 2004 and 2005 is to open a museum.",
	}
	d, err := New(DefaultOptions(), Dependencies{})
	require.NoError(t, err)
	var doc detectors.Document
	doc.Reset(in)
	f, err := d.Detect(t.Context(), &doc)
	require.NoError(t, err)
	require.Equal(t, detectors.ReasonNoSources, f.NotCheckable, "a short question has no facts")
	in.Messages[0].Content = strings.Repeat("Here is what happened to Anna Bell in that town. ", 12)
	doc.Reset(in)
	f, err = d.Detect(t.Context(), &doc)
	require.NoError(t, err)
	require.Empty(t, f.NotCheckable)
	require.Positive(t, f.Score)
}

// The source's figure in the note is that of the sentence with most words of the claim, and never equals the answer's.
func TestNoteOfAFigure(t *testing.T) {
	for answer, want := range map[string][2]string{
		"The Larch cabin costs 80 euros a night.":    {"80 euros; the source has 140 euros", "140 euros"},
		"The Fir cabin costs 80 euros a night.":      {"80 euros; the source has 90 euros", "90 euros"},
		"Swans hatched quietly near Oslo on 3 May.":  {"3 May is next to other words in the source", ""},
		"Swans hatched quietly near Oslo on 17 May.": {"17 May; the source has 3 May", "3 May"},
	} {
		in := &schemas.Interaction{Answer: answer, Sources: []schemas.Source{{ID: "1", Text: "The Fir cabin costs 90 euros. The Larch cabin costs 140 euros. Rooms open from 3 May."}}}
		var doc detectors.Document
		doc.Reset(in)
		d, err := New(Options{}, Dependencies{})
		require.NoError(t, err)
		f, err := d.Detect(t.Context(), &doc)
		require.NoError(t, err)
		require.Len(t, f.Evidence, 1, answer)
		require.Equal(t, want, [2]string{f.Evidence[0].Note, f.Evidence[0].Says}, answer)
	}
}
