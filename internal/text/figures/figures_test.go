package figures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
	"confab/internal/text/figures"
)

func TestAppend(t *testing.T) {
	tests := []struct{ in, want string }{
		{"1,200 visitors", "1200"},
		{"1.2k visitors", "1200~"},
		{"twelve hundred visitors", "1200"},
		{"one hundred and five steps", "105"},
		{"two hundred thousand votes", "200000~"},
		{"1.2 million and 3bn", "1200000~ 3000000000~"},
		{"half a million users, a dozen eggs", "500000~ 12"},
		{"three and a half stars", "3.5 rating"},
		{"twenty-five, forty two", "25 42"},
		{"one of them came with another one", ""},
		{"one mile away", "1609.344 length"},
		{"5% or 5 percent or five per cent", "5% 5% 5%"},
		{"$3m, $11.80, €5, 5 euros, 20 dollars", "$3000000~ $11.8 €5 €5 $20"},
		{"3 km and 3000 meters", "3000 length 3000 length"},
		{"90 minutes or 1.5 hours", "5400 duration 5400 duration"},
		{"about 500, over 5, more than 7, less than 9, up to 12", "500 about 5 least 7 least 9 most 12 most"},
		{"3rd, 21st and third", "3. 21. 3."},
		{"on January 5, 2020", "2020-01-05"},
		{"Jan. 5, 5 January 2020, the 5th of January", "0000-01-05 2020-01-05 0000-01-05"},
		{"2020-01-31, 1/31/2020, 31/1/2020", "2020-01-31 2020-01-31 2020-01-31"},
		{"2022-01-16 23:37:37", "2022-01-16 23:37"},
		{"in June and May 2004; they may march in May", "0000-06-00 2004-05-00 0000-05-00"},
		{"the 1990s, the '90s, 1987", "1990s 1990s 1987-00-00"},
		{"2000 people", "2000-00-00"}, // a year, which equals a count of that value
		{"2,000 people", "2000"},
		{"on Monday and Fridays", "day1 day5"},
		{"5 pm, 5:30 p.m., 11am, 10:00am, 17:0, noon", "17:00 17:30 11:00 10:00 17:00 12:00"},
		{"9:0-19:0", "9:00? 19:00"},
		{"9-5pm, 7 am - 2 pm, 14:00 pm", "9:00 17:00 7:00 14:00 14:00"},
		{"as passage 2 says [3] in 65 words", "label label"},
		{"version 1.2.3", "code"},
		{"B12 and x86", ""},
		{"1/2 cup", "0.118 volume"},
		{"1234567890123456789012345", "1.2345678901234568e+24"},
		{"", ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) { require.Equal(t, tt.want, describeAll(tt.in)) })
	}
}

func describeAll(s string) string {
	var out []string
	for _, f := range figures.Append(nil, s, text.AppendTokens(nil, s)) {
		out = append(out, describe(f))
	}
	return strings.Join(out, " ")
}

func describe(f figures.Figure) string {
	switch f.Kind { //nolint:exhaustive // the rest follows
	case figures.Label:
		return "label"
	case figures.Code:
		return "code"
	case figures.Date:
		switch {
		case f.Period > 0:
			return fmt.Sprintf("%04d-%02d+%d", f.Year, f.Month, f.Period)
		case f.Weekday > 0:
			return fmt.Sprintf("day%d", f.Weekday)
		case f.Decade:
			return fmt.Sprintf("%ds", f.Year)
		}
		return fmt.Sprintf("%04d-%02d-%02d", f.Year, f.Month, f.Day)
	case figures.Clock:
		half := ""
		if f.HalfDay {
			half = "?"
		}
		return fmt.Sprintf("%d:%02d%s", int(f.Value)/60, int(f.Value)%60, half)
	}
	v := f.Value
	if f.Unit.Factor > 0 {
		v *= f.Unit.Factor
	}
	out := fmt.Sprintf("%.17g", v)
	if len(out) > 8 && v < 1e15 {
		out = strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".")
	}
	switch f.Kind { //nolint:exhaustive // the others have no sign
	case figures.Percent:
		out += "%"
	case figures.Ordinal:
		out += "."
	case figures.Money:
		out = map[figures.Dimension]string{
			figures.Dollar: "$", figures.Euro: "€", figures.Pound: "£", figures.Yen: "¥", figures.Rupee: "₹",
			figures.Yuan: "CNY", figures.Franc: "CHF", figures.Krona: "SEK", figures.Ruble: "₽",
		}[f.Unit.Dimension] + out
	}
	if f.Scaled {
		out += "~"
	}
	out += map[figures.Sense]string{figures.About: " about", figures.AtLeast: " least", figures.AtMost: " most"}[f.Sense]
	if f.Kind == figures.Count {
		out += map[figures.Dimension]string{
			figures.Length: " length", figures.Duration: " duration", figures.Volume: " volume", figures.Rating: " rating",
			figures.Mass: " mass", figures.Calendar: " calendar", figures.Temperature: " temperature", figures.Celsius: " celsius", figures.Fahrenheit: " fahrenheit",
			figures.Electricity: " electricity", figures.Frequency: " frequency", figures.Speed: " speed",
			figures.Energy: " energy", figures.Power: " power", figures.Data: " data", figures.Area: " area",
		}[f.Unit.Dimension]
	}
	return out
}

func TestAppendDoesNotAllocate(t *testing.T) {
	s := strings.Repeat("On 5 January 2020, 1,200 people paid $3m for 12 km at 9:30 pm. ", 20)
	tokens := text.AppendTokens(nil, s)
	found := figures.Append(nil, s, tokens)
	require.NotEmpty(t, found)
	require.Zero(t, testing.AllocsPerRun(10, func() { found = figures.Append(found[:0], s, tokens) }))
}

func BenchmarkAppend(b *testing.B) {
	s := strings.Repeat("The bridge over the river was opened by the mayor in 1987 and is as long as it is wide. ", 60)
	tokens := text.AppendTokens(nil, s)
	var found []figures.Figure
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		found = figures.Append(found[:0], s, tokens)
	}
}

// Digits of every script, and invisible characters in and around a number, do not change a figure.
func TestDigitsOfScripts(t *testing.T) {
	read := func(s string) (values []float64) {
		for _, f := range figures.Append(nil, s, text.AppendTokens(nil, s)) {
			values = append(values, f.Value)
		}
		return values
	}
	for _, zero := range "０٠۰०০𝟎𝟘" {
		s := strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return zero + r - '0'
			}
			return r
		}, "The fee is 140 pounds in 2019.")
		require.Equal(t, []float64{140, 2019}, read(s), s)
	}
	hidden := strings.Join(strings.Split("The fee is 140 pounds.", ""), "\u200b")
	require.Equal(t, []float64{140}, read(hidden))
	for _, space := range []string{"  ", "\u3000", "\u00a0"} {
		require.Equal(t, figures.Money, figures.Append(nil, "60"+space+"euros", text.AppendTokens(nil, "60"+space+"euros"))[0].Kind, "%q", space)
	}
	for value, runes := range map[float64]string{4: "４٤४", 9: "９٩𝟿"} {
		for _, r := range runes {
			require.Equal(t, []float64{value}, read("It has "+string(r)+" rooms."), string(r))
		}
	}
}
