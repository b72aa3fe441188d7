package records

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/evidence"
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/units"
)

// unlimited is work without an end.
type unlimited struct{}

func (unlimited) Spend(int) bool { return true }

func prepare(s string, answer bool) evidence.Prepared {
	s = units.TabCells(s)
	var l units.List
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	read := l.Source
	if answer {
		read = l.Answer
	}
	read(s, sentences, text.AppendTokenRanges(nil, sentences, tokens), tokens)
	return evidence.Prepared{Text: s, Tokens: tokens, Units: &l, Figures: figures.Append(nil, s, tokens)}
}

// readAll reads answers with one reading, which is reused.
func readAll(t *testing.T, source string, answers ...string) (found [][]string) {
	t.Helper()
	kinds := [...]string{"figure", "crossed", "swap", "flag", "null", "other"}
	var x evidence.Index
	var r Reading
	for _, s := range answers {
		answer, sources := prepare(s, true), []evidence.Prepared{prepare(source, false)}
		x.Read(evidence.Input{Answer: answer, Sources: sources, Tokens: &text.Tokenizer{}, Work: unlimited{}})
		r.Read(&x, answer, sources, unlimited{})
		var list []string
		for _, f := range r.Findings {
			require.NotEmpty(t, sources[f.Source].Text[f.From:f.To])
			if f.Sure {
				list = append(list, kinds[f.Kind]+" "+answer.Text[f.Start:f.End])
			}
		}
		found = append(found, list)
	}
	return found
}

const orders = `[{"order_id": 2041, "customer": "Rosa Lindt", "status": "in_transit", "items": 3, "total_usd": 29, "isGift": false, "ships": "2026-03-03", "coupon": null},
{"order_id": 2042, "customer": "Ben Okoye", "status": "delivered", "items": 1, "total_usd": 19, "isGift": true, "ships": "2026-03-06", "coupon": "MAY"}]`

const cities = "city,temp_c,rain_mm,wind_kmh,frost\nOslo,4,12,18,yes\nBergen,9,30,25,no\nTurku,-2,0,11,yes"

const event = `{"event": "Midsummer Night", "venue": "Old Foundry", "doors": "19:00", "begins": "20:00", "price_eur": 48.5, "buyer": "Ann Holt", "seller": "Iva Roth", "wifi_available": false}`

const bags = "| Article | Prix (EUR) | Poids (g) |\n|---|---|---|\n| Sac Orme | 89 | 640 |\n| Sac Tilleul | 119 | 810 |"

const results = "| $ in millions | 2024 | 2023 |\n|---|---|---|\n| Revenue | 3,412 | 3,010 |\n| Cost | 2,100 | 1,990 |"

// TestBound: claims that a field contradicts, each with what is surely wrong.
func TestBound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ source, answer, finds string }{
		{cities, "It is 14 °C in Oslo.", "figure 14 °C"},
		{cities, "Bergen has 12 mm of rain.", "swap 12 mm"},
		{cities, "There is frost in Bergen.", "flag frost"},
		{orders, "Order 2041 costs $19.", "swap 19"},
		{orders, "Order 2041 ships on 6 March 2026, while order 2042 ships on 3 March.", "swap 6 March 2026"},
		{orders, "Order 2041 has been delivered.", "swap delivered"},
		{orders, "Rosa's order is a gift.", "flag gift"},
		{orders, "Order 2042 is not a gift.", "flag gift"},
		{orders, "Order 2042 has 4 items.", "figure 4"},
		{event, "The doors open at 20:00 and it begins at 19:00.", "crossed 20:00"},
		{event, "Tickets cost €44.", "figure 44"},
		{event, "Guests have Wi-Fi.", "flag Fi"},
		{results, "Revenue was $4.1 billion in 2024.", "figure 4.1 billion"},
	} {
		found := readAll(t, c.source, c.answer)[0]
		require.NotEmpty(t, found, c.answer)
		require.Equal(t, c.finds, found[0], c.answer)
	}
}

// TestRight: right claims, derived values and what no field says are quiet, also when one reading is reused.
func TestRight(t *testing.T) {
	t.Parallel()
	for source, answers := range map[string][]string{
		cities: {
			"It is 4 °C in Oslo and 9 °C in Bergen.", "Bergen is 5 degrees warmer than Oslo.", "Turku has no rain and 11 km/h of wind.",
			"Only Bergen has no frost.", "Bergen has the highest wind.", "There are three cities with 42 mm of rain in total.", "It is 39 °F in Oslo.",
			"| City | Temperature |\n|---|---|\n| Oslo | 4 °C |\n| Bergen | 9 °C |",
		},
		orders: {
			"Order 2041 costs $29, order 2042 $19, so $48 in total.", "Rosa's order is not a gift.", "Order 2042 is a gift for $19 and has been delivered.",
			"Rosa's order ships on 3 March and has no coupon.", "Neither order was late.",
		},
		bags:    {"Le sac Tilleul coûte 30 € de plus que le sac Orme.", "Der Aufpreis für den Sac Tilleul ist 30 €.", "The Sac Tilleul is 170 g clear of the Sac Orme."},
		results: {"Revenue was $3.4 billion in 2024.", "Revenue grew by $402 million in 2024."},
		event:   {"The doors open at 7 pm, an hour before it begins.", "There is no Wi-Fi.", "Iva Roth is the seller and Ann Holt the buyer."},
	} {
		for i, found := range readAll(t, source, answers...) {
			require.Empty(t, found, answers[i])
		}
	}
}

