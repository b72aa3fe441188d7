package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	index "confab/internal/evidence"
	"confab/internal/text/figures"
	"confab/schemas"
)

// A changed figure is not excused by what the answer computed right in other sentences, and what follows from that in a step is right.
func TestComputedFiguresExcuseFew(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	tests := []struct{ source, answer, fires string }{
		{
			"The pump delivers 40 litres a minute at 2.5 bar. The tank holds 1,200 litres. The warranty is 24 months.",
			"The tank fills in 30 minutes; two fills take 60 minutes and 2,400 litres. The warranty is 86 months.", "86 months",
		},
		{
			"The car uses 5.4 litres per 100 km. The tank holds 50 litres. Service is due every 30,000 km or 24 months.",
			"With a full tank you drive about 926 km; 500 km take 27 litres. Service is due every 20,000 km.", "20,000 km",
		},
		{
			"A pallet holds 48 boxes of 24 bottles. A bottle weighs 1.3 kg, an empty pallet 25 kg.",
			"A pallet has 1,152 bottles. They weigh 1,497.6 kg. With the pallet it is 1,522.6 kg. Two of them weigh 3,045.2 kg.", "",
		},
		{
			"Tickets cost 48 euros, children half. Groups of 10 or more get 25 % off.",
			"Eight adults pay 384 euros. Four children pay 96 euros. Together 480 euros. With the discount it is 360 euros. That is 30 euros a head.", "",
		},
	}
	for _, tt := range tests {
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: tt.source}}})
		found := ""
		for _, e := range f.Evidence {
			found += tt.answer[e.Start:e.End]
		}
		require.Equal(t, tt.fires, found, tt.answer)
	}
}

// Figures of the user are compared with those of the sources once for an answer, and that is counted.
func TestUserAddsIsCountedOnce(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	_, doc := detectortest.Detect(t, d, &schemas.Interaction{Answer: "Yes."})
	list := make([]index.Figure, 1000)
	for i := range list {
		list[i].Figure = figures.Figure{Value: float64(i)}
	}
	e := &evidence{doc: doc, user: side{figures: list}, sources: side{figures: list}}
	before := doc.Work().Spent()
	for range 100 {
		require.False(t, e.userAdds())
	}
	require.Equal(t, int64(len(list)*len(list)), doc.Work().Spent()-before)
	e = &evidence{doc: doc, user: side{figures: list}, sources: side{figures: list[1:]}}
	require.True(t, e.userAdds())
}

// Answers that convert, compute or say the figures of a source in another way are right; those beside them that do not are accused.
func TestFiguresInOtherForms(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	tests := []struct{ source, answer, fires string }{
		{"The Basic plan costs 12 euros a month. Invoices are sent by e-mail.", "The Basic plan costs 144 euros a year.", ""},
		{"The Basic plan costs 12 euros a month. Invoices are sent by e-mail.", "The Basic plan costs 12 euros a year.", "year"},
		{"L'abonnement coûte 9 euros par mois. Il est sans engagement.", "L'abonnement coûte 108 euros par an.", ""},
		{"The server ships within 5 working days.", "The server ships within a working week.", ""},
		{"The cleaner comes four times a week.", "The cleaner comes about 16 times a month.", ""},
		{"Adults pay 20 euros, seniors pay half.", "Seniors pay 10 euros.", ""},
		{"Adults pay 20 euros, seniors pay half.", "Seniors pay 12 euros.", "12 euros"},
		{"La entrada cuesta 16 euros. Los jubilados pagan la mitad.", "Un jubilado paga 8 euros.", ""},
		{"Der Kurs kostet 90 Euro. Studierende erhalten ein Drittel Rabatt.", "Für Studierende kostet der Kurs 60 Euro.", ""},
		{"Die Kaltmiete beträgt 900 Euro. Die Kaution beträgt drei Monatsmieten.", "Die Kaution beträgt 2.700 Euro.", ""},
		{"The webinar starts at 15:00 Berlin time. Please log in 10 minutes early.", "In London the webinar starts at 14:00. Please log in by 13:50.", ""},
		{"The webinar starts at 15:00. Please log in 10 minutes early.", "The webinar starts at 14:00.", "14:00"},
		{"La piscine est ouverte de 7 h à 20 h 30, le dimanche jusqu'à six heures.", "La piscine ferme à huit heures et demie du soir, le dimanche à six heures.", ""},
		{"Children receive 15 mg per kilogram every six hours, at most four doses a day.", "A child of 20 kg receives 300 mg every six hours, at most 1,200 mg a day.", ""},
		{"At the start of the year Torvald had 1,150 employees. Over the year 140 left and 95 joined.", "At the end of the year Torvald had 1,105 employees, 45 fewer than at the start.", ""},
		{"The form teacher of 7B is Ms Okafor. The form teacher of 9C is Mr Lind.", "The form teacher of year 7, class B is Ms Okafor.", ""},
	}
	for _, tt := range tests {
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: tt.source}}})
		found := ""
		for _, e := range f.Evidence {
			found += tt.answer[e.Start:e.End]
		}
		require.Equal(t, tt.fires, found, tt.answer)
	}
}
