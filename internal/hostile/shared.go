package hostile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// numbered is about n bytes of the unit with numbers below mod in place of its two verbs.
func numbered(unit string, n, mod int) string {
	var s strings.Builder
	for i := 0; s.Len() < n; i++ {
		fmt.Fprintf(&s, unit, i%mod, (i+7)%mod)
	}
	return s.String()
}

const serials = 1 << 30 // above any number of units

func times(unit string, n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }

// beside is a kind of two texts of about half the bytes each: the answer and what its sources hold.
func beside(name string, answer, sources func(n int) string) Kind {
	return Kind{name, TextCap, func(b *builder, n int) {
		b.Interaction.Answer = answer(n / 2)
		b.split(sources(n / 2))
	}}
}

func alone(name string, answer func(n int) string) Kind {
	return Kind{name, TextCap, func(b *builder, n int) { b.Interaction.Answer = answer(n / 2) }}
}

// sharedKinds let each word, claim, marker or address of the answer meet many of the sources.
func sharedKinds() []Kind {
	of := func(unit string, mod int) func(n int) string {
		return func(n int) string { return numbered(unit, n, mod) }
	}
	same := func(unit string) func(n int) string { return func(n int) string { return times(unit, n) } }
	other := same("other words entirely. ")
	return []Kind{
		beside("every word in every sentence", same("The "+numbered("alpha%d beta%d ", 1000, 64)+"bridge opened. "), of("Alpha%d beta%d. ", 64)),
		beside("one claim", of("w%d x%d ", 700), of("w%d x%d. ", 700)),
		{"one claim, cited", TextCap, func(b *builder, n int) { // a thousand times, and all of its words stand in all sources
			b.Interaction.Answer = times("[1][2][3][4]", min(n/2, 1000)) + " " + numbered("w%d x%d ", n/2, 700)
			b.split(numbered("w%d x%d. ", n/2, 700))
		}},
		beside("sentences, cited", same("The old red bridge was opened here [1][2][3][4][5][6]. "), of("The old red bridge %d was opened %d. ", serials)),
		{"source ids", 4000, func(b *builder, n int) { b.ids(n, "A fact [7][x]. ") }},
		{"wide ranges", 4000, func(b *builder, n int) { b.ids(n, "A fact [1-999999999]. ") }},
		{"fragments of a record", TextCap, fragments},
		beside("figures", of("It cost %d dollars and %d euros then. ", serials), of("It was %d kg on %d miles. ", serials)),
		beside("other dates", same("On May 3, 1937 at 5:30 pm it opened. "), same("On June 4, 1938 at 6:30 am it shut. ")),
		beside("names", of("we saw the Bridge%d of Xo%d there ", serials), of("many Bridgt%dx in the Town%d. ", serials)),
		beside("findings in one claim", of("with Aaaa%d and %d,", serials), other),
		beside("words and a secret", func(n int) string {
			return numbered("the Bridge%d of %dxo is there. ", n, serials) + " mail ann.lee@example.org"
		}, other),
		beside("partly secret names", of("we saw Ann%d there, write to ann%d@example.org. ", serials), other),
		alone("parentheses of an address", func(n int) string { return "See http://a.example.org/" + times(")", n) }),
		alone("open identifiers", func(n int) string {
			return numbered("doi:10.%d/x%d ", min(n, 4000), serials) + times("10.1234/", n)
		}),
		{"address within sources", TextCap, func(b *builder, n int) { // it begins everywhere in them and stands nowhere
			b.Interaction.Answer = "See http://" + times("a", n/4) + "b "
			b.split(times("a", n/2))
			b.message("user", times("a", min(n/2, 256<<10)))
		}},
		beside("addresses", of("https://h%d.example%d.com/a/b ", serials), same("https://example.com/ ")),
		alone("packages in a fence", func(n int) string { return "```\n" + numbered("pip install reqests%d numpi%d\n", n, serials) + "```\n" }),
		alone("modules in a fence", func(n int) string {
			return "```python\n" + numbered("import reqests%d, numpi%d\n", n, serials) + "```\n"
		}),
		alone("lines of dashes", same("\n-\n")),
		{"ranked log-probabilities", 8192, func(b *builder, n int) { // n tokens
			b.Interaction.Answer = "The bridge is old and it is red."
			i := 0
			b.rows(n, 20, func() float32 { i++; return -float32(i%97) / 10 })
		}},
		{"short messages", 8000, func(b *builder, n int) { // as many as are read
			b.Interaction.Answer = numbered("See http://a%d.example%d.org/. ", 4000, serials)
			b.Interaction.Messages = slices.Repeat([]schemas.Message{{Role: "user", Content: "x"}}, min(n, 8000))
		}},
	}
}

// ids are n short sources, and markers of which each is looked up among their ids.
func (b *builder) ids(n int, unit string) {
	b.Interaction.Answer = times(unit, n)
	for i := range n {
		b.source("source-"+strconv.Itoa(i), "A fact.")
	}
}

// fragments are many short sentences, each of which is held against each of many fields of a record.
func fragments(b *builder, n int) {
	b.Interaction.Answer = "The red bridge is open today. " + times("Red bridge: no.\n", n/2)
	record := list(min(max(n/8, 100), 9000), "{", "}", func(i int) string {
		return fmt.Sprintf(`"red bridge %c%c": false`, 'a'+i%26, 'a'+i/26)
	})
	b.source("1", record)
}

// unitKinds are single units, in the answer and in its sources.
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
		kinds = append(kinds, Kind{k[0], TextCap, func(b *builder, n int) {
			b.place(n, func(n int) string { return cut("The bridge "+times(k[1], n), n) })
		}})
	}
	return kinds
}
