package hostile

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

const answerCap = 190_000 // bytes of an answer that is still validated

// contract is a kind of a JSON Schema and the answer that is held against it. Every record's schema is another text, so
// that no cache of compiled schemas helps.
func contract(name string, build func(b *builder, n int) (schema, answer string)) Kind {
	return Kind{name, answerCap, func(b *builder, n int) { b.follow(build(b, n)) }}
}

func (b *builder) follow(schema, answer string) {
	if inner, ok := strings.CutPrefix(schema, "{"); ok {
		title := fmt.Sprintf(`{"title":"%s %d %d"`, word(b.Rand), b.Seed, b.Size)
		if strings.HasPrefix(inner, "}") {
			schema = title + inner
		} else {
			schema = title + "," + inner
		}
	}
	b.Interaction.ResponseSchema, b.Interaction.Answer = schema, answer
}

// fan applies leaf 2^levels times to the value, by references.
func fan(levels int, leaf string) string {
	return chain(levels, func(i int) string {
		return fmt.Sprintf(`{"allOf":[{"$ref":"#/$defs/d%[1]d"},{"$ref":"#/$defs/d%[1]d"}]}`, i+1)
	}, leaf)
}

// chain is definitions d0 … dn-1 that lead to leaf.
func chain(n int, link func(i int) string, leaf string) string {
	var defs strings.Builder
	for i := range n {
		fmt.Fprintf(&defs, `"d%d":%s,`, i, link(i))
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":%s}}`, defs.String(), n, leaf)
}

// wide applies leaf count times to the value.
func wide(keyword string, count int, leaf func(i int) string) string {
	return `{"` + keyword + `":` + listOf(count, leaf) + "}"
}

// listOf is a JSON list of count elements.
func listOf(count int, element func(i int) string) string { return "[" + joined(count, element) + "]" }

// joined is count elements with commas.
func joined(count int, element func(i int) string) string {
	parts := make([]string, count)
	for i := range parts {
		parts[i] = element(i)
	}
	return strings.Join(parts, ",")
}

// always is an element that is the same everywhere.
func always(s string) func(int) string { return func(int) string { return s } }

func quoted(s string) string { return `"` + s + `"` }

// array is a JSON list of about n bytes.
func array(n int, element func(i int) string) string { return list(n, "[", "]", element) }

// decimal is a number of many digits.
func decimal(r *rand.Rand, digits int) string { return "0." + runes(r, '1', '9', digits) }

// schemaScalarKinds go through one long string, or one number, again and again.
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
			contract("format "+f.name+" by a fan", func(_ *builder, n int) (string, string) {
				return fan(12, `{"format":"`+f.name+`"}`), quoted(fill(n, func() string { return f.text }))
			}),
			contract("format "+f.name+" of elements", func(b *builder, n int) (string, string) {
				return `{"items":{"format":"` + f.name + `"}}`, array(n, func(i int) string { return quoted(f.text + strconv.Itoa(i)) })
			}))
	}
	text := func(name, schema string) Kind {
		return contract(name, func(_ *builder, n int) (string, string) { return schema, quoted(strings.Repeat("a", n)) })
	}
	return append(kinds,
		text("format iri in a wide list", wide("allOf", 2000, always(`{"format":"iri"}`))),
		text("minLength by a fan", fan(14, `{"minLength":3}`)),
		text("maxLength by a fan", fan(14, `{"maxLength":300000}`)),
		contract("minLength of wide characters", func(_ *builder, n int) (string, string) {
			return fan(14, `{"minLength":3}`), quoted(strings.Repeat("é", n/2))
		}),
		text("pattern by a fan", fan(12, `{"pattern":"^a*$"}`)),
		text("pattern on a long string", `{"pattern":"`+strings.Repeat("(a{0,200}){0,1}", 3)+`$"}`),
		text("pattern of classes", `{"pattern":"^(\\w|\\d|[a-z]|.)*b$"}`),
		text("pattern of nested repeats", `{"pattern":"^((a+)+)+$"}`),
		text("patterns in a wide list", wide("allOf", 1000, func(i int) string { return fmt.Sprintf(`{"pattern":"a{%d}"}`, i%1000) })),
		text("const of a long string", `{"const":"`+strings.Repeat("a", 60_000)+`"}`),
		text("enum of long strings", wide("enum", 60, func(i int) string { return quoted(strings.Repeat("a", 900) + strconv.Itoa(i)) })),
		text("content of base64", `{"contentEncoding":"base64","contentMediaType":"application/json","contentSchema":{"$ref":"#"}}`),
	)
}