// TestCodes: the number of a thing is no amount, count or measure, but another number of as many digits is not that of the thing.
func TestCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, answer string
		finds          []string
	}{
		{`{"acct": "701702", "state": "open"}`, "That leaves £54.15 on your account.", nil},
		{`{"account": 701702, "state": "open"}`, "That leaves £54.15 on your account.", nil},
		{`{"card": "55012", "points": 120}`, "With these points you have 160 on your card.", nil},
		{`{"kundennummer": 4410382, "tarif": "Solo"}`, "Die Kundennummer spart 12 Euro.", nil},
		{`{"numero_compte": 4410382, "formule": "Solo"}`, "Il reste 12 euros sur le compte.", nil},
		{`{"account": 701702, "credit_gbp": 204.15}`, "Your account is 701720.", []string{"figure 701720"}},
		{`{"acct": "701702", "credit_gbp": 204.15}`, "Your credit is £240.15.", []string{"figure 240.15"}},
		{`{"account_limit": 20000, "tier": "gold"}`, "The limit of the account is 25000.", []string{"figure 25000"}},
	} {
		require.Equal(t, c.finds, readAll(t, c.source, c.answer)[0], c.answer)
	}
}

// TestSteps: a figure one step from that of the field is right, and that of another step is not.
func TestSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source, answer string
		finds          []string
	}{
		{`{"credit_gbp": 204.15, "refund_gbp": 150}`, "Your credit is then £54.15.", nil},
		{`{"credit_gbp": 204.15, "refund_gbp": 150}`, "Your credit is then £55.14.", []string{"figure 55.14"}},
		{`{"order": 99120, "stock": 50, "taken": 12}`, "The stock is 38.", nil},
		{`{"order": 99120, "stock": 50, "taken": 12}`, "The stock is 83.", []string{"figure 83"}},
		{`{"price_eur": 120, "discount_pct": 15}`, "The price is €102.", nil},
		{`{"price_eur": 120, "discount_pct": 15}`, "The price is €105.", []string{"figure 105"}},
		{`{"price_eur": 120, "discount_pct": 15}`, "The price is €112.", []string{"figure 112"}},
		{`{"price_eur": 95, "nights": 3}`, "The price is €285.", nil},
		{`[{"item": "lamp", "cost_gbp": 45}, {"item": "desk", "cost_gbp": 30}, {"item": "chair", "cost_gbp": 95}]`, "The lamp and the desk cost £75.", nil},
		{rental, "The Ibiza costs CHF 448 for two weeks.", nil},
		{rental, "For three weeks the Ibiza costs CHF 672.", nil},
		{rental, "The Ibiza costs CHF 64 for the weekend.", nil},
		{rental, "With the deposit you need CHF 648 for two weeks in the Ibiza.", nil},
		{rental, "The Ibiza costs CHF 35 a day.", []string{"figure 35"}},
		{rental, "For two weeks the Ibiza costs CHF 484 a day.", []string{"figure 484"}},
		{`{"plan": "Flex", "eur_month": 39, "joining_fee_eur": 25}`, "Flex costs EUR 468 a year, or EUR 493 with the joining fee.", nil},
		{`{"miete": 890, "kaution": 1780}`, "Die Miete beträgt 10.680 € im Jahr.", nil},
		{depots, "Eastfield has 24 drivers.", []string{"figure 24"}}, // 15 + 9: by chance
		{depots, "Eastfield has 18 drivers.", []string{"figure 18"}},
	} {
		require.Equal(t, c.finds, readAll(t, c.source, c.answer)[0], c.answer)
	}
}

const rental = `{"firm": "Hertz", "model": "Ibiza", "chf_day": 32, "deposit_chf": 200}`

const depots = "| Depot | Vans | Drivers |\n|---|---|---|\n| Norrby | 14 | 22 |\n| Eastfield | 9 | 15 |"

// TestNoRecords: prose has no fields.
func TestNoRecords(t *testing.T) {
	t.Parallel()
	require.Empty(t, readAll(t, "The order costs $29 and is no gift.", "The order costs $19 and is a gift.")[0])
}
