package hostile

import (
	"fmt"
	"strconv"
	"strings"
)

// schemaListKinds hold long lists against keywords that compare their elements.
func schemaListKinds() []Kind {
	numbers := func(n int) string { return array(n, func(i int) string { return strconv.Itoa(i % 10) }) }
	items := func(name, schema string) Kind {
		return contract(name, func(_ *builder, n int) (string, string) { return schema, numbers(n) })
	}
	unique := func(name string, element func(b *builder, i int) string) Kind {
		return contract(name, func(b *builder, n int) (string, string) {
			return `{"uniqueItems":true}`, array(n, func(i int) string { return element(b, i) })
		})
	}
	return []Kind{
		contract("enum of numbers", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("enum", 2000, func(i int) string { return strconv.Itoa(i + 100) }) + "}", array(n/45, func(i int) string { return strconv.Itoa(i % 10) })
		}),
		contract("enum of long numbers", func(b *builder, n int) (string, string) {
			return `{"items":` + wide("enum", 150, func(int) string { return decimal(b.Rand, 390) }) + "}", array(n, func(int) string { return decimal(b.Rand, 390) })
		}),
		contract("enum of exponents", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("enum", 500, func(i int) string { return fmt.Sprintf("1e%d", i%390) }) + "}", array(n/20, always("1e-390"))
		}),
		contract("enum of strings", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("enum", 3000, func(i int) string { return fmt.Sprintf(`"value %d"`, i) }) + "}", array(n/30, always(`"value"`))
		}),
		contract("enum of objects", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("enum", 1000, func(i int) string { return fmt.Sprintf(`{"a":{"b":%d}}`, i) }) + "}", array(n/20, always(`{"a":{"b":-1}}`))
		}),
		items("const of a number", `{"items":{"const":99}}`),
		items("consts of numbers in a wide list", `{"items":`+wide("anyOf", 100, always(`{"const":99}`))+"}"),
		contract("const of a long list", func(_ *builder, n int) (string, string) {
			same := listOf(14_000, always("1"))
			return `{"items":{"const":` + same + `}}`, "[" + strings.TrimSuffix(strings.Repeat(same+",", 1+n/len(same)), ",") + "]"
		}),
		unique("unique numbers", func(_ *builder, i int) string { return strconv.Itoa(i) }),
		unique("unique long numbers", func(b *builder, i int) string { return decimal(b.Rand, 390) }),
		unique("unique strings", func(_ *builder, i int) string { return fmt.Sprintf(`"s%d"`, i) }),
		unique("unique objects", func(_ *builder, i int) string { return fmt.Sprintf(`{"a":%d}`, i) }),
		unique("unique lists", func(_ *builder, i int) string { return fmt.Sprintf(`[[%d]]`, i) }),
		unique("unique empty lists but one", func(_ *builder, i int) string {
			return fmt.Sprintf(`[%s]`, strings.TrimSuffix(strings.Repeat("0,", 1+i%300), ","))
		}),
		items("uniqueItems by a fan", fan(6, `{"uniqueItems":true}`)),
		contract("uniqueItems of 20 again and again", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("allOf", 10, always(`{"uniqueItems":true}`)) + "}", array(n, func(int) string { return listOf(19, func(i int) string { return strconv.Itoa(i) }) })
		}),
	}
}

