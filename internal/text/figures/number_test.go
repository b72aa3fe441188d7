package figures_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// figureCase is a text and its figures in the notation of describe.
type figureCase struct{ in, want string }

func requireFigures(t *testing.T, tests []figureCase) {
	t.Helper()
	for _, tt := range tests {
		require.Equal(t, tt.want, describeAll(tt.in), "%q", tt.in)
		require.Equal(t, tt.want, describeAll("\n\t("+tt.in+")\n"), "%q in parentheses", tt.in)
	}
}

func TestNumbers(t *testing.T) {
	requireFigures(t, []figureCase{
		{"0", "0"},
		{"007", "7"},
		{"3.0", "3"},
		{"0.125", "0.125"},
		{"1,234,567.89", "1234567.89"},
		{"12,34,567", "1234567"}, // lakh and crore
		{"5,000.", "5000"},
		{"1, 2; 3", "1 2 3"},
		{"5 six", "5 6"},
		{"1/2, 3/4", "0.5 0.75"},
		{"2/1, 1/13, 0/5", "2 1 1 13 0 5"}, // not fractions
		{"999999999999999", "999999999999999"},
	})
}

func TestScales(t *testing.T) {
	requireFigures(t, []figureCase{
		{"3k, 3K", "3000~ 3000~"},
		{"3m, 3M, 3mn", "3000000~ 3000000~ 3000000~"},
		{"3b, 3B, 3bn", "3000000000~ 3000000000~ 3000000000~"},
		{"2.5 thousand", "2500~"},
		{"3 Million and 3-million", "3000000~ 3000000~"},
		{"3 trillion", "3000000000000~"},
		{"3 hundred thousand", "300000~"},
		{"two dozen", "24~"},
		{"half a dozen", "6~"},
		{"a hundred, a million", "100 1000000"},
		{"dozens of eggs, hundreds of cups, millions of people", ""},
		{"a thousand million", "1000000000~"},
	})
}

func TestSpelledNumbers(t *testing.T) {
	requireFigures(t, []figureCase{
		{"zero", "0"},
		{"Twelve, FIVE", "12 5"},
		{"twenty one, twenty-one", "21 21"},
		{"ten ten, twenty-twenty", "10 10 20 20"},
		{"one hundred and one", "101"},
		{"one hundred, and one", "100"},
		{"seventy-five thousand two hundred", "75200~"},
		{"one million two hundred thousand", "1200000~"},
		{"three hundred thousand", "300000~"},
		{"nineteen eighty-four", "19 84"},
		{"one, number one, no one", ""},
		{"one hour", "3600 duration"},
		{"hundred", ""},
		{"half", ""},
		{"tend, often, weight, sixpence", ""},
	})
}

func TestOrdinals(t *testing.T) {
	requireFigures(t, []figureCase{
		{"1st, 2nd, 3RD, 11th", "1. 2. 3. 11."},
		{"fourth and twentieth", "4. 20."},
		{"a third, one third", ""},
		{"third-party", ""},
		{"first, second", ""}, // mostly not ranks: at first, a second
	})
}

func TestPercent(t *testing.T) {
	requireFigures(t, []figureCase{
		{"5%, 0.5 %, 100%", "5% 0.5% 100%"},
		{"5 percentage points, 5-percent", "5% 5%"},
		{"half a million percent", "500000%~"},
		{"10-15%", "10% 15%"},
		{"3 to 10 %", "3% 10%"},
		{"5 per year", "5"},
		{"5, % of", "5"},
	})
}

func TestMoney(t *testing.T) {
	requireFigures(t, []figureCase{
		{"$5, $ 5, US$5, $1,234.50", "$5 $5 $5 $1234.5"},
		{"€5, € 5, 5€, 5 €", "€5 €5 €5 €5"},
		{"£5.50, ¥100, ₹500", "£5.5 ¥100 ₹500"},
		{"5 USD, 5 EUR, 5 GBP, 5 JPY, 5 INR", "$5 €5 £5 ¥5 ₹5"},
		{"five dollars, 3 bucks, 50 cents", "$5 $3 $0.5"},
		{"10 yen, 5 rupees, 5 pounds", "¥10 ₹5 £5"},
		{"$1.5 billion, £3m, 3 million dollars", "$1500000000~ £3000000~ $3000000~"},
		{"$10-15, $10 to $15, 10–15 €", "$10 $15 $10 $15 €10 €15"},
	})
}

