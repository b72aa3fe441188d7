package figures_test

import (
	"testing"
)

func TestSeparators(t *testing.T) {
	requireFigures(t, []figureCase{
		{"1.234,56 €; 1,234.56 €", "€1234.56 €1234.56"},
		{"1.234.567 and 1,234,567", "1234567 1234567"},
		{"3,5 km; 0,875", "3500 length 0.875"},
		{"1 234,56 €; 12 500 euros", "€1234.56 €12500"},
		{"12\u00a0500 people, 1\u202f000\u202f000", "12500 1000000"},
		{"1'234.50 and 1’234’567", "1234.5 1234567"},
		{"100 200 3000; 12 345 units", "100 200 3000 12 345"}, // numbers of their own
		{"3万, 1.5亿", "30000~ 150000000~"},
		{"2½ and 2 1/2 cups", "2.5 0.591 volume"},
		{"two and a half million", "2500000~"},
		{"**67** million; `67` million; *67* **million**; 67 `km`", "67000000~ 67000000~ 67000000~ 67000 length"},
		{"1,2,3", ""},
	})
}

func TestIdentifiers(t *testing.T) {
	requireFigures(t, []figureCase{
		{"1.2.3, 10.0.0.1, v1.2.3", "code code 2.3"},
		{"555-123-4567, (555) 123-4567, +49 30 1234567, 030 1234-5678", "code code code code"},
		{"978-3-16-148410-0, 12-3456-789", "code code"},
		{"1-2-20, 3-5", "1 2 20 3 5"},
		{"2020-13-01, 1990-1995", "2020-00-00 13 1 1990-00-00 1995-00-00"},
	})
}

func TestMoreDates(t *testing.T) {
	requireFigures(t, []figureCase{
		{"31.03.2024, 1.3.2024, 31.03.24, 2024.03.31", "2024-03-31 2024-03-01 2024-03-31 2024-03-31"},
		{"31. März 2024, 3. Oktober 1990, 14 juillet 1789", "2024-03-31 1990-10-03 1789-07-14"},
		{"12 de octubre de 1592", "1592-10-12"},
		{"2024年3月31日, 2024年3月, 3月31日", "2024-03-31 2024-03-00 0000-03-31"},
		{"30 February, February 30, 31.04.2024", "30 0000-02-00 0000-02-00 30 code"},
		{"29 February 2023, 29.02.2023, 29.02.2024", "2023-02-29 code 2024-02-29"},
		{"Q1 2024, 2024 Q3, first quarter of 2021, H2/2023", "2024-01+3 2024-07+3 2021-01+3 2023-07+6"},
		{"the first quarter, a quarter, Q5 2024", "2024-00-00"},
		{"the 18th century, XVIII century, eighteenth-century", "1700-00+1200 1700-00+1200 1700-00+1200"},
		{"Louis XIV, Henry VIII, the xiv, XIV", "14. 8."},
	})
}

func TestMoreTimes(t *testing.T) {
	requireFigures(t, []figureCase{
		{"17h30, 09h-17h, 9h-17h", "17:30 9:00 17:00 9:00 17:00"},
		{"5h, 2h", "18000 duration 7200 duration"},
		{"0900-1730 hours, 0800 hours", "9:00 17:30 8:00"},
		{"1500 hours", "5400000 duration"},
		{"8.30-18.00 Uhr, 6.30 pm", "8:30 18:00 18:30"},
		{"16:9, 3:1, 21:05", "16 9 3 1 21:05"},
	})
}

func TestSignsAndMeasures(t *testing.T) {
	requireFigures(t, []figureCase{
		{"-5 °C, −5 %, minus 5 °C", "-5 celsius -5% -5 celsius"},
		{`{"t":-3.4,"u":"-12 °C"} |-3| x=-4,-5 is **-6 °C** "A"-10, 5–7, 1-2`, "-3.4 -12 celsius -3 -4 -5 -6 celsius 10 5 7 1 2"},
		{"3-5, 3 - 5, COVID-19, -10 to -5 °C", "3 5 3 5 label -10 celsius -5 celsius"},
		{"\n- 5 eggs\n-6 eggs", "5 6"},
		{"5$, 5 $, USD 5, 5 US dollars, US$ 5", "$5 $5 $5 $5 $5"},
		{"CHF 50, 50 Swiss francs, 50 yuan", "CHF50 CHF50 CNY50"},
		{"5mm, 5 mm, $5mm, $5 m", "0.005 length 0.005 length $5000000~ $5000000~"},
		{"68 °F, 20 degrees Celsius, 350 degrees F", "68 fahrenheit 20 celsius 350 fahrenheit"},
		{"100 km/h, 10 m/s, 60 miles per hour", "100 speed 36 speed 96.561 speed"},
		{"20 square meters, 3 km²", "0.005 area 741.316 area"},
		{"no more than 5, not less than 5, no fewer than 3, must not exceed 4", "5 most 5 least 3 least 4 most"},
		{"27 in wide, 3 in all, 27in", "0.686 length 3 0.686 length"},
	})
}
