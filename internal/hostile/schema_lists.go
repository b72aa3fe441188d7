package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// schemaListKinds returns long lists with keywords that compare their elements.
func schemaListKinds() []Kind {
	numbers := func(n int) string { return sizedArray(n, func(i int) string { return strconv.Itoa(i % 10) }) }
	items := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, numbers(n) })
	}
	unique := func(name string, element func(b *recordBuilder, i int) string) Kind {
		return schemaKind(name, func(b *recordBuilder, n int) (string, string) {
			return `{"uniqueItems":true}`, sizedArray(n, func(i int) string { return element(b, i) })
		})
	}
	return []Kind{
		schemaKind("enum of numbers", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("enum", 2000, func(i int) string { return strconv.Itoa(i + 100) }) + "}", sizedArray(n/45, func(i int) string { return strconv.Itoa(i % 10) })
		}),
		schemaKind("enum of long numbers", func(b *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("enum", 150, func(int) string { return randomDecimal(b.Rand, 390) }) + "}", sizedArray(n, func(int) string { return randomDecimal(b.Rand, 390) })
		}),
		schemaKind("enum of exponents", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("enum", 500, func(i int) string { return fmt.Sprintf("1e%d", i%390) }) + "}", sizedArray(n/20, sameAt("1e-390"))
		}),
		schemaKind("enum of strings", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("enum", 3000, func(i int) string { return fmt.Sprintf(`"value %d"`, i) }) + "}", sizedArray(n/30, sameAt(`"value"`))
		}),
		schemaKind("enum of objects", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("enum", 1000, func(i int) string { return fmt.Sprintf(`{"a":{"b":%d}}`, i) }) + "}", sizedArray(n/20, sameAt(`{"a":{"b":-1}}`))
		}),
		items("const of a number", `{"items":{"const":99}}`),
		items("consts of numbers in a wide list", `{"items":`+wideSchema("anyOf", 100, sameAt(`{"const":99}`))+"}"),
		schemaKind("const of a long list", func(_ *recordBuilder, n int) (string, string) {
			same := listOf(14_000, sameAt("1"))
			return `{"items":{"const":` + same + `}}`, "[" + strings.TrimSuffix(strings.Repeat(same+",", 1+n/len(same)), ",") + "]"
		}),
		unique("unique numbers", func(_ *recordBuilder, i int) string { return strconv.Itoa(i) }),
		unique("unique long numbers", func(b *recordBuilder, i int) string { return randomDecimal(b.Rand, 390) }),
		unique("unique strings", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`"s%d"`, i) }),
		unique("unique objects", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`{"a":%d}`, i) }),
		unique("unique lists", func(_ *recordBuilder, i int) string { return fmt.Sprintf(`[[%d]]`, i) }),
		unique("unique empty lists but one", func(_ *recordBuilder, i int) string {
			return fmt.Sprintf(`[%s]`, strings.TrimSuffix(strings.Repeat("0,", 1+i%300), ","))
		}),
		items("uniqueItems by a fan", doublingSchema(6, `{"uniqueItems":true}`)),
		schemaKind("uniqueItems of 20 again and again", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("allOf", 10, sameAt(`{"uniqueItems":true}`)) + "}", sizedArray(n, func(int) string { return listOf(19, func(i int) string { return strconv.Itoa(i) }) })
		}),
	}
}

// schemaElementKinds returns long lists with keywords of numbers and of positions.
func schemaElementKinds() []Kind {
	items := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) {
			return schema, sizedArray(n, func(i int) string { return strconv.Itoa(i % 10) })
		})
	}
	return []Kind{
		schemaKind("multipleOf", func(b *recordBuilder, n int) (string, string) {
			return `{"items":{"multipleOf":0.0001}}`, sizedArray(n, func(int) string { return randomDecimal(b.Rand, 12) })
		}),
		schemaKind("multipleOf of long decimals", func(b *recordBuilder, n int) (string, string) {
			return `{"items":{"multipleOf":` + randomDecimal(b.Rand, 390) + `}}`, sizedArray(n, func(int) string { return randomDecimal(b.Rand, 390) })
		}),
		schemaKind("multipleOf of exponents", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":{"multipleOf":1e-390}}`, sizedArray(n, sameAt("1e390"))
		}),
		schemaKind("bounds of long decimals", func(b *recordBuilder, n int) (string, string) {
			bound := randomDecimal(b.Rand, 390)
			return `{"items":{"minimum":-` + bound + `,"maximum":` + bound + `,"exclusiveMinimum":-` + bound + `,"exclusiveMaximum":` + bound + `}}`,
				sizedArray(n, func(int) string { return randomDecimal(b.Rand, 390) })
		}),
		schemaKind("bounds in a wide list", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":` + wideSchema("allOf", 100, func(i int) string { return fmt.Sprintf(`{"maximum":1e%d}`, 200+i) }) + "}", sizedArray(n/20, sameAt("1e-300"))
		}),
		items("contains", `{"contains":{"const":-1},"minContains":1,"maxContains":5}`),
		items("contains in a wide list", wideSchema("allOf", 50, func(i int) string { return fmt.Sprintf(`{"contains":{"const":-%d}}`, i+1) })),
		items("unevaluatedItems", `{"allOf":[{"prefixItems":[true]},{"contains":{"type":"string"}}],"unevaluatedItems":{"type":"number"}}`),
		items("unevaluatedItems below branches", `{"anyOf":`+listOf(50, sameAt(`{"contains":{"minimum":5}}`))+`,"unevaluatedItems":false}`),
		items("all elements are wrong", `{"items":{"type":"string"}}`),
		items("all elements are wrong in many ways", `{"items":{"allOf":[{"type":"string"},{"maximum":-1},{"enum":["a"]},{"not":{}},{"const":null}]}}`),
		items("prefixItems", `{"prefixItems":`+listOf(3000, sameAt(`{"type":"number"}`))+`,"items":false}`),
		schemaKind("lists of lists", func(_ *recordBuilder, n int) (string, string) {
			return `{"items":{"$ref":"#"}}`, sizedArray(n, sameAt("[[[[]]]]"))
		}),
	}
}