func TestUnits(t *testing.T) {
	requireFigures(t, []figureCase{
		{"5km, 5 Km, 5-km", "5000 length 5000 length 5000 length"},
		{"10 meters, 5 cm, 5 ft", "10 length 0.05 length 1.524 length"},
		{"5 feet 3 inches", "1.524 length 0.076 length"},
		{"5 kg, 500g, 2 tonnes", "5000 mass 500 mass 2000000 mass"},
		{"2 liters, 250ml", "2 volume 0.25 volume"},
		{"30 min, 2 hrs, 3 weeks", "1800 duration 7200 duration 1814400 duration"},
		{"6 months, 2 decades", "6 calendar 240 calendar"},
		{"20°, 20 degrees, -40 °C", "20 temperature 20 temperature -40 celsius"},
		{"100 mph, 100 kph", "160.934 speed 100 speed"},
		{"200 kcal, 3 kW, 5 GB, 5 acres", "200 energy 3000 power 5000000 data 5 area"},
		{"4-star, 5 stars", "4 rating 5 rating"},
		{"two-week", "1209600 duration"},
		{"3–5 km, 3 to 5 km", "3000 length 5000 length 3000 length 5000 length"},
		{"3, km", "3"},
		{"5 lightyears, 3x, 4 apples", "5 3 4"},
	})
}

func TestSenses(t *testing.T) {
	requireFigures(t, []figureCase{
		{"around five, nearly 3, some 50, roughly 7", "5 about 3 about 50 about 7 about"},
		{"about a dozen, an estimated 500", "12 about 500 about"},
		{"at least 3, above 4, more than five, greater than 3", "3 least 4 least 5 least 3 least"},
		{"10+ years", "10 least"},
		{"at most 3, within 5, fewer than 5, a maximum of 5", "3 most 5 most 5 most 5 most"},
		{"up to 5, added to 5", "5 most 5"},
	})
}

func TestLabelsAndCodes(t *testing.T) {
	requireFigures(t, []figureCase{
		{"Figure 5, Table 2, page 12, Chapter 3", "label label label label"},
		{"passages 2 and 3", "label label"},
		{"sources 1, 2 or 3", "label label label"},
		{"4 out of 5", "4 label"},
		{"24/7", "label label"},
		{"seven days a week", "label"},
		{"the five, the 5", "label 5"},
		{"COVID-19, GPT-4", "label label"},
		{"two sentences", "label"},
		{"[3], [1, 2], 【1†a】", ""},
		{"B12, H2O, MP3, v2, x86", ""},
		{"3dprinting", ""},
		{"192.168.10.1", "code"},
	})
}

func TestFigureFields(t *testing.T) {
	for in, want := range map[string]figures.Figure{
		"3.25":       {Value: 3.25, Decimals: 2, End: 4, Last: 1},
		"3.25 rains": {Value: 3.25, Decimals: 2, Counts: true, End: 4, Last: 1},
		"a 1.5k run": {Value: 1500, Decimals: 1, Scaled: true, Counts: true, Start: 2, End: 6, First: 1, Last: 2},
		"  two km": {
			Value: 2, Unit: figures.Unit{Dimension: figures.Length, Factor: 1000}, Spelled: true, Start: 2, End: 8, Last: 2,
		},
		"over $5": {
			Value: 5, Kind: figures.Money, Unit: figures.Unit{Dimension: figures.Dollar, Factor: 1}, Sense: figures.AtLeast,
			Start: 6, End: 7, First: 1, Last: 2,
		},
		"9:30":      {Kind: figures.Clock, Value: 570, HalfDay: true, End: 4, Last: 2},
		"May 2019":  {Kind: figures.Date, Year: 2019, Month: 5, End: 8, Last: 2},
		"the 1990s": {Kind: figures.Date, Value: 1990, Year: 1990, Decade: true, Start: 4, End: 9, First: 1, Last: 2},
	} {
		before := figures.Figure{Value: -1}
		found := figures.Append([]figures.Figure{before}, in, text.AppendTokens(nil, in))
		require.Equal(t, []figures.Figure{before, want}, found, "%q", in)
	}
}
