package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// wordKinds are words that no dictionary holds, and too many or too few of them.
func wordKinds() []Kind {
	serial := func(r *rand.Rand) string { return fmt.Sprintf("word%d ", r.IntN(1e9)) }
	return []Kind{
		constant("one word", "x"),
		constant("same word", "bridge "),
		repeated("unique words", serial),
		constant("capital words", "Alice Bob "),
		repeated("names of people", func(r *rand.Rand) string {
			return strings.ToUpper(word(r)[:1]) + word(r) + " " + strings.ToUpper(word(r)[:1]) + word(r) + " "
		}),
		repeated("hyphenated words", func(r *rand.Rand) string { return word(r) + "-" }),
		constant("apostrophes", "o'n'a's "),
		repeated("acronyms", func(r *rand.Rand) string { return strings.ToUpper(word(r)) + " " }),
		constant("negations", "It is not never no nothing without not. "),
		constant("polarity", "increased decreased rose fell above below "),
		constant("abstention", "I do not know. I cannot answer that from the sources. "),
		repeated("suffixes", func(r *rand.Rand) string { return word(r) + "ationalizationally " }),
		repeated("near twins", func(r *rand.Rand) string { return "Bridge" + strconv.Itoa(r.IntN(50)) + " opened. " }),
	}
}

// blankKinds are blanks in every form, and texts that hide behind them.
func blankKinds() []Kind {
	blanks := []string{" ", "\t", "\n", "\r\n", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\v", "\f"}
	hidden := func(name string, where func(text, blanks string) string) Kind {
		return Kind{name, TextCap, func(b *builder, n int) {
			b.Interaction.Answer = where("The lifetime warranty covers theft everywhere [1].", strings.Repeat(" ", n))
			b.source("1", "Parcels leave the Rotterdam warehouse within two days.")
		}}
	}
	return []Kind{
		constant("spaces", " "),
		constant("line breaks", "\n"),
		constant("tabs and returns", "\t\r\n"),
		repeated("blanks of all forms", func(r *rand.Rand) string { return blanks[r.IntN(len(blanks))] }),
		constant("letters between blanks", "a          "),
		constant("empty lines with words", "word\n\n\n\n"),
		hidden("blanks behind the answer", func(text, blanks string) string { return text + blanks }),
		hidden("blanks before the answer", func(text, blanks string) string { return blanks + text }),
		hidden("blanks within the answer", func(text, blanks string) string { return text[:20] + blanks + text[20:] }),
	}
}

// scriptKinds are characters that are expensive to read: marks, emoji, invisible ones, scripts without spaces.
func scriptKinds() []Kind {
	return []Kind{
		repeated("zalgo", func(r *rand.Rand) string { return "a" + runes(r, 0x300, 0x36f, 20) }),
		constant("combining tower", "\u0301"),
		repeated("mixed combining classes", func(r *rand.Rand) string { return runes(r, 0x316, 0x319, 1) + runes(r, 0x300, 0x304, 1) }),
		constant("emoji", "👩🏽‍👩🏾‍👧🏿‍👦 "),
		repeated("flags", func(r *rand.Rand) string { return runes(r, 0x1F1E6, 0x1F1FF, 2) }),
		constant("zero width", "\u200b\u200c\u200d\ufeff"),
		constant("zero width in words", "br\u200bid\u2060ge "),
		constant("soft hyphens", "co\u00adop\u00ad"),
		constant("bidirectional controls", "\u202ea\u2066b\u2069\u202c "),
		constant("variation selectors", "x\ufe0f\U000e0100"),
		repeated("tag characters", func(r *rand.Rand) string { return runes(r, 0xe0020, 0xe007e, 8) }),
		repeated("ideographs", func(r *rand.Rand) string { return runes(r, 0x4e00, 0x9fa5, 30) }),
		repeated("ideographic sentences", func(r *rand.Rand) string { return runes(r, 0x4e00, 0x9fa5, 6) + "。" }),
		repeated("kana", func(r *rand.Rand) string { return runes(r, 0x3041, 0x3093, 7) + "、" }),
		repeated("hangul", func(r *rand.Rand) string { return runes(r, 0xac00, 0xd7a3, 3) + " " }),
		repeated("hangul jamo", func(r *rand.Rand) string { return runes(r, 0x1100, 0x1112, 1) + runes(r, 0x1161, 0x1175, 1) }),
		repeated("thai", func(r *rand.Rand) string { return runes(r, 0x0e01, 0x0e2e, 9) }),
		repeated("arabic", func(r *rand.Rand) string { return runes(r, 0x0627, 0x064a, 5) + " " }),
		repeated("devanagari", func(r *rand.Rand) string { return runes(r, 0x0905, 0x0939, 2) + "\u094d" }),
		repeated("cyrillic", func(r *rand.Rand) string { return runes(r, 0x0430, 0x044f, 6) + " " }),
		repeated("greek", func(r *rand.Rand) string { return runes(r, 0x03b1, 0x03c9, 6) + " " }),
		repeated("mixed scripts", func(r *rand.Rand) string {
			return word(r) + runes(r, 0x0430, 0x044f, 2) + runes(r, 0x4e00, 0x9fa5, 1) + runes(r, 0x0627, 0x064a, 2) + " "
		}),
		repeated("look-alike letters", func(r *rand.Rand) string { return "p\u0430ypa\u04cf " + word(r) + " " }),
		repeated("full width", func(r *rand.Rand) string { return runes(r, 0xff10, 0xff5a, 8) + " " }),
		repeated("mathematical letters", func(r *rand.Rand) string { return runes(r, 0x1d400, 0x1d6a3, 4) + " " }),
		constant("compatibility ligature", "\ufdfa"),
		constant("replacement characters", "\ufffd"),
		constant("private use", "\ue000\U000f0000"),
	}
}

// sentenceKinds are texts whose sentences are too many, too long or not to be found.
func sentenceKinds() []Kind {
	return []Kind{
		constant("short sentences", "It is. "),
		constant("no sentence breaks", "and then the bridge "),
		constant("stops", "."),
		constant("spaced stops", ". "),
		constant("question marks", "?!…"),
		constant("abbreviations", "e.g. Dr. U.S. No. vs. "),
		repeated("initials", func(r *rand.Rand) string { return runes(r, 'A', 'Z', 1) + ". " }),
		constant("commas", "a,"),
		constant("semicolons", "it rose; it fell; "),
		constant("open quotes", "“"),
		constant("nested quotes", `"'“‘a’”'" `),
		repeated("long quotes", func(r *rand.Rand) string { return "“" + claim(r) + claim(r) + "” " }),
		constant("open parentheses", "("),
		constant("nested parentheses", "((((((a)))))) "),
		repeated("list items", func(r *rand.Rand) string { return "- " + claim(r) + "\n" }),
		repeated("numbered items", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1000)) + ". " + word(r) + "\n" }),
		constant("headings", "# A\n## B\n"),
		repeated("table rows", func(r *rand.Rand) string { return "| " + word(r) + " | " + strconv.Itoa(r.IntN(1000)) + " |\n" }),
		constant("table bars", "|"),
		constant("emphasis", "**_a_** "),
		constant("rules", "---\n***\n"),
	}
}
