package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/schemas"
)

var factKindNames = [figureindex.Kinds]string{"number", "date", "name", "weak", "contradicted", "missing"}

// findingsOf formats the findings of an answer as "kind text".
func findingsOf(in *schemas.Interaction) string {
	var doc detectors.Document
	doc.Reset(in)
	var out []string
	for _, f := range Findings(&doc) {
		out = append(out, factKindNames[f.Kind]+" "+doc.Answer()[f.Start:f.End])
	}
	return strings.Join(out, "; ")
}

type factCase struct {
	name, source, answer, want string
}

func runFactCases(t *testing.T, cases []factCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			in := &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: tt.source}}}
			require.Equal(t, tt.want, findingsOf(in))
		})
	}
}

func TestFactsFigures(t *testing.T) {
	runFactCases(t, []factCase{
		{"the same figure", "The bridge is 15 km long and cost $3m.", "The bridge has a length of 15 km and cost 3 million dollars.", ""},
		{"another figure", "The bridge is 15 km long.", "The bridge has a length of 12 km in all.", "number 12 km"},
		{"another unit", "The bridge is 15 km long.", "The bridge has a length of 15 miles in all.", "number 15 miles"},
		{"the same length", "The bridge is 15 km long.", "The bridge has a length of 15,000 meters in all.", ""},
		{"converted", "The tunnel is 20 miles long.", "The tunnel is about 32 km in length.", ""},
		{"degrees converted in the answer", "Heat the food to 165 °F.", "Heat the food to 165 °F (74 °C) before eating.", ""},
		{"degrees converted wrongly", "Heat the food to 165 °F.", "Heat the food to 165 °F (90 °C) before eating.", "number 90 °C"},
		{"in words", "The tower has 1,200 steps.", "The tower has twelve hundred steps in all.", ""},
		{"rounded", "The tower has 497 steps.", "The tower has about 500 steps in all.", ""},
		{"rounded too far", "The tower has 460 steps.", "The tower has exactly 500 steps in all.", "number 500"},
		{"over", "The show drew 5,300 visitors.", "The show drew over 5,000 visitors this time.", ""},
		{"over, and far from it", "The show drew 9,300 visitors.", "The show drew over 15,000 visitors this time.", "number 15,000"},
		{"percent in words", "Sales rose by 5 %.", "The sales rose by five percent this year.", ""},
		{"percent of another value", "Sales rose by 5 %.", "The sales rose by seven percent this year.", "number seven percent"},
		{"a sum", "They sold 30 cars and 12 vans.", "They sold a total of 42 cars and vans.", ""},
		{"a difference", "Sales rose from 30 units to 42 units.", "The sales of units rose by 12 units in all.", ""},
		{"an age", "Ada was born in 1950 and died in 1990.", "When she died, Ada was 40 years of age.", ""},
		{"a product", "The lease costs 940 euros a month. The deposit is two months' rent.", "The deposit of the tenant is 1,880 euros in all.", ""},
		{"no product", "The lease costs 940 euros a month. The deposit is two months' rent.", "The deposit of the tenant is 1,980 euros in all.", "number 1,980 euros"},
		{"no product of numbers without unit", "The team of 15 met two rivals.", "The number of the players there was 30 at least.", "number 30"},
		{"no sum", "They sold 30 cars and 12 vans.", "They sold a total of 43 cars and vans.", "number 43"},
		{"source labels and limits", "Cats sleep a lot.", "In passage 2 and 3 it is said that cats sleep a lot, in 40 words.", ""},
		{"a list number", "Cats sleep a lot.", "1. Cats sleep a lot in summer.\n2. Cats sleep a lot in winter.", ""},
		{"idioms", "The shop never closes.", "The shop is open seven days a week, and the two never rest.", ""},
		{
			"in another context",
			"The hotel offers 30 rooms with a view. Breakfast costs 12 dollars. Guests like the pool. Parking is far away.",
			"Customers admired the distant parking of 30 dollars.",
			"weak 30 dollars",
		},
		{"a range shares its measure", "Use 5% to 10% of salt.", "One should use between 5-10% of salt here.", ""},
	})
}

