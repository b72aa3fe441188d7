package hostile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// numberedUnits returns about n bytes of the unit with its two verbs replaced by numbers below mod.
func numberedUnits(unit string, n, mod int) string {
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		fmt.Fprintf(&s, unit, i%mod, (i+7)%mod)
	}
	return s.String()
}

const maxSerial = 1 << 30 // larger than any number of units

func repeatToSize(unit string, n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }

// answerWithSources returns a kind with half of the bytes in the answer and half in the sources.
func answerWithSources(name string, answer, sources func(n int) string) Kind {
	return Kind{name, TextCap, func(b *recordBuilder, n int) {
		b.Interaction.Answer = answer(n / 2)
		b.split(sources(n / 2))
	}}
}

func answerOnly(name string, answer func(n int) string) Kind {
	return Kind{name, TextCap, func(b *recordBuilder, n int) { b.Interaction.Answer = answer(n / 2) }}
}

// sharedKinds returns records in which each word, claim, marker or address of the answer occurs in many of the sources.
func sharedKinds() []Kind {
	of := func(unit string, mod int) func(n int) string {
		return func(n int) string { return numberedUnits(unit, n, mod) }
	}
	same := func(unit string) func(n int) string { return func(n int) string { return repeatToSize(unit, n) } }
	other := same("other words entirely. ")
	return []Kind{
		answerWithSources("every word in every sentence", same("The "+numberedUnits("alpha%d beta%d ", 1000, 64)+"bridge opened. "), of("Alpha%d beta%d. ", 64)),
		answerWithSources("one claim", of("w%d x%d ", 700), of("w%d x%d. ", 700)),
		{"one claim, cited", TextCap, func(b *recordBuilder, n int) { // a thousand times; all of its words are in all sources
			b.Interaction.Answer = repeatToSize("[1][2][3][4]", min(n/2, 1000)) + " " + numberedUnits("w%d x%d ", n/2, 700)
			b.split(numberedUnits("w%d x%d. ", n/2, 700))
		}},
		answerWithSources("sentences, cited", same("The old red bridge was opened here [1][2][3][4][5][6]. "), of("The old red bridge %d was opened %d. ", maxSerial)),
		{"source ids", 4000, func(b *recordBuilder, n int) { b.ids(n, "A fact [7][x]. ") }},
		{"wide ranges", 4000, func(b *recordBuilder, n int) { b.ids(n, "A fact [1-999999999]. ") }},
		{"fragments of a record", TextCap, fragments},
		answerWithSources("figures", of("It cost %d dollars and %d euros then. ", maxSerial), of("It was %d kg on %d miles. ", maxSerial)),
		answerWithSources("other dates", same("On May 3, 1937 at 5:30 pm it opened. "), same("On June 4, 1938 at 6:30 am it shut. ")),
		answerWithSources("names", of("we saw the Bridge%d of Xo%d there ", maxSerial), of("many Bridgt%dx in the Town%d. ", maxSerial)),
		answerWithSources("findings in one claim", of("with Aaaa%d and %d,", maxSerial), other),
		answerWithSources("words and a secret", func(n int) string {
			return numberedUnits("the Bridge%d of %dxo is there. ", n, maxSerial) + " mail ann.lee@example.org"
		}, other),
		answerWithSources("partly secret names", of("we saw Ann%d there, write to ann%d@example.org. ", maxSerial), other),
		answerOnly("parentheses of an address", func(n int) string { return "See http://a.example.org/" + repeatToSize(")", n) }),
		answerOnly("open identifiers", func(n int) string {
			return numberedUnits("doi:10.%d/x%d ", min(n, 4000), maxSerial) + repeatToSize("10.1234/", n)
		}),
		{"address within sources", TextCap, func(b *recordBuilder, n int) { // its prefix is everywhere in them, the address nowhere
			b.Interaction.Answer = "See http://" + repeatToSize("a", n/4) + "b "
			b.split(repeatToSize("a", n/2))
			b.message("user", repeatToSize("a", min(n/2, 256<<10)))
		}},
		answerWithSources("addresses", of("https://h%d.example%d.com/a/b ", maxSerial), same("https://example.com/ ")),
		answerOnly("packages in a fence", func(n int) string {
			return "```\n" + numberedUnits("pip install reqests%d numpi%d\n", n, maxSerial) + "```\n"
		}),
		answerOnly("modules in a fence", func(n int) string {
			return "```python\n" + numberedUnits("import reqests%d, numpi%d\n", n, maxSerial) + "```\n"
		}),
		answerOnly("lines of dashes", same("\n-\n")),
		{"ranked log-probabilities", 8192, func(b *recordBuilder, n int) { // n tokens
			b.Interaction.Answer = "The bridge is old and it is red."
			i := 0
			b.rows(n, 20, func() float32 { i++; return -float32(i%97) / 10 })
		}},
		{"short messages", 8000, func(b *recordBuilder, n int) { // the maximum that is read
			b.Interaction.Answer = numberedUnits("See http://a%d.example%d.org/. ", 4000, maxSerial)
			b.Interaction.Messages = slices.Repeat([]schemas.Message{{Role: "user", Content: "x"}}, min(n, 8000))
		}},
	}
}

