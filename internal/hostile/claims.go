package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// numberKinds returns figures, amounts, dates and times.
func numberKinds() []Kind {
	return []Kind{
		repeatedUnits("numbers", func(r *rand.Rand) string {
			return fmt.Sprintf("%d,%03d.%02d ", 1+r.IntN(999), r.IntN(1000), r.IntN(100))
		}),
		constantUnit("one long number", "7"),
		constantUnit("long decimals", "3.14159265358979323846264338327950288419716939937510 "),
		constantUnit("dots and digits", "1.2.3.4.5."),
		constantUnit("grouped digits", "1,234,567,"),
		repeatedUnits("units", func(r *rand.Rand) string {
			return strconv.Itoa(r.IntN(1000)) + pickOne(r, " km", "kg", " %", "°C", " mph", " square metres", "GB") + " "
		}),
		repeatedUnits("amounts", func(r *rand.Rand) string {
			return pickOne(r, "$", "€", "£", "USD ") + fmt.Sprintf("%d.%d", r.IntN(1000), r.IntN(100)) + pickOne(r, " million", "bn", "k", "") + " "
		}),
		repeatedUnits("dates", func(r *rand.Rand) string {
			return fmt.Sprintf("May %d, %d. %d-%02d-%02d ", 1+r.IntN(31), 1900+r.IntN(200), 1900+r.IntN(200), 1+r.IntN(12), 1+r.IntN(28))
		}),
		repeatedUnits("times", func(r *rand.Rand) string {
			return fmt.Sprintf("%d:%02d %s ", r.IntN(24), r.IntN(60), pickOne(r, "am", "p.m.", "UTC"))
		}),
		repeatedUnits("opening hours", func(r *rand.Rand) string {
			return fmt.Sprintf("Open Monday to %s from %d:00 to %d:30. ", pickOne(r, "Friday", "Sunday"), r.IntN(12), 12+r.IntN(12))
		}),
		repeatedUnits("number words", func(r *rand.Rand) string {
			return pickOne(r, "twenty-one ", "three hundred ", "a dozen ", "half a million ")
		}),
		repeatedUnits("roman numerals", func(r *rand.Rand) string { return pickOne(r, "MCMXCIV ", "XVII ", "VIII ") }),
		repeatedUnits("ranges", func(r *rand.Rand) string { return fmt.Sprintf("%d–%d ", r.IntN(100), r.IntN(1000)) }),
		repeatedUnits("fractions and powers", func(r *rand.Rand) string {
			return fmt.Sprintf("%d/%d 10^%d 1e%d ½ ", r.IntN(9), r.IntN(99), r.IntN(99), r.IntN(400))
		}),
		repeatedUnits("digits of other scripts", func(r *rand.Rand) string {
			return randomRunes(r, 0x0660, 0x0669, 4) + " " + randomRunes(r, 0x0966, 0x096f, 4) + " "
		}),
	}
}

// citationKinds returns citation markers, most of them malformed.
func citationKinds() []Kind {
	return []Kind{
		constantUnit("markers in a row", "[1]"),
		constantUnit("footnote markers", "[^1]"),
		constantUnit("lenticular markers", "【1†a】"),
		constantUnit("named markers", "(source: doc-1)"),
		repeatedUnits("markers of many", func(r *rand.Rand) string { return fmt.Sprintf("[%d, %d; %d]", r.IntN(9), r.IntN(9999), r.IntN(99)) }),
		constantUnit("open brackets", "["),
		constantUnit("closing brackets", "]"),
		{"nested brackets", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return strings.Repeat("[", n/2) + "1" + strings.Repeat("]", n/2) })
		}},
		constantUnit("overlapping brackets", "[1[2]3](4[5)6]"),
		constantUnit("marker ranges", "[1-999999999][2–4]"),
		constantUnit("negative markers", "[-1][1--2]"),
		constantUnit("markers of long ids", "[999999999999999999999]"),
		{"marker of one long id", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return "A claim [" + strings.Repeat("9", n) + "]." })
		}},
		constantUnit("look-alike digits", "[１][٣][²]"),
		constantUnit("unclosed markers", "[1, 2, "),
		repeatedUnits("marked sentences", func(r *rand.Rand) string {
			return strings.TrimSuffix(randomClaim(r), ". ") + fmt.Sprintf(" [%d]. ", 1+r.IntN(60))
		}),
		constantUnit("links as markers", "[a](b)[1]: c\n"),
	}
}