func TestFactsDates(t *testing.T) {
	runFactCases(t, []factCase{
		{"another form", "It opened on 2004-05-03.", "The museum was opened on May 3, 2004.", ""},
		{"another year", "It opened on 2004-05-03.", "The museum was opened on May 3, 2005.", "date May 3, 2005"},
		{"another month", "It opened on May 3, 2004.", "The museum was opened in June 2004 already.", "date June 2004"},
		{"a decade", "It opened in 1994.", "The museum was opened in the 1990s already.", ""},
		{"another decade", "It opened in 1984.", "The museum was opened in the 1990s already.", "date 1990s"},
		{"a weekday of the date", "It opened on 2022-01-16.", "The museum was opened on a Sunday in January.", ""},
		{"another weekday", "It opened on Monday.", "The museum was opened on a Tuesday this week.", "date Tuesday"},
		{"24 hours", "Doors open at 17:30.", "The doors of the hall open at 5:30 p.m. today.", ""},
		{"another time", "Doors open at 17:30.", "The doors of the hall open at 6:30 p.m. today.", "date 6:30 p.m."},
		{"an ordinal day", "It opened on May 3.", "The museum was opened on the 3rd of May.", ""},
		{"a bare year", "It opened in 2004.", "The museum was opened in 2006, they say.", "date 2006"},
	})
}

func TestFactsNames(t *testing.T) {
	runFactCases(t, []factCase{
		{"known", "Anna Bell opened the museum in Leeds.", "The museum in Leeds was opened by Anna Bell.", ""},
		{"unknown", "The mayor opened the museum in Leeds.", "The museum in Leeds was opened by Anna Bell.", "name Anna Bell"},
		{"half known", "Mrs. Bell opened the museum in Leeds.", "The museum in Leeds was opened by Anna Bell.", "name Anna Bell"},
		{"named twice", "The mayor opened it.", "The museum was opened by Anna Bell. Everybody there likes Anna Bell.", "name Anna Bell"},
		{"begins a sentence", "The mayor opened it.", "Afterwards the mayor opened the museum again.", ""},
		{"begins an item", "The mayor opened it.", "The mayor did this:\n+ Opening of the old museum again\n* Cutting of the red ribbon there", ""},
		{"another ending", "The museum stands in Italy.", "The museum shows an Italian view of the world.", ""},
		{"initials", "The World Health Organization said so.", "This was said by the WHO in its report.", ""},
		{"spelled out", "The WHO said so.", "This was said by the World Health Organization once.", ""},
		{"initials of the answer", "The cardiothoracic ratio matters.", "What matters is the cardiothoracic ratio (CR) of the chest.", ""},
		{"a state", "He lives in Reno, NV.", "He has a house in Reno, Nevada, as they say.", ""},
		{"another state", "He lives in Reno, NV.", "He has a house in Reno, Texas, as they say.", "name Texas"},
		{"a heading in capitals", "The mayor opened it.", "The Grand Opening Of The Museum Today", ""},
	})
}

func TestFactsReadThePrompt(t *testing.T) {
	in := &schemas.Interaction{
		Messages: []schemas.Message{{Role: "user", Content: "What did Anna Bell do in 2004?"}, {Role: "assistant", Content: "In 2005 she left."}},
		Answer:   "What Anna Bell did in 2004 and 2005 is to open a museum.",
		Sources:  []schemas.Source{{ID: "1", Text: "She opened a museum."}},
	}
	require.Equal(t, "date 2005", findingsOf(in), "earlier messages of the assistant are not a source")
}

func TestFactsOfAnotherLanguage(t *testing.T) {
	source := "Die Brücke über den Fluss wurde im Jahr 1987 gebaut und ist 1.234,5 Meter lang, wie der Bericht sagt."
	in := &schemas.Interaction{Sources: []schemas.Source{{ID: "1", Text: source}}}
	in.Answer = "Die Brücke ist nach dem Bericht 1.234,5 Meter lang und wurde von der Stadt im Jahr 1987 gebaut."
	require.Empty(t, findingsOf(in), "capitalized nouns are not names")
	in.Answer = "Die Brücke ist nach dem Bericht 1.234,5 Meter lang und wurde von der Stadt im Jahr 1989 gebaut."
	require.Equal(t, "date 1989", findingsOf(in))
}

func TestFactsOfHostileTextAreCapped(t *testing.T) {
	var figures, brackets strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&figures, "item number %d.5 stands here, and so on and on. ", i+10)
	}
	brackets.WriteString(strings.Repeat(`{"a":[`, 1500))
	in := &schemas.Interaction{Answer: figures.String()}
	for range 10 {
		in.Sources = append(in.Sources, schemas.Source{Text: figures.String()[:9000]}, schemas.Source{Text: brackets.String()})
	}
	var doc detectors.Document
	doc.Reset(in)
	require.Empty(t, Findings(&doc), "the other figures of the sources were not read")
	require.Positive(t, Of(&doc).Unread)
	require.True(t, Of(&doc).Truncated)
	require.LessOrEqual(t, len(figureindex.Of(&doc).Answer), 256)
	require.LessOrEqual(t, len(figureindex.Of(&doc).Sources), 2048)
}