// ids adds n short sources, and an answer of markers that are each looked up among their ids.
func (b *recordBuilder) ids(n int, unit string) {
	b.Interaction.Answer = repeatToSize(unit, n)
	for i := range n {
		b.source("source-"+strconv.Itoa(i), "A fact.")
	}
}

// fragments adds many short sentences, each of which is compared with many fields of a record.
func fragments(b *recordBuilder, n int) {
	b.Interaction.Answer = "The red bridge is open today. " + repeatToSize("Red bridge: no.\n", n/2)
	record := delimitedList(min(max(n/8, 100), 9000), "{", "}", func(i int) string { return fmt.Sprintf(`"red bridge %c%c": false`, 'a'+i%26, 'a'+i/26) })
	b.source("1", record)
}

// unitKinds returns repetitions of one unit.
func unitKinds() []Kind {
	var kinds []Kind
	for _, k := range [][2]string{
		{"letters", "a b c d e f g h "},
		{"sentences", "The bridge is old and it is red. "},
		{"letters with marks", "a\u0301\u0301"},
		{"sentences of ideographs", "桥于五月开放。"},
		{"ideographic stops", "。"},
		{"spaced ideographic stops", "。 "},
		{"sentences of hangul", "다리는 오월에 열렸습니다. "},
		{"thai word", "สะพานเปิด "},
		{"spaced backticks", "` "},
		{"straight quotes", "\"'"},
		{"german", "Die Brücke wurde im Mai eröffnet und steht. "},
		{"accents", "éàü "},
		{"clock times", "9 am to 5 pm, Monday to Friday "},
		{"dots of a host", "a.b."},
		{"one mail address", "a@b.co "},
		{"slashes", "a/b/"},
		{"skin tones", "👍🏽 "},
		{"questions", "Is it so? "},
		{"table of two", "| a | b |\n"},
		{"spaced capitals", "A B C D "},
		{"no-break spaces", "\u00a0"},
		{"wide spaces", "\u3000"},
		{"one password", "password=abc12345x "},
		{"one card number", "4111 1111 1111 1111 "},
		{"one phone number", "call +49 30 1234567 "},
		{"one access key", "the Key AKIAIOSFODNN7EXAMPLE is red. "},
		{"base 62", "aB3dE6gH9kL2nO5qR8tU1wX4z "},
		{"schemes", "://a:b"},
		{"one account number", "DE89 3704 0044 0532 0130 00 "},
	} {
		kinds = append(kinds, Kind{k[0], TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string { return truncateText("The bridge "+repeatToSize(k[1], n), n) })
		}})
	}
	return kinds
}
