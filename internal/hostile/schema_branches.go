package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// schemaBranchKinds returns schemas that apply many schemas to one value by branches, references and recursion.
func schemaBranchKinds() []Kind {
	numbers := func(n int) string { return sizedArray(n, func(i int) string { return strconv.Itoa(i % 10) }) }
	items := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, numbers(n) })
	}
	// tree returns nested objects with two members each, repeated in an array to n bytes.
	tree := func(n, depth int) string {
		node := "1"
		for range depth {
			node = `{"a":` + node + `,"b":` + node + `}`
		}
		return sizedArray(n, sameAt(node))
	}
	nested := func(n, depth int) string {
		return sizedArray(n, sameAt(strings.Repeat(`{"a":`, depth)+"1"+strings.Repeat("}", depth)))
	}
	recursive := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, tree(n, 6) })
	}
	return []Kind{
		items("wide allOf", `{"items":`+wideSchema("allOf", 500, sameAt(`{"type":"number"}`))+"}"),
		items("wide anyOf", `{"items":`+wideSchema("anyOf", 500, sameAt(`{"type":"string"}`))+"}"),
		items("wide oneOf", `{"items":`+wideSchema("oneOf", 500, sameAt(`{"type":"number"}`))+"}"),
		items("deep allOf", `{"items":`+strings.Repeat(`{"allOf":[`, 29)+"{}"+strings.Repeat("]}", 29)+"}"),
		items("deep not", `{"items":`+strings.Repeat(`{"not":`, 60)+"{}"+strings.Repeat("}", 60)+"}"),
		items("deep oneOf", `{"items":`+strings.Repeat(`{"oneOf":[false,`, 29)+"{}"+strings.Repeat("]}", 29)+"}"),
		items("conditions", `{"items":`+strings.Repeat(`{"if":{"type":"string"},"else":`, 25)+"{}"+strings.Repeat("}", 25)+"}"),
		items("chain of references", `{"items":{"$ref":"#/$defs/d0"},`+strings.TrimPrefix(referenceChain(500, func(i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i+1) }, "{}"), `{"$ref":"#/$defs/d0",`)),
		items("cycle of references", `{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`),
		items("reference to itself", `{"$ref":"#"}`),
		items("doubling allOf", doublingSchema(40, `{"type":"string"}`)),
		items("doubling anyOf", strings.ReplaceAll(doublingSchema(40, `{"type":"string"}`), "allOf", "anyOf")),
		items("fan of lists", doublingSchema(5, `{"items":{"type":"string"}}`)),
		items("fan of errors", strings.ReplaceAll(doublingSchema(5, `{"items":{"type":"string"}}`), "allOf", "anyOf")),
		recursive("recursion by anyOf", `{"anyOf":[{"type":"number"},{"type":"string"},{"type":"object","additionalProperties":{"$ref":"#"}},{"type":"array","items":{"$ref":"#"}}]}`),
		recursive("recursion by oneOf", `{"oneOf":[{"type":"number"},{"type":"string"},{"type":"object","additionalProperties":{"$ref":"#"}},{"items":{"$ref":"#"},"type":"array"}]}`),
		recursive("recursion that fails late", `{"anyOf":[{"type":["object","array"],"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"}},{"type":"string"}]}`),
		recursive("recursion of errors", `{"items":{"$ref":"#"},"additionalProperties":{"$ref":"#"},"type":"null","minProperties":9}`),
		schemaKind("recursion that doubles", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":{"$ref":"#"},"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`, nested(n, 10)
		}),
		recursive("dynamic references", `{"$dynamicAnchor":"x","items":{"$dynamicRef":"#x"},"additionalProperties":{"$dynamicRef":"#x"}}`),
		schemaKind("dynamic references that double", func(_ *recordBuilder, n int) (string, string) {
			return `{"$dynamicAnchor":"x","items":{"$dynamicRef":"#x"},"properties":{"a":{"anyOf":[{"$dynamicRef":"#x"},{"$dynamicRef":"#x"}]}}}`, nested(n, 10)
		}),
		recursive("recursive references", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"},"additionalProperties":{"$recursiveRef":"#"}}`),
		recursive("draft 7", `{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"additionalProperties":{"$ref":"#/definitions/n"},"items":{"$ref":"#/definitions/n"}}},"$ref":"#/definitions/n"}`),
		recursive("unevaluated in recursion", `{"allOf":[{"properties":{"a":{"$ref":"#"}}}],"unevaluatedProperties":{"$ref":"#"},"items":{"$ref":"#"}}`),
		recursive("the metaschema", `{"$ref":"https://json-schema.org/draft/2020-12/schema"}`),
		schemaKind("errors at 64 levels", func(_ *recordBuilder, n int) (string, string) {
			return `{"anyOf":[{"items":{"$ref":"#"},"additionalProperties":{"$ref":"#"},"not":{"type":"number"}},{"type":"null"}]}`, nested(n, 55)
		}),
	}
}

