package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// wordKinds returns texts of rare words and of too many or too few distinct words.
func wordKinds() []Kind {
	serial := func(r *rand.Rand) string { return fmt.Sprintf("word%d ", r.IntN(1e9)) }
	return []Kind{
		constantUnit("one word", "x"),
		constantUnit("same word", "bridge "),
		repeatedUnits("unique words", serial),
		constantUnit("capital words", "Alice Bob "),
		repeatedUnits("names of people", func(r *rand.Rand) string {
			return strings.ToUpper(randomWord(r)[:1]) + randomWord(r) + " " + strings.ToUpper(randomWord(r)[:1]) + randomWord(r) + " "
		}),
		repeatedUnits("hyphenated words", func(r *rand.Rand) string { return randomWord(r) + "-" }),
		constantUnit("apostrophes", "o'n'a's "),
		repeatedUnits("acronyms", func(r *rand.Rand) string { return strings.ToUpper(randomWord(r)) + " " }),
		constantUnit("negations", "It is not never no nothing without not. "),
		constantUnit("polarity", "increased decreased rose fell above below "),
		constantUnit("abstention", "I do not know. I cannot answer that from the sources. "),
		repeatedUnits("suffixes", func(r *rand.Rand) string { return randomWord(r) + "ationalizationally " }),
		repeatedUnits("near duplicates", func(r *rand.Rand) string { return "Bridge" + strconv.Itoa(r.IntN(50)) + " opened. " }),
	}
}

