package hostile

import (
	"strconv"
	"strings"
)

// compiledSchemaKinds returns schemas that are expensive to compile.
func compiledSchemaKinds() []Kind {
	alone := func(schema func(n int) string) func(n int) (string, string) {
		return func(n int) (string, string) { return schema(n), "1" }
	}
	return []Kind{
		countedKind("validation: wide schema", 4000, alone(func(n int) string { return `{"properties": {` + commaList(n, withIndex(`"n%d":{}`)) + `}}` })),
		countedKind("validation: array of schemas", 9000, alone(func(n int) string { return `{"allOf": ` + listOf(n, sameAt("true")) + `}` })),
		countedKind("validation: identifiers", 2000, alone(func(n int) string { return `{"$defs": {` + commaList(n, withIndex(`"n%[1]d":{"$id":"i%[1]d"}`)) + `}}` })),
		countedKind("validation: references", 1500, alone(func(n int) string {
			return `{"x": {` + commaList(n, withIndex(`"%d":{"title":""}`)) + `}, "allOf": ` + listOf(n/2, withIndex(`{"$ref":"#/x/%d"}`)) + `}`
		})),
		countedKind("validation: long pointers", 1000, alone(func(n int) string {
			return `{"properties": {"` + strings.Repeat("%", 30_000) + `": {"allOf": ` + listOf(n, sameAt(`{"type":"null"}`)) + `}}}`
		})),
		countedKind("validation: anchors", 1800, alone(func(n int) string {
			return `{"$defs": {` + commaList(n, withIndex(`"n%[1]d":{"$dynamicAnchor":"a%[1]d"}`)) + `}}`
		})),
		countedKind("validation: twenty alike", 700, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-06/schema#", "enum": ` + listOf(20, func(i int) string { return "[" + strings.Repeat("1,", n) + strconv.Itoa(i) + "]" }) + `}`
		})),
		countedKind("validation: types of numbers", 11_000, alone(func(n int) string { return `{"enum": ` + listOf(n, withIndex("%d")) + `}` })),
		countedKind("validation: patterns to compile", 1500, alone(func(n int) string { return `{"allOf": ` + listOf(n, withIndex(`{"pattern":"[a-z]{9}x%d"}`)) + `}` })),
		countedKind("validation: classes to compile", 14, alone(func(n int) string {
			return `{"allOf": ` + listOf(n, sameAt(`{"pattern":"[`+strings.Repeat(`\\p{L}`, 600)+`]"}`)) + `}`
		})),
		countedKind("validation: one pass to compile", 60, alone(func(n int) string {
			return `{"allOf": ` + listOf(n, sameAt(`{"pattern":"^(?:`+strings.Repeat(`(?:[\\p{L}]|[\\p{N}])`, 40)+`)$"}`)) + `}`
		})),
		countedKind("validation: formats of references", 1800, alone(func(n int) string { return `{"$defs": {` + commaList(n, withIndex(`"n%d":{"$ref":"#"}`)) + `}}` })),
		countedKind("validation: not a schema", 2500, alone(func(n int) string { return `{"properties": {` + commaList(n, withIndex(`"n%d":{"type":1}`)) + `}}` })),
		countedKind("validation: draft 7", 2500, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {` + commaList(n, withIndex(`"n%d":{"type":"null"}`)) + `}}`
		})),
	}
}
