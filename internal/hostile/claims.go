package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// numberKinds are figures, amounts, dates and times.
func numberKinds() []Kind {
	return []Kind{
		repeated("numbers", func(r *rand.Rand) string {
			return fmt.Sprintf("%d,%03d.%02d ", 1+r.IntN(999), r.IntN(1000), r.IntN(100))
		}),
		constant("one long number", "7"),
		constant("long decimals", "3.14159265358979323846264338327950288419716939937510 "),
		constant("dots and digits", "1.2.3.4.5."),
		constant("grouped digits", "1,234,567,"),
		repeated("units", func(r *rand.Rand) string {
			return strconv.Itoa(r.IntN(1000)) + pick(r, " km", "kg", " %", "°C", " mph", " square metres", "GB") + " "
		}),
		repeated("amounts", func(r *rand.Rand) string {
			return pick(r, "$", "€", "£", "USD ") + fmt.Sprintf("%d.%d", r.IntN(1000), r.IntN(100)) + pick(r, " million", "bn", "k", "") + " "
		}),
		repeated("dates", func(r *rand.Rand) string {
			return fmt.Sprintf("May %d, %d. %d-%02d-%02d ", 1+r.IntN(31), 1900+r.IntN(200), 1900+r.IntN(200), 1+r.IntN(12), 1+r.IntN(28))
		}),
		repeated("times", func(r *rand.Rand) string {
			return fmt.Sprintf("%d:%02d %s ", r.IntN(24), r.IntN(60), pick(r, "am", "p.m.", "UTC"))
		}),
		repeated("opening hours", func(r *rand.Rand) string {
			return fmt.Sprintf("Open Monday to %s from %d:00 to %d:30. ", pick(r, "Friday", "Sunday"), r.IntN(12), 12+r.IntN(12))
		}),
		repeated("number words", func(r *rand.Rand) string {
			return pick(r, "twenty-one ", "three hundred ", "a dozen ", "half a million ")
		}),
		repeated("roman numerals", func(r *rand.Rand) string { return pick(r, "MCMXCIV ", "XVII ", "VIII ") }),
		repeated("ranges", func(r *rand.Rand) string { return fmt.Sprintf("%d–%d ", r.IntN(100), r.IntN(1000)) }),
		repeated("fractions and powers", func(r *rand.Rand) string {
			return fmt.Sprintf("%d/%d 10^%d 1e%d ½ ", r.IntN(9), r.IntN(99), r.IntN(99), r.IntN(400))
		}),
		repeated("digits of other scripts", func(r *rand.Rand) string {
			return runes(r, 0x0660, 0x0669, 4) + " " + runes(r, 0x0966, 0x096f, 4) + " "
		}),
	}
}

// citationKinds are citation markers, most of them broken.
func citationKinds() []Kind {
	return []Kind{
		constant("markers in a row", "[1]"),
		constant("footnote markers", "[^1]"),
		constant("lenticular markers", "【1†a】"),
		constant("named markers", "(source: doc-1)"),
		repeated("markers of many", func(r *rand.Rand) string { return fmt.Sprintf("[%d, %d; %d]", r.IntN(9), r.IntN(9999), r.IntN(99)) }),
		constant("open brackets", "["),
		constant("closing brackets", "]"),
		{"nested brackets", TextCap, func(b *builder, n int) {
			b.place(n, func(n int) string { return strings.Repeat("[", n/2) + "1" + strings.Repeat("]", n/2) })
		}},
		constant("overlapping brackets", "[1[2]3](4[5)6]"),
		constant("marker ranges", "[1-999999999][2–4]"),
		constant("negative markers", "[-1][1--2]"),
		constant("markers of long ids", "[999999999999999999999]"),
		{"marker of one long id", TextCap, func(b *builder, n int) {
			b.place(n, func(n int) string { return "A claim [" + strings.Repeat("9", n) + "]." })
		}},
		constant("look-alike digits", "[１][٣][²]"),
		constant("unclosed markers", "[1, 2, "),
		repeated("marked sentences", func(r *rand.Rand) string {
			return strings.TrimSuffix(claim(r), ". ") + fmt.Sprintf(" [%d]. ", 1+r.IntN(60))
		}),
		constant("links as markers", "[a](b)[1]: c\n"),
	}
}

// claimKinds are claims beside many sources.
func claimKinds() []Kind {
	sources := func(b *builder, count, bytes int, id func(i int) string, unit func(r *rand.Rand) string) {
		for i := range count {
			b.source(id(i), fill(bytes/count, func() string { return unit(b.Rand) }))
		}
	}
	serial := func(i int) string { return strconv.Itoa(i + 1) }
	common := func(r *rand.Rand) string {
		return pick(r, "the bridge ", "of the river ", "opened ", "in May 1937 ", "and ")
	}
	return []Kind{
		repeated("claims", claim),
		constant("same claim", "The old bridge over the river opened in May 1937. "),
		{"claims beside 50 sources", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/20, func() string { return claim(b.Rand) })
			sources(b, 50, n-n/20, serial, claim)
		}},
		{"claims of common words", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return strings.ToUpper("t") + common(b.Rand) + common(b.Rand) + "was old. " })
			sources(b, 50, n-n/4, serial, common)
		}},
		{"8,000 sources", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return fmt.Sprintf("It opened [%d]. ", b.IntN(8000)) })
			sources(b, 8000, n-n/4, serial, claim)
		}},
		{"8,000 sources of one id", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return "It opened [1]. " })
			sources(b, 8000, n-n/4, func(int) string { return "1" }, claim)
		}},
		{"sources of long ids", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = claim(b.Rand) + "[" + strings.Repeat("d", 1000) + "1]."
			sources(b, 40, 4000, func(i int) string { return strings.Repeat("d", n/40) + strconv.Itoa(i) }, claim)
		}},
		{"one source above all caps", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = fill(min(n, 5000), func() string { return claim(b.Rand) })
			b.source("1", fill(n, func() string { return claim(b.Rand) }))
		}},
		{"answer equals source", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/2, func() string { return claim(b.Rand) })
			b.split(b.Interaction.Answer)
		}},
	}
}

// recordKinds are claims beside JSON records, and beside a prompt.
func recordKinds() []Kind {
	return []Kind{
		{"records as sources", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return claim(b.Rand) })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), list(n*3/80, "{", "}", func(i int) string { return fmt.Sprintf("%q:\"%d %s\"", word(b.Rand), i, claim(b.Rand)) }))
			}
		}},
		{"nested record as source", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return "The hours are Monday 9:00 to 17:00. " })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), strings.Repeat(`{"hours":[`, min(n/300, 400))+`"Monday: 9:0-17:0"`+strings.Repeat("]}", min(n/300, 400)))
			}
		}},
		{"hours as sources", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/4, func() string { return "It opens Monday to Sunday from 9:00 am to 5:00 pm. " })
			for i := range 20 {
				b.source(strconv.Itoa(i+1), list(n*3/80, `{"hours":{`, "}}", func(i int) string { return fmt.Sprintf(`"Monday%d":"9:0-17:%d"`, i, b.IntN(60)) }))
			}
		}},
		{"prompt of claims", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = fill(n/2, func() string { return claim(b.Rand) })
			b.message("user", fill(n/2, func() string { return claim(b.Rand) }))
		}},
	}
}