// claimKinds returns claims with many sources.
func claimKinds() []Kind {
	sources := func(b *recordBuilder, count, bytes int, id func(i int) string, unit func(r *rand.Rand) string) {
		for i := range count {
			b.source(id(i), fillText(bytes/count, func() string { return unit(b.Rand) }))
		}
	}
	serial := func(i int) string { return strconv.Itoa(i + 1) }
	common := func(r *rand.Rand) string {
		return pickOne(r, "the bridge ", "of the river ", "opened ", "in May 1937 ", "and ")
	}
	return []Kind{
		repeatedUnits("claims", randomClaim),
		constantUnit("same claim", "The old bridge over the river opened in May 1937. "),
		{"claims with 50 sources", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/20, func() string { return randomClaim(b.Rand) })
			sources(b, 50, n-n/20, serial, randomClaim)
		}},
		{"claims of common words", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return strings.ToUpper("t") + common(b.Rand) + common(b.Rand) + "was old. " })
			sources(b, 50, n-n/4, serial, common)
		}},
		{"8,000 sources", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return fmt.Sprintf("It opened [%d]. ", b.IntN(8000)) })
			sources(b, 8000, n-n/4, serial, randomClaim)
		}},
		{"8,000 sources of one id", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return "It opened [1]. " })
			sources(b, 8000, n-n/4, func(int) string { return "1" }, randomClaim)
		}},
		{"sources of long ids", ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = randomClaim(b.Rand) + "[" + strings.Repeat("d", 1000) + "1]."
			sources(b, 40, 4000, func(i int) string { return strings.Repeat("d", n/40) + strconv.Itoa(i) }, randomClaim)
		}},
		{"one source above all caps", ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(min(n, 5000), func() string { return randomClaim(b.Rand) })
			b.source("1", fillText(n, func() string { return randomClaim(b.Rand) }))
		}},
		{"answer equals source", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/2, func() string { return randomClaim(b.Rand) })
			b.split(b.Interaction.Answer)
		}},
	}
}

// recordKinds returns claims with JSON records as sources, and with a prompt.
func recordKinds() []Kind {
	return []Kind{
		{"records as sources", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return randomClaim(b.Rand) })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), delimitedList(n*3/80, "{", "}", func(i int) string { return fmt.Sprintf("%q:\"%d %s\"", randomWord(b.Rand), i, randomClaim(b.Rand)) }))
			}
		}},
		{"nested record as source", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return "The hours are Monday 9:00 to 17:00. " })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), strings.Repeat(`{"hours":[`, min(n/300, 400))+`"Monday: 9:0-17:0"`+strings.Repeat("]}", min(n/300, 400)))
			}
		}},
		{"hours as sources", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/4, func() string { return "It opens Monday to Sunday from 9:00 am to 5:00 pm. " })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), delimitedList(n*3/80, `{"hours":{`, "}}", func(i int) string { return fmt.Sprintf(`"Monday%d":"9:0-17:%d"`, i, b.IntN(60)) }))
			}
		}},
		{"dates in two cells", TextCap, func(b *recordBuilder, n int) {
			dates := fillText(n*3/8, func() string { return fmt.Sprintf("2026-01-%02d ", 1+b.IntN(28)) })
			b.Interaction.Answer = fillText(n/4, func() string { return fmt.Sprintf("The first took %d weeks. ", b.IntN(900)) })
			b.source("1", fmt.Sprintf("{%q:%q,%q:%q}", "first", dates, "last", dates))
		}},
		{"dates in cells", TextCap, func(b *recordBuilder, n int) {
			dates := strings.Repeat("2026-01-05 ", 8)
			b.Interaction.Answer = fillText(n/4, func() string { return fmt.Sprintf("The first took %d weeks. ", b.IntN(900)) })
			b.source("1", delimitedList(n*3/4, "[", "]", func(int) string { return fmt.Sprintf("{%q:%q,%q:%q}", "first", dates, "last", dates) }))
		}},
		{"rows of a table", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/2, func() string { return fmt.Sprintf("The count of %s is %d. ", randomWord(b.Rand), b.IntN(900)) })
			b.source("1", "name,count,state\n"+fillText(n/2, func() string { return fmt.Sprintf("%s,%d,open\n", randomWord(b.Rand), b.IntN(900)) }))
		}},
		{"prompt of claims", TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n/2, func() string { return randomClaim(b.Rand) })
			b.message("user", fillText(n/2, func() string { return randomClaim(b.Rand) }))
		}},
	}
}