// blankKinds returns white space in every form, and texts hidden in it.
func blankKinds() []Kind {
	blanks := []string{" ", "\t", "\n", "\r\n", "\u00a0", "\u1680", "\u2003", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\v", "\f"}
	hidden := func(name string, where func(text, blanks string) string) Kind {
		return Kind{name, TextCap, func(b *recordBuilder, n int) {
			b.Interaction.Answer = where("The lifetime warranty covers theft everywhere [1].", strings.Repeat(" ", n))
			b.source("1", "Parcels leave the Rotterdam warehouse within two days.")
		}}
	}
	return []Kind{
		constantUnit("spaces", " "),
		constantUnit("line breaks", "\n"),
		constantUnit("tabs and returns", "\t\r\n"),
		repeatedUnits("blanks of all forms", func(r *rand.Rand) string { return blanks[r.IntN(len(blanks))] }),
		constantUnit("letters between blanks", "a          "),
		constantUnit("empty lines with words", "word\n\n\n\n"),
		hidden("blanks behind the answer", func(text, blanks string) string { return text + blanks }),
		hidden("blanks before the answer", func(text, blanks string) string { return blanks + text }),
		hidden("blanks within the answer", func(text, blanks string) string { return text[:20] + blanks + text[20:] }),
	}
}

// scriptKinds returns expensive characters: combining marks, emoji, invisible ones, scripts without spaces.
func scriptKinds() []Kind {
	return []Kind{
		repeatedUnits("zalgo", func(r *rand.Rand) string { return "a" + randomRunes(r, 0x300, 0x36f, 20) }),
		constantUnit("combining tower", "\u0301"),
		repeatedUnits("mixed combining classes", func(r *rand.Rand) string { return randomRunes(r, 0x316, 0x319, 1) + randomRunes(r, 0x300, 0x304, 1) }),
		constantUnit("emoji", "👩🏽‍👩🏾‍👧🏿‍👦 "),
		repeatedUnits("flags", func(r *rand.Rand) string { return randomRunes(r, 0x1F1E6, 0x1F1FF, 2) }),
		constantUnit("zero width", "\u200b\u200c\u200d\ufeff"),
		constantUnit("zero width in words", "br\u200bid\u2060ge "),
		constantUnit("soft hyphens", "co\u00adop\u00ad"),
		constantUnit("bidirectional controls", "\u202ea\u2066b\u2069\u202c "),
		constantUnit("variation selectors", "x\ufe0f\U000e0100"),
		repeatedUnits("tag characters", func(r *rand.Rand) string { return randomRunes(r, 0xe0020, 0xe007e, 8) }),
		repeatedUnits("ideographs", func(r *rand.Rand) string { return randomRunes(r, 0x4e00, 0x9fa5, 30) }),
		repeatedUnits("ideographic sentences", func(r *rand.Rand) string { return randomRunes(r, 0x4e00, 0x9fa5, 6) + "。" }),
		repeatedUnits("kana", func(r *rand.Rand) string { return randomRunes(r, 0x3041, 0x3093, 7) + "、" }),
		repeatedUnits("hangul", func(r *rand.Rand) string { return randomRunes(r, 0xac00, 0xd7a3, 3) + " " }),
		repeatedUnits("hangul jamo", func(r *rand.Rand) string {
			return randomRunes(r, 0x1100, 0x1112, 1) + randomRunes(r, 0x1161, 0x1175, 1)
		}),
		repeatedUnits("thai", func(r *rand.Rand) string { return randomRunes(r, 0x0e01, 0x0e2e, 9) }),
		repeatedUnits("arabic", func(r *rand.Rand) string { return randomRunes(r, 0x0627, 0x064a, 5) + " " }),
		repeatedUnits("devanagari", func(r *rand.Rand) string { return randomRunes(r, 0x0905, 0x0939, 2) + "\u094d" }),
		repeatedUnits("cyrillic", func(r *rand.Rand) string { return randomRunes(r, 0x0430, 0x044f, 6) + " " }),
		repeatedUnits("greek", func(r *rand.Rand) string { return randomRunes(r, 0x03b1, 0x03c9, 6) + " " }),
		repeatedUnits("mixed scripts", func(r *rand.Rand) string {
			return randomWord(r) + randomRunes(r, 0x0430, 0x044f, 2) + randomRunes(r, 0x4e00, 0x9fa5, 1) + randomRunes(r, 0x0627, 0x064a, 2) + " "
		}),
		repeatedUnits("look-alike letters", func(r *rand.Rand) string { return "p\u0430ypa\u04cf " + randomWord(r) + " " }),
		repeatedUnits("full width", func(r *rand.Rand) string { return randomRunes(r, 0xff10, 0xff5a, 8) + " " }),
		repeatedUnits("mathematical letters", func(r *rand.Rand) string { return randomRunes(r, 0x1d400, 0x1d6a3, 4) + " " }),
		constantUnit("compatibility ligature", "\ufdfa"),
		constantUnit("replacement characters", "\ufffd"),
		constantUnit("private use", "\ue000\U000f0000"),
	}
}

// sentenceKinds returns texts whose sentences are too many, too long or hard to detect.
func sentenceKinds() []Kind {
	return []Kind{
		constantUnit("short sentences", "It is. "),
		constantUnit("no sentence breaks", "and then the bridge "),
		constantUnit("stops", "."),
		constantUnit("spaced stops", ". "),
		constantUnit("question marks", "?!…"),
		constantUnit("abbreviations", "e.g. Dr. U.S. No. vs. "),
		repeatedUnits("initials", func(r *rand.Rand) string { return randomRunes(r, 'A', 'Z', 1) + ". " }),
		constantUnit("commas", "a,"),
		constantUnit("semicolons", "it rose; it fell; "),
		constantUnit("open quotes", "“"),
		constantUnit("nested quotes", `"'“‘a’”'" `),
		repeatedUnits("long quotes", func(r *rand.Rand) string { return "“" + randomClaim(r) + randomClaim(r) + "” " }),
		constantUnit("open parentheses", "("),
		constantUnit("nested parentheses", "((((((a)))))) "),
		repeatedUnits("list items", func(r *rand.Rand) string { return "- " + randomClaim(r) + "\n" }),
		repeatedUnits("numbered items", func(r *rand.Rand) string { return strconv.Itoa(r.IntN(1000)) + ". " + randomWord(r) + "\n" }),
		constantUnit("headings", "# A\n## B\n"),
		repeatedUnits("table rows", func(r *rand.Rand) string { return "| " + randomWord(r) + " | " + strconv.Itoa(r.IntN(1000)) + " |\n" }),
		constantUnit("table bars", "|"),
		constantUnit("emphasis", "**_a_** "),
		constantUnit("rules", "---\n***\n"),
	}
}
