package facts

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/detectortest"
	"confab/schemas"
)

// Answers that apply a rule of a source to the user's case, compute with its operands, turn a condition with its negation or name one
// end of a range are right; those beside them that do not are accused.
func TestCasesAndConditions(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	const (
		licences = "One licence costs 40 euros. From 10 licences on there is a discount of 10 percent."
		ferry    = "The ferry from Alm to Torre arrives at 14:20. Today all ferries are 25 minutes late."
		room     = "The room costs 90 euros per night. Breakfast is 14 euros. Parking is 11 euros."
		leave    = "Employees with more than 5 years of service get 30 days of leave."
	)
	tests := []struct{ user, source, answer, fires string }{
		{"I've worked here 6 years.", leave, "Employees with 6 years of service get 30 days of leave.", ""},
		{"I've worked here 4 years.", leave, "Employees with 4 years of service get 30 days of leave.", "4 years"},
		{"Is 20 days fine?", "Items can be returned within 14 days of delivery.", "Items can be returned within 20 days of delivery.", "20 days"},
		{"I need 15 licences.", licences, "15 licences cost 540 euros after the 10% discount.", ""},
		{"I need 15 licences.", licences, "15 licences cost 560 euros after the 10% discount.", "560 euros"},
		{"", "The Solo plan includes 5 boards and 2 GB of storage.", "The Solo plan includes 10 boards and 2 GB of storage.", "10"},
		{"Next month?", "The ferry runs from May to September.", "Yes, the ferry runs in June.", ""},
		{"Next month?", "The ferry runs in May.", "Yes, the ferry runs in June.", "June"},
		{"", "The desk is open from Monday to Friday.", "The desk is open from Monday to Thursday.", "Thursday"},
		{"", "Invoices are sent in March and September.", "Invoices are sent in June.", "June"},
		{"", "Interns have 4 workshops per semester.", "Interns have 8 workshops per year.", ""},
		{"", "Interns have 4 workshops per semester.", "Interns have 9 workshops per year.", "9"},
		{"", "Interns have 4 workshops per semester.", "Interns have 8 workshops per semester.", "8"},
		{"", "The lease lasts 2 years. Tenants with a garden get 1 more year.", "For tenants with a garden the lease lasts 3 years.", ""},
		{"", "The lease lasts 2 years. The garden has a wall of 1 metre.", "For tenants with a garden the lease lasts 3 years.", "3 years"},
		{"", "Members of the club get 4 more guest passes a year.", "Members of the club get 8 more guest passes a year.", "8"},
		{"", "Do not carry more than 4 crates on the cart.", "Do not carry more than 8 crates on the cart.", "8"},
		{"", "Ab 30 Gästen gibt es einen eigenen Raum.", "Bei 25 Gästen gibt es keinen eigenen Raum.", ""},
		{"", "Ab 30 Gästen gibt es einen eigenen Raum.", "Bei 40 Gästen gibt es keinen eigenen Raum.", "40"},
		{"", "Parcels of 20 kg or more are picked up.", "Parcels of 12 kg are not picked up.", ""},
		{"", "Parcels of 20 kg or more are picked up.", "Parcels of 30 kg are not picked up.", "30 kg"},
		{"", "Paper is collected every other Thursday from 8 January 2026.", "Paper is collected on Thursday, 5 February 2026.", ""},
		{"", "Paper is collected every other Thursday from 8 January 2026.", "Paper is collected on Thursday, 12 February 2026.", "12 February 2026"},
		{"", "The talk takes place on 21 May 2026.", "The talk is on 21 May 2026 (Thursday).", ""},
		{"", "The talk takes place on 21 May 2026.", "The talk is on 21 May 2026 (Tuesday).", "21 May 2026 (Tuesday"},
		{"", "The talk takes place on 21 May 2026.", "The talk is on 21 May 2026, in room 4 (Tuesdays are closed).", ""},
		{"", "Der Vortrag ist am 21. Mai 2026.", "Der Vortrag ist am Dienstag, dem 21. Mai 2026.", "Dienstag, dem 21. Mai 2026"},
		{"", "The talk takes place on 21 May 2026.", "The talk is on Tue, May 21, 2026.", "Tue, May 21, 2026"},
		{"I have 120 stamps", "One stamp is given per 10 euros; 40 stamps are worth 6 euros.", "40 stamps are worth 6 euros, so your 120 stamps are worth 18 euros.", ""},
		{"I have 120 stamps", "One stamp is given per 10 euros; 40 stamps are worth 6 euros.", "40 stamps are worth 6 euros, so your 120 stamps are worth 19 euros.", "19 euros"},
		{"", "You can prune between March and June.", "You can prune in April.", ""},
		{"", "The lift runs from March to October and in December at weekends.", "The lift runs from March to October, so in June it is open.", ""},
		{"", "The pool is open from Monday to Friday, also on Saturday.", "The pool is open from Monday to Thursday, also on Saturday.", "Thursday"},
		{"", "Die Sauna ist von November bis März geöffnet.", "Die Sauna ist im Januar geöffnet.", ""},
		{"", room, "The room costs 104 euros per night.", "104 euros"},
		{"", "The ferry leaves at 14:20. The crossing takes 25 minutes.", "The ferry leaves at 14:45.", "14:45"},
		{"", "The pool opens at 8:00.", "The pool opens at 10:00. Ask Petra in Reception.", "10:00"},
		{"", "The desk lamp costs 60 euros. The shop is on the third floor.", "The desk lamp costs 20 euros.", "20 euros"},
		{"", "Adults pay 20 euros. Seniors pay half.", "Seniors pay 10 euros.", ""},
		{"", "The battery of the drill lasts 18 hours.", "The battery of the drill lasts six hours.", "six hours"},
		{"", "Sick pay is 100% of salary for 6 weeks.", "Sick pay is 100% of salary for 8 weeks.", "8 weeks"},
		{"", "The grant pays 60% of costs for 5 years, 40% for firms.", "The grant pays 60% of costs for 4 years, 40% for firms.", "4 years"},
		{"", "Outdoor courts cost 14 euros per hour, indoor courts 22 euros.", "Outdoor courts cost 28 euros per hour, indoor courts 22 euros.", "28 euros"},
		{"We book 2 hours.", "Outdoor courts cost 14 euros, indoor courts 22 euros.", "Outdoor courts cost 28 euros, indoor courts 22 euros.", ""},
		{"", "Plan A costs 20 euros per month. Plan B costs 32 euros per month.", "Plan B costs 12 euros more per month.", ""},
		{"I joined in May 2018 and it is June 2026.", "Employees with more than 6 years of service get 20 weeks.", "Employees with 8 years of service get 20 weeks.", ""},
		{"", "The cloth is flammable.", "The cloth is inflammable.", ""},
		{"", "Refunds are possible after purchase.", "Refunds are not possible.", ""},
		{"", "Skates are free for pupils of the school; non-pupils pay 4 euros.", "Skates are free for school pupils.", ""},
		{"", "Passport photos are taken at Lund and Ystad only.", "Passport photos aren't taken at Ås, only at Lund and Ystad.", ""},
		{"", "We offer 24-hour support on weekdays.", "We offer no 24-hour support on weekdays.", "no"},
		{"", "Siehe Absatz 31. Im Juni 2026 beginnt die Phase.", "Siehe Absatz 31. Juni 2026 beginnt die Phase.", ""},
		{"", "Call us on 0800 330 4455 (24/7).", "Call us on 0800 330 4455.", ""},
		{"", "Call us on 0800 330 4455 (24/7).", "Call us on 0800 330 4544.", "0800 330 4544"},
		{"", ferry, "Today the ferry from Alm to Torre arrives at 14:45.", ""},
		{"", ferry, "Today the ferry from Alm to Torre arrives at 14:55.", "14:55"},
		{"", room, "With breakfast and parking, the room costs 115 euros per night.", ""},
		{"", room, "With breakfast and parking, the room costs 125 euros per night.", "125 euros"},
		{"", "The rent for the flat is 800 euros. From July it rises by 5 percent.", "From July the rent for the flat is 840 euros.", ""},
		{"", "The account costs 6.90 euros a month. The debit card costs 12 euros a year, the credit card 39 euros a year.", "A year is 12 × €6.90 = €82.80. With €12 for the debit card and €39 for the credit card it is €133.80 a year.", ""},
		{"", "Call us within 2 hours if the meter is faulty. A refund is made within 14 days of the report.", "A refund is made within 14 days of the report if the meter is faulty.", ""},
		{"", "The desk is staffed from 8am to 6pm.", "The desk is staffed until 6pm.", ""},
		{"", "The desk is staffed from 8am to 6pm.", "The desk is staffed until 8am.", "until"},
		{"", "Refunds are not possible after 30 days.", "Refunds are possible within 30 days.", ""},
		{"", "Refunds are not possible after 30 days.", "Refunds are possible after 30 days.", "Refunds are possible"},
		{"", "No dogs are allowed on the beach before 18:00.", "Dogs are allowed on the beach after 18:00.", ""},
		{"", "No se puede entrar después de las 20:00.", "Se puede entrar hasta las 20:00.", ""},
		{"", "Les mineurs ne peuvent pas ouvrir de compte sans l'accord d'un parent.", "Les mineurs peuvent ouvrir un compte avec l'accord d'un parent.", ""},
		{"", "The shop opens at 9:00, except on Sundays.", "The shop does not open at 9:00 on Sundays.", ""},
		{"", "No se admiten perros, salvo perros guía.", "Se admiten perros guía.", ""},
	}
	for _, tt := range tests {
		in := &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: tt.source}}}
		if tt.user != "" {
			in.Messages = []schemas.Message{{Role: "user", Content: tt.user}}
		}
		f, _ := detectortest.Detect(t, d, in)
		found := ""
		for _, e := range f.Evidence {
			found += tt.answer[e.Start:e.End]
		}
		require.Equal(t, tt.fires, found, tt.answer)
	}
}

// What is shown is what the source writes, and of the figures that could be meant the one nearest in digits.
func TestSays(t *testing.T) {
	t.Parallel()
	d, err := New(Options{})
	require.NoError(t, err)
	const fees = "Annual fees: residual bin 60 l EUR 98.40, 120 l EUR 171.60, 240 l EUR 318.00. Exchange of a bin size: EUR 22.50, first exchange in a year free."
	for _, tt := range []struct{ source, answer, says string }{
		{"Order TNF-090260 was sent on Monday.", "Your order TNF-090620 was sent on Monday.", "TNF-090260"},
		{fees, "The 60 l residual bin costs EUR 89.40 a year.", "98.40"},
	} {
		f, _ := detectortest.Detect(t, d, &schemas.Interaction{Answer: tt.answer, Sources: []schemas.Source{{ID: "1", Text: tt.source}}})
		require.Len(t, f.Evidence, 1, tt.answer)
		require.Equal(t, tt.says, f.Evidence[0].Says)
	}
}
