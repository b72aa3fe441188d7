package hostile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const longAnswer = TextCap - 2000 // of the repeated part

// countedKind returns a kind whose size counts schemas, elements or levels, at least one. full is the maximum in a record.
func countedKind(name string, full int, build func(n int) (schema, answer string)) Kind {
	return Kind{name, full, func(b *recordBuilder, n int) { b.follow(build(max(1, n))) }}
}

// withIndex returns a function that formats the index of the element.
func withIndex(format string) func(i int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func nestText(n int, open, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// validatedValueKinds returns single values that are expensive to validate.
func validatedValueKinds() []Kind {
	return slices.Concat(validatedNumberKinds(), validatedStringKinds())
}

// validatedNumberKinds returns values that are expensive to compare.
func validatedNumberKinds() []Kind {
	return []Kind{
		countedKind("validation: iri fan", 14, func(n int) (string, string) {
			return doublingSchema(n, `{"format": "iri"}`), `"a:` + strings.Repeat("a", longAnswer) + `"`
		}),
		countedKind("validation: minLength fan", 14, func(n int) (string, string) {
			return doublingSchema(n, `{"minLength": 3}`), quoteString(strings.Repeat("a", longAnswer))
		}),
		countedKind("validation: iri wide", 2800, func(n int) (string, string) {
			return `{"allOf": ` + listOf(n, sameAt(`{"format": "iri"}`)) + `}`, `"a:` + strings.Repeat("a", longAnswer) + `"`
		}),
		countedKind("validation: string fan", 14, func(n int) (string, string) {
			return doublingSchema(n, `{"title": "a"}`), quoteString(strings.Repeat("a", longAnswer))
		}),
		countedKind("validation: enum of numbers", 2000, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, withIndex("%d.5")) + `}}`, listOf(n, withIndex("%d.25"))
		}),
		countedKind("validation: enum of near numbers", 1000, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, withIndex("0.10000000000000000000000000%06d")) + `}}`, listOf(n, withIndex("0.10000000000000000000000001%06d"))
		}),
		countedKind("validation: enum of arrays", 300, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, func(i int) string { return "[" + strings.Repeat("1,", 80) + strconv.Itoa(i+1) + "]" }) + `}}`,
				listOf(n, sameAt("["+strings.Repeat("1,", 80)+"0]"))
		}),
		countedKind("validation: const", 6000, func(n int) (string, string) {
			return `{"items": {"const": [` + strings.Repeat("1,", 4) + `0]}}`, listOf(n, sameAt("["+strings.Repeat("1,", 4)+"1]"))
		}),
		countedKind("validation: const fan", 12, func(n int) (string, string) {
			return doublingSchema(n, `{"const": `+listOf(15_000, sameAt("1"))+`}`), listOf(15_000, sameAt("1.0"))
		}),
		countedKind("validation: unique fan", 14, func(n int) (string, string) {
			return doublingSchema(n, `{"uniqueItems": true}`), listOf(20_000, withIndex("%d"))
		}),
		countedKind("validation: unique near numbers", 5000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, listOf(n, withIndex("0.1000000000000000000000000000%06d"))
		}),
		countedKind("validation: unique of twenty", 2000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, listOf(20, func(i int) string { return "[" + strings.Repeat("1,", n) + strconv.Itoa(i) + "]" })
		}),
		countedKind("validation: multipleOf", 23_000, func(n int) (string, string) {
			return `{"items": {"multipleOf": 0.01}}`, listOf(n, withIndex("%d.25"))
		}),
		countedKind("validation: multipleOf of many digits", 470, func(n int) (string, string) {
			return `{"items": {"multipleOf": 1e-400}}`, listOf(n, sameAt(strings.Repeat("7", 395)+"e4"))
		}),
		countedKind("validation: bounds of many digits", 470, func(n int) (string, string) {
			return `{"items": {"minimum": ` + strings.Repeat("7", 395) + `, "exclusiveMinimum": 1e-400, "type": "integer"}}`, listOf(n, sameAt(strings.Repeat("7", 395)+"e4"))
		}),
	}
}

// validatedStringKinds returns strings that are expensive to validate.
func validatedStringKinds() []Kind {
	regex := func(s string) func(n int) (string, string) {
		return func(n int) (string, string) { return `{"items": {"format": "regex"}}`, listOf(n, withIndex(s)) }
	}
	return []Kind{
		countedKind("validation: formats of regex", 7600, regex(`"(a|b)*[c-f]{2,9}x%06d"`)),
		countedKind("validation: formats of classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, sameAt(`"[`+strings.Repeat(`\\p{L}`, 800)+`]"`))
		}),
		countedKind("validation: formats of folded classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, sameAt(`"(?i:[`+strings.Repeat(`\\p{L}`, 800)+`])"`))
		}),
		countedKind("validation: formats of spaces", 64, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, sameAt(`"`+strings.Repeat(`\\s`, 1000)+`"`))
		}),
		countedKind("validation: pattern on a long string", longAnswer, func(n int) (string, string) {
			return `{"pattern": "(a|b|ab|ba)*c"}`, quoteString(strings.Repeat("a", n))
		}),
		countedKind("validation: pattern fan", 10, func(n int) (string, string) {
			return doublingSchema(n, `{"pattern": "(a|b|ab|ba)*c"}`), quoteString(strings.Repeat("a", longAnswer))
		}),
		countedKind("validation: pattern of one pass", longAnswer, func(n int) (string, string) { return `{"pattern": "^a+c$"}`, quoteString(strings.Repeat("a", n)) }),
		countedKind("validation: patterns", 5000, func(n int) (string, string) {
			return `{"items": {"pattern": "^[a-z]+[0-9]*$"}}`, listOf(n, withIndex(`"abcdefghijklmnopqrstuvwxyz%d"`))
		}),
		countedKind("validation: host names", 800, func(n int) (string, string) {
			return `{"items": {"format": "idn-hostname"}}`, listOf(n, sameAt(`"`+strings.Repeat("ü", 50)+".bücher"+strings.Repeat("l·l", 15)+`"`))
		}),
		countedKind("validation: long values wrong", 3, func(n int) (string, string) {
			return `{"items": {"pattern": "^b", "format": "ipv4", "maxLength": 1}}`, listOf(n, sameAt(quoteString(strings.Repeat("a", longAnswer/n))))
		}),
	}
}