// schemaTextKinds returns schemas that are expensive to parse, and answers that are not JSON.
func schemaTextKinds() []Kind {
	schema := func(name string, build func(b *recordBuilder, n int) string) Kind {
		return Kind{name, SchemaCap - 2000, func(b *recordBuilder, n int) { b.follow(build(b, n), "1") }}
	}
	defs := func(prefix string, element func(b *recordBuilder, i int) string) func(b *recordBuilder, n int) string {
		return func(b *recordBuilder, n int) string {
			return `{` + prefix + `"$defs":` + delimitedList(n-len(prefix)-20, "{", "}", func(i int) string { return fmt.Sprintf(`"d%d":%s`, i, element(b, i)) }) + "}"
		}
	}
	answer := func(name string, text func(b *recordBuilder, n int) string) Kind {
		return schemaKind(name, func(b *recordBuilder, n int) (string, string) { return `{"type":"object"}`, text(b, n) })
	}
	return []Kind{
		schema("schema of definitions", defs("", func(b *recordBuilder, i int) string {
			return `{"type":"object","properties":{"` + randomWord(b.Rand) + `":{"type":"string"}}}`
		})),
		schema("schema of empty definitions", defs("", func(*recordBuilder, int) string { return "{}" })),
		schema("schema of formats", defs("", func(*recordBuilder, int) string { return `{"format":"regex"}` })),
		schema("schema of anchors", defs("", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`{"$anchor":"a%d","$ref":"#a%d"}`, i, i/2) })),
		schema("schema of ids", defs("", func(_ *recordBuilder, i int) string {
			return fmt.Sprintf(`{"$id":"http://a.example/%d","$ref":"%d"}`, i, i/2)
		})),
		schema("schema of references", defs("", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`{"$ref":"#/$defs/d%d"}`, i/2) })),
		schema("schema of patterns", defs("", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`{"pattern":"(a{%d}){2}"}`, i%200) })),
		schema("schema of long patterns", defs("", func(b *recordBuilder, _ int) string {
			return `{"pattern":"` + randomRunes(b.Rand, 'a', 'z', 3000) + `"}`
		})),
		schema("schema of classes", defs("", func(*recordBuilder, int) string { return `{"pattern":"[\\p{L}\\p{N}\\w\\S]{1,50}"}` })),
		schema("schema of numbers", defs("", func(b *recordBuilder, _ int) string {
			return `{"maximum":` + randomDecimal(b.Rand, 300) + `,"multipleOf":` + randomDecimal(b.Rand, 300) + `}`
		})),
		schema("schema of a wide enum", func(b *recordBuilder, n int) string {
			return `{"enum":` + delimitedList(n-100, "[", "]", func(i int) string { return strconv.Itoa(i * 3) }) + "}"
		}),
		schema("schema of one long name", func(_ *recordBuilder, n int) string { return `{"properties":{"` + strings.Repeat("n", n) + `":true}}` }),
		schema("schema of nested lists", func(_ *recordBuilder, n int) string {
			return `{"examples":` + delimitedList(n-100, "[", "]", sameAt(strings.Repeat("[", 50)+strings.Repeat("]", 50))) + "}"
		}),
		schema("schema that is wrong everywhere", defs("", func(*recordBuilder, int) string { return `{"type":17}` })),
		schema("schema that is not JSON", func(_ *recordBuilder, n int) string { return "{" + strings.Repeat(`"a":`, n/4) }),
		schema("schema of escapes", func(_ *recordBuilder, n int) string { return `{"description":"` + strings.Repeat(`\u0061`, n/6) + `"}` }),
		schema("schema of equal properties", func(_ *recordBuilder, n int) string {
			return `{"properties":` + delimitedList(n, "{", "}", func(i int) string { return fmt.Sprintf(`"p%d":{"$ref":"#"}`, i) }) + "}"
		}),
		answer("answer of 64 levels", func(_ *recordBuilder, n int) string {
			return sizedArray(n, sameAt(strings.Repeat("[", 62)+strings.Repeat("]", 62)))
		}),
		answer("answer of 65 levels", func(_ *recordBuilder, n int) string {
			return sizedArray(n, sameAt(strings.Repeat("[", 64)+strings.Repeat("]", 64)))
		}),
		answer("answer that is not JSON", func(b *recordBuilder, n int) string { return fillText(n, func() string { return randomClaim(b.Rand) }) }),
		answer("answer of a key twice", func(_ *recordBuilder, n int) string {
			return delimitedList(n, "{", `,"k0":0}`, func(i int) string { return fmt.Sprintf(`"k%d":0`, i) })
		}),
		answer("answer cut short", func(_ *recordBuilder, n int) string {
			return strings.TrimSuffix(sizedArray(n, sameAt(`{"a":"b"}`)), "]")
		}),
		answer("answer of escapes", func(_ *recordBuilder, n int) string { return quoteString(strings.Repeat(`\u0061`, n/6)) }),
		answer("answer of exponents", func(_ *recordBuilder, n int) string { return sizedArray(n, sameAt("1e399")) }),
		answer("answer in a fence", func(_ *recordBuilder, n int) string { return "```json\n" + sizedArray(n, sameAt("{}")) + "\n```" }),
	}
}