// schemaElementKinds hold long lists against keywords of numbers and of places.
func schemaElementKinds() []Kind {
	items := func(name, schema string) Kind {
		return contract(name, func(_ *builder, n int) (string, string) {
			return schema, array(n, func(i int) string { return strconv.Itoa(i % 10) })
		})
	}
	return []Kind{
		contract("multipleOf", func(b *builder, n int) (string, string) {
			return `{"items":{"multipleOf":0.0001}}`, array(n, func(int) string { return decimal(b.Rand, 12) })
		}),
		contract("multipleOf of long decimals", func(b *builder, n int) (string, string) {
			return `{"items":{"multipleOf":` + decimal(b.Rand, 390) + `}}`, array(n, func(int) string { return decimal(b.Rand, 390) })
		}),
		contract("multipleOf of exponents", func(_ *builder, n int) (string, string) {
			return `{"items":{"multipleOf":1e-390}}`, array(n, always("1e390"))
		}),
		contract("bounds of long decimals", func(b *builder, n int) (string, string) {
			bound := decimal(b.Rand, 390)
			return `{"items":{"minimum":-` + bound + `,"maximum":` + bound + `,"exclusiveMinimum":-` + bound + `,"exclusiveMaximum":` + bound + `}}`,
				array(n, func(int) string { return decimal(b.Rand, 390) })
		}),
		contract("bounds in a wide list", func(_ *builder, n int) (string, string) {
			return `{"items":` + wide("allOf", 100, func(i int) string { return fmt.Sprintf(`{"maximum":1e%d}`, 200+i) }) + "}", array(n/20, always("1e-300"))
		}),
		items("contains", `{"contains":{"const":-1},"minContains":1,"maxContains":5}`),
		items("contains in a wide list", wide("allOf", 50, func(i int) string { return fmt.Sprintf(`{"contains":{"const":-%d}}`, i+1) })),
		items("unevaluatedItems", `{"allOf":[{"prefixItems":[true]},{"contains":{"type":"string"}}],"unevaluatedItems":{"type":"number"}}`),
		items("unevaluatedItems below branches", `{"anyOf":`+listOf(50, always(`{"contains":{"minimum":5}}`))+`,"unevaluatedItems":false}`),
		items("all elements are wrong", `{"items":{"type":"string"}}`),
		items("all elements are wrong in many ways", `{"items":{"allOf":[{"type":"string"},{"maximum":-1},{"enum":["a"]},{"not":{}},{"const":null}]}}`),
		items("prefixItems", `{"prefixItems":`+listOf(3000, always(`{"type":"number"}`))+`,"items":false}`),
		contract("lists of lists", func(_ *builder, n int) (string, string) {
			return `{"items":{"$ref":"#"}}`, array(n, always("[[[[]]]]"))
		}),
	}
}

// schemaObjectKinds hold large objects against keywords that go through their members.
func schemaObjectKinds() []Kind {
	members := func(n int) string {
		return list(n, "{", "}", func(i int) string { return fmt.Sprintf(`"n%d":%d`, i, i%10) })
	}
	object := func(name, schema string) Kind {
		return contract(name, func(_ *builder, n int) (string, string) { return schema, members(n) })
	}
	objects := func(name, schema string) Kind {
		return contract(name, func(_ *builder, n int) (string, string) { return schema, array(n, always("{}")) })
	}
	named := func(count int, value func(i int) string) string {
		return list(0, "{", "}", func(int) string {
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
		object("properties", `{"properties":`+named(3000, always(`{"type":"string"}`))+"}"),
		object("propertyNames", `{"propertyNames":{"pattern":"^[a-z]+[0-9]*$","maxLength":3,"format":"hostname"}}`),
		object("propertyNames in a wide list", wide("allOf", 50, always(`{"propertyNames":{"minLength":9}}`))),
		objects("required", `{"items":{"required":`+listOf(3000, func(i int) string { return fmt.Sprintf(`"n%d"`, i) })+"}}"),
		object("dependentRequired", `{"dependentRequired":`+named(2000, always(`["x","y"]`))+"}"),
		object("dependentSchemas", `{"dependentSchemas":`+named(1500, always(`{"required":["x"]}`))+"}"),
		objects("dependentSchemas of elements", `{"items":{"dependentSchemas":`+named(1500, always(`false`))+"}}"),
		object("unevaluatedProperties", `{"allOf":[{"properties":{"n1":true}},{"patternProperties":{"5$":true}}],"unevaluatedProperties":{"type":"string"}}`),
		object("unevaluatedProperties below branches", `{"anyOf":`+listOf(60, func(i int) string { return fmt.Sprintf(`{"patternProperties":{"%d$":true}}`, i) })+`,"unevaluatedProperties":false}`),
		object("minProperties by a fan", fan(13, `{"minProperties":3}`)),
		object("types by a fan", fan(8, `{"additionalProperties":{"type":"number"}}`)),
		contract("long names", func(_ *builder, n int) (string, string) {
			return `{"propertyNames":{"pattern":"^(a|b)*$"},"additionalProperties":{"$ref":"#"}}`, `{"` + strings.Repeat("a", n) + `":{}}`
		}),
		contract("members of wrong types", func(_ *builder, n int) (string, string) {
			return `{"additionalProperties":{"type":["string","null"],"minLength":5}}`, members(n)
		}),
	}
}
