package hostile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const longAnswer = TextCap - 2000 // room for what is around the repeated part

// counted is a kind whose size counts schemas, elements or levels, at least one. Full is what a record holds.
func counted(name string, full int, build func(n int) (schema, answer string)) Kind {
	return Kind{name, full, func(b *builder, n int) { b.follow(build(max(1, n))) }}
}

// serial puts the number of the element into the format.
func serial(format string) func(i int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func nest(n int, open, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// validatedValueKinds make single values costly.
func validatedValueKinds() []Kind {
	return slices.Concat(validatedNumberKinds(), validatedStringKinds())
}

// validatedNumberKinds make comparisons costly.
func validatedNumberKinds() []Kind {
	return []Kind{
		counted("validation: iri fan", 14, func(n int) (string, string) {
			return fan(n, `{"format": "iri"}`), `"a:` + strings.Repeat("a", longAnswer) + `"`
		}),
		counted("validation: minLength fan", 14, func(n int) (string, string) {
			return fan(n, `{"minLength": 3}`), quoted(strings.Repeat("a", longAnswer))
		}),
		counted("validation: iri wide", 2800, func(n int) (string, string) {
			return `{"allOf": ` + listOf(n, always(`{"format": "iri"}`)) + `}`, `"a:` + strings.Repeat("a", longAnswer) + `"`
		}),
		counted("validation: string fan", 14, func(n int) (string, string) { return fan(n, `{"title": "a"}`), quoted(strings.Repeat("a", longAnswer)) }),
		counted("validation: enum of numbers", 2000, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, serial("%d.5")) + `}}`, listOf(n, serial("%d.25"))
		}),
		counted("validation: enum of near numbers", 1000, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, serial("0.10000000000000000000000000%06d")) + `}}`, listOf(n, serial("0.10000000000000000000000001%06d"))
		}),
		counted("validation: enum of arrays", 300, func(n int) (string, string) {
			return `{"items": {"enum": ` + listOf(n, func(i int) string { return "[" + strings.Repeat("1,", 80) + strconv.Itoa(i+1) + "]" }) + `}}`,
				listOf(n, always("["+strings.Repeat("1,", 80)+"0]"))
		}),
		counted("validation: const", 6000, func(n int) (string, string) {
			return `{"items": {"const": [` + strings.Repeat("1,", 4) + `0]}}`, listOf(n, always("["+strings.Repeat("1,", 4)+"1]"))
		}),
		counted("validation: const fan", 12, func(n int) (string, string) {
			return fan(n, `{"const": `+listOf(15_000, always("1"))+`}`), listOf(15_000, always("1.0"))
		}),
		counted("validation: unique fan", 14, func(n int) (string, string) {
			return fan(n, `{"uniqueItems": true}`), listOf(20_000, serial("%d"))
		}),
		counted("validation: unique near numbers", 5000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, listOf(n, serial("0.1000000000000000000000000000%06d"))
		}),
		counted("validation: unique of twenty", 2000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, listOf(20, func(i int) string { return "[" + strings.Repeat("1,", n) + strconv.Itoa(i) + "]" })
		}),
		counted("validation: multipleOf", 23_000, func(n int) (string, string) {
			return `{"items": {"multipleOf": 0.01}}`, listOf(n, serial("%d.25"))
		}),
		counted("validation: multipleOf of many digits", 470, func(n int) (string, string) {
			return `{"items": {"multipleOf": 1e-400}}`, listOf(n, always(strings.Repeat("7", 395)+"e4"))
		}),
		counted("validation: bounds of many digits", 470, func(n int) (string, string) {
			return `{"items": {"minimum": ` + strings.Repeat("7", 395) + `, "exclusiveMinimum": 1e-400, "type": "integer"}}`, listOf(n, always(strings.Repeat("7", 395)+"e4"))
		}),
	}
}

// validatedStringKinds make single strings costly.
func validatedStringKinds() []Kind {
	regex := func(s string) func(n int) (string, string) {
		return func(n int) (string, string) { return `{"items": {"format": "regex"}}`, listOf(n, serial(s)) }
	}
	return []Kind{
		counted("validation: formats of regex", 7600, regex(`"(a|b)*[c-f]{2,9}x%06d"`)),
		counted("validation: formats of classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, always(`"[`+strings.Repeat(`\\p{L}`, 800)+`]"`))
		}),
		counted("validation: formats of folded classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, always(`"(?i:[`+strings.Repeat(`\\p{L}`, 800)+`])"`))
		}),
		counted("validation: formats of spaces", 64, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, listOf(n, always(`"`+strings.Repeat(`\\s`, 1000)+`"`))
		}),
		counted("validation: pattern on a long string", longAnswer, func(n int) (string, string) {
			return `{"pattern": "(a|b|ab|ba)*c"}`, quoted(strings.Repeat("a", n))
		}),
		counted("validation: pattern fan", 10, func(n int) (string, string) {
			return fan(n, `{"pattern": "(a|b|ab|ba)*c"}`), quoted(strings.Repeat("a", longAnswer))
		}),
		counted("validation: pattern of one pass", longAnswer, func(n int) (string, string) { return `{"pattern": "^a+c$"}`, quoted(strings.Repeat("a", n)) }),
		counted("validation: patterns", 5000, func(n int) (string, string) {
			return `{"items": {"pattern": "^[a-z]+[0-9]*$"}}`, listOf(n, serial(`"abcdefghijklmnopqrstuvwxyz%d"`))
		}),
		counted("validation: host names", 800, func(n int) (string, string) {
			return `{"items": {"format": "idn-hostname"}}`, listOf(n, always(`"`+strings.Repeat("ü", 50)+".bücher"+strings.Repeat("l·l", 15)+`"`))
		}),
		counted("validation: long values wrong", 3, func(n int) (string, string) {
			return `{"items": {"pattern": "^b", "format": "ipv4", "maxLength": 1}}`, listOf(n, always(quoted(strings.Repeat("a", longAnswer/n))))
		}),
	}
}
