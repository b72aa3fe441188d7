package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const answerCap = 190_000 // bytes; longer answers are not validated

// schemaKind returns a kind of a JSON Schema and the answer to validate. Every record's schema has a different text, so that a
// cache of compiled schemas has no effect.
func schemaKind(name string, build func(b *recordBuilder, n int) (schema, answer string)) Kind {
	return Kind{name, answerCap, func(b *recordBuilder, n int) { b.follow(build(b, n)) }}
}

func (b *recordBuilder) follow(schema, answer string) {
	if inner, ok := strings.CutPrefix(schema, "{"); ok {
		title := fmt.Sprintf(`{"title":"%s %d %d"`, randomWord(b.Rand), b.Seed, b.Size)
		if strings.HasPrefix(inner, "}") {
			schema = title + inner
		} else {
			schema = title + "," + inner
		}
	}
	b.Interaction.ResponseSchema, b.Interaction.Answer = schema, answer
}

// doublingSchema returns a schema that applies leaf 2^levels times to the value by references.
func doublingSchema(levels int, leaf string) string {
	return referenceChain(levels, func(i int) string {
		return fmt.Sprintf(`{"allOf":[{"$ref":"#/$defs/d%[1]d"},{"$ref":"#/$defs/d%[1]d"}]}`, i+1)
	}, leaf)
}

// referenceChain returns a schema with definitions d0 … dn-1 that lead to leaf.
func referenceChain(n int, link func(i int) string, leaf string) string {
	var defs strings.Builder
	for i := range n {
		fmt.Fprintf(&defs, `"d%d":%s,`, i, link(i))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":%s}}`, defs.String(), n, leaf)
}

// wideSchema returns a schema with count leaves under the keyword.
func wideSchema(keyword string, count int, leaf func(i int) string) string {
	return `{"` + keyword + `":` + listOf(count, leaf) + "}"
}

// listOf returns a JSON array of count elements.
func listOf(count int, element func(i int) string) string {
	return "[" + commaList(count, element) + "]"
}

// commaList returns count elements separated by commas.
func commaList(count int, element func(i int) string) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = element(i)
	}
	return strings.Join(parts, ",")
}

// sameAt returns a function that returns s for every index.
func sameAt(s string) func(int) string { return func(int) string { return s } }

func quoteString(s string) string { return `"` + s + `"` }

// sizedArray returns a JSON array of about n bytes.
func sizedArray(n int, element func(i int) string) string { return delimitedList(n, "[", "]", element) }

// randomDecimal returns a decimal number with that many digits.
func randomDecimal(r *rand.Rand, digits int) string { return "0." + randomRunes(r, '1', '9', digits) }

// schemaScalarKinds returns schemas that validate one long string or one number many times.
func schemaScalarKinds() []Kind {
	var kinds []Kind
	for _, f := range []struct{ name, text string }{
		{"iri", "http://é/"},
		{"uri", "http://a/"},
		{"email", "a."},
		{"idn-email", "é."},
		{"hostname", "a."},
		{"idn-hostname", "é."},
		{"uri-template", "{a}"},
		{"json-pointer", "/a~0"},
		{"relative-json-pointer", "0/a"},
		{"regex", "(a|b)*"},
		{"date-time", "2026-11-22T10:00:00Z"},
		{"duration", "P1Y"},
		{"uuid", "0123"},
		{"ipv6", "1::"},
	} {
		kinds = append(kinds,
			schemaKind("format "+f.name+" by a fan", func(_ *recordBuilder, n int) (string, string) {
				return doublingSchema(12, `{"format":"`+f.name+`"}`), quoteString(fillText(n, func() string { return f.text }))
			}),
			schemaKind("format "+f.name+" of elements", func(b *recordBuilder, n int) (string, string) {
				return `{"items":{"format":"` + f.name + `"}}`, sizedArray(n, func(i int) string { return quoteString(f.text + strconv.Itoa(i)) })
			}))
	}
	text := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, quoteString(strings.Repeat("a", n)) })
	}
	return append(kinds,
		text("format iri in a wide list", wideSchema("allOf", 2000, sameAt(`{"format":"iri"}`))),
		text("minLength by a fan", doublingSchema(14, `{"minLength":3}`)),
		text("maxLength by a fan", doublingSchema(14, `{"maxLength":300000}`)),
		schemaKind("minLength of wide characters", func(_ *recordBuilder, n int) (string, string) {
			return doublingSchema(14, `{"minLength":3}`), quoteString(strings.Repeat("é", n/2))
		}),
		text("pattern by a fan", doublingSchema(12, `{"pattern":"^a*$"}`)),
		text("pattern on a long string", `{"pattern":"`+strings.Repeat("(a{0,200}){0,1}", 3)+`$"}`),
		text("pattern of classes", `{"pattern":"^(\\w|\\d|[a-z]|.)*b$"}`),
		text("pattern of nested repeats", `{"pattern":"^((a+)+)+$"}`),
		text("patterns in a wide list", wideSchema("allOf", 1000, func(i int) string { return fmt.Sprintf(`{"pattern":"a{%d}"}`, i%1000) })),
		text("const of a long string", `{"const":"`+strings.Repeat("a", 60_000)+`"}`),
		text("enum of long strings", wideSchema("enum", 60, func(i int) string { return quoteString(strings.Repeat("a", 900) + strconv.Itoa(i)) })),
		text("content of base64", `{"contentEncoding":"base64","contentMediaType":"application/json","contentSchema":{"$ref":"#"}}`),
	)
}