// schemaObjectKinds returns large objects with keywords that visit their members.
func schemaObjectKinds() []Kind {
	members := func(n int) string {
		return delimitedList(n, "{", "}", func(i int) string { return fmt.Sprintf(`"n%d":%d`, i, i%10) })
	}
	object := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, members(n) })
	}
	objects := func(name, schema string) Kind {
		return schemaKind(name, func(_ *recordBuilder, n int) (string, string) { return schema, sizedArray(n, sameAt("{}")) })
	}
	named := func(count int, value func(i int) string) string {
		return delimitedList(0, "{", "}", func(int) string {
			parts := make([]string, count)
			for i := range parts {
				parts[i] = fmt.Sprintf(`"n%d":%s`, i, value(i))
			}
			return strings.Join(parts, ",")
		})
	}
	patterns := func(count int) string {
		parts := make([]string, count)
		for i := range parts {
			parts[i] = fmt.Sprintf(`"n%d$":{}`, i)
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return []Kind{
		object("patternProperties", `{"patternProperties":`+patterns(2000)+"}"),
		object("patternProperties of stars", `{"patternProperties":{"^(n|[0-9])*x$":{},"^.*.*.*y$":{},"(a|b|c)+":{}}}`),
		object("additionalProperties", `{"patternProperties":{"^n":{"type":"string"}},"additionalProperties":false}`),
		object("properties", `{"properties":`+named(3000, sameAt(`{"type":"string"}`))+"}"),
		object("propertyNames", `{"propertyNames":{"pattern":"^[a-z]+[0-9]*$","maxLength":3,"format":"hostname"}}`),
		object("propertyNames in a wide list", wideSchema("allOf", 50, sameAt(`{"propertyNames":{"minLength":9}}`))),
		objects("required", `{"items":{"required":`+listOf(3000, func(i int) string { return fmt.Sprintf(`"n%d"`, i) })+"}}"),
		object("dependentRequired", `{"dependentRequired":`+named(2000, sameAt(`["x","y"]`))+"}"),
		object("dependentSchemas", `{"dependentSchemas":`+named(1500, sameAt(`{"required":["x"]}`))+"}"),
		objects("dependentSchemas of elements", `{"items":{"dependentSchemas":`+named(1500, sameAt(`false`))+"}}"),
		object("unevaluatedProperties", `{"allOf":[{"properties":{"n1":true}},{"patternProperties":{"5$":true}}],"unevaluatedProperties":{"type":"string"}}`),
		object("unevaluatedProperties below branches", `{"anyOf":`+listOf(60, func(i int) string { return fmt.Sprintf(`{"patternProperties":{"%d$":true}}`, i) })+`,"unevaluatedProperties":false}`),
		object("minProperties by a fan", doublingSchema(13, `{"minProperties":3}`)),
		object("types by a fan", doublingSchema(8, `{"additionalProperties":{"type":"number"}}`)),
		schemaKind("long names", func(_ *recordBuilder, n int) (string, string) {
			return `{"propertyNames":{"pattern":"^(a|b)*$"},"additionalProperties":{"$ref":"#"}}`, `{"` + strings.Repeat("a", n) + `":{}}`
		}),
		schemaKind("members of wrong types", func(_ *recordBuilder, n int) (string, string) {
			return `{"additionalProperties":{"type":["string","null"],"minLength":5}}`, members(n)
		}),
	}
}
