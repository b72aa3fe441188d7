package detectors

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

func newDocument(answer string, sources ...string) *Document {
	in := &schemas.Interaction{Answer: answer}
	for _, s := range sources {
		in.Sources = append(in.Sources, schemas.Source{Text: s})
	}
	d := &Document{}
	d.Reset(in)
	return d
}

func TestDocumentParts(t *testing.T) {
	d := newDocument("The bridge opened in May 1937. It is red!", "It opened in 1937. Cars cross it.", "", "It is painted red.")
	require.Equal(t, 3, d.Sources())
	require.Len(t, d.Sentences(), 2)
	require.Equal(t, "It is red!", d.Sentences()[1].In(d.Answer()))
	r := d.SentenceTokens(1)
	require.Equal(t, 3, r.Len())
	require.Equal(t, "It", d.Tokens()[r.First].In(d.Answer()))
	require.Equal(t, Claim{Start: 0, End: 30, First: 0, Last: 6}, d.Claims()[0])

	var got []string
	for _, s := range d.AllSourceSentences() {
		first := d.SourceTokens()[s.First]
		got = append(got, d.Source(int(s.Source))[s.Start:s.End], first.In(d.Source(int(s.Source))))
	}
	require.Equal(t, []string{"It opened in 1937.", "It", "Cars cross it.", "Cars", "It is painted red.", "It"}, got)
	require.False(t, d.Truncated())
}

func TestDocumentReset(t *testing.T) {
	d := newDocument("The bridge opened in May 1937.", "Cars cross it.")
	rows := d.Evidence(Evidence{Note: "one"})
	require.Len(t, d.Claims(), 1)
	require.Len(t, d.AllSourceSentences(), 1)
	require.True(t, d.Comparable())
	d.Reset(&schemas.Interaction{Answer: strings.Repeat("x ", MaxTextBytes), Sources: []schemas.Source{{Text: "y"}}})
	require.True(t, d.Truncated())
	d.Reset(&schemas.Interaction{})
	require.False(t, d.Truncated())
	require.Empty(t, d.Sentences())
	require.Empty(t, d.Tokens())
	require.Empty(t, d.Claims())
	require.Zero(t, d.Sources())
	require.Empty(t, d.AllSourceSentences())
	require.Equal(t, []Evidence{{Note: "two"}}, d.Evidence(Evidence{Note: "two"}))
	require.Len(t, rows, 1)
}

func TestDocumentCaps(t *testing.T) {
	claim := "The bridge over the river opened in May. "
	many := make([]string, MaxSources+1)
	big := make([]string, MaxSources)
	for i := range big {
		many[i], big[i] = "short", strings.Repeat("é", MaxSourceBytes)
	}
	for name, tt := range map[string]struct {
		doc       *Document
		truncated bool
		check     func(t *testing.T, d *Document)
	}{
		"at the caps": {newDocument(strings.Repeat(claim, 200), strings.Repeat("x", MaxTextBytes-200*len(claim))), false, func(t *testing.T, d *Document) {
			require.Len(t, d.Claims(), 200)
		}},
		"answer": {newDocument(strings.Repeat("é", MaxTextBytes), "source"), true, func(t *testing.T, d *Document) {
			require.Len(t, d.Answer(), MaxTextBytes-len("source"))
			require.Equal(t, 1, d.Sources())
			require.Equal(t, "source", d.Source(0))
		}},
		"source": {newDocument("x", "a"+strings.Repeat("é", MaxSourceBytes)), true, func(t *testing.T, d *Document) {
			require.Len(t, d.Source(0), MaxSourceBytes-1) // the last character stays whole
		}},
		"sources": {newDocument("x", many...), true, func(t *testing.T, d *Document) {
			require.Equal(t, MaxSources, d.Sources())
		}},
		"all text": {newDocument("x", big...), true, func(t *testing.T, d *Document) {
			total := len(d.Answer())
			for i := range d.Sources() {
				total += len(d.Source(i))
			}
			require.LessOrEqual(t, total, MaxTextBytes)
			require.Greater(t, total, MaxTextBytes-MaxSources)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			_ = tt.doc.Claims()
			require.Equal(t, tt.truncated, tt.doc.Truncated())
			tt.check(t, tt.doc)
		})
	}
}

func TestDocumentComparable(t *testing.T) {
	english := "The bridge was opened in the month of May and it is still there."
	german := "Die Brücke wurde im Mai eröffnet und steht noch heute dort am Fluss."
	french := "Le pont a été ouvert au mois de mai et il est toujours là sur le fleuve."
	for name, tt := range map[string]struct {
		answer  string
		sources []string
		want    bool
	}{
		"german on french":            {german, []string{french}, false},
		"german on french and german": {german, []string{french, french, german}, true},
		"english on many german":      {english, []string{german, german, german, english}, true},
		"english":                     {english, []string{english}, true},
		"german":                      {german, []string{german}, true},
		"german on english":           {german, []string{english}, false},
		"english on german":           {english, []string{german}, false},
		"chinese":                     {"桥于五月开放。", []string{"桥于五月开放。"}, true},
		"chinese on english":          {"桥于五月开放。", []string{english}, false},
		"one of them":                 {english, []string{"桥于五月开放。", english}, true},
		"too short to detect":         {"Brücke", []string{english}, true},
		"figures":                     {"1937", []string{"桥于五月开放。"}, true},
		"figures in source":           {english, []string{"1937"}, true},
		"no sources":                  {english, nil, true},
		"no answer":                   {"", []string{english}, true},
		"japanese":                    {"橋は五月に開通しました。", []string{"橋は五月に開通しました。"}, true},
		"korean":                      {"다리는 오월에 열렸습니다.", []string{"다리는 오월에 열렸습니다."}, true},
		"russian":                     {"Мост открыли в мае.", []string{"Мост открыли в мае."}, true},
		"arabic":                      {"افتتح الجسر في مايو.", []string{"افتتح الجسر في مايو."}, true},
		"hindi":                       {"पुल मई में खुला था।", []string{"पुल मई में खुला था।"}, true},
		"thai":                        {"สะพานเปิดในเดือนพฤษภาคม", []string{"สะพานเปิดในเดือนพฤษภาคม"}, true},
		"greek":                       {"Η γέφυρα άνοιξε τον Μάιο.", []string{"Η γέφυρα άνοιξε τον Μάιο."}, false},
		"hebrew":                      {"הגשר נפתח בחודש מאי.", []string{"הגשר נפתח בחודש מאי."}, false},
		"georgian":                    {"ხიდი მაისში გაიხსნა.", []string{"ხიდი მაისში გაიხსნა."}, false},
		"tamil":                       {"பாலம் மே மாதம் திறக்கப்பட்டது.", []string{"பாலம் மே மாதம் திறக்கப்பட்டது."}, false},
		"khmer":                       {"ស្ពានបានបើកនៅខែឧសភា។", []string{"ស្ពានបានបើកនៅខែឧសភា។"}, false},
		"lao":                         {"ຂົວເປີດໃນເດືອນພຶດສະພາ", []string{"ຂົວເປີດໃນເດືອນພຶດສະພາ"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, newDocument(tt.answer, tt.sources...).Comparable())
		})
	}
}
