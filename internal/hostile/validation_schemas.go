package hostile

import (
	"strconv"
	"strings"
)

// compiledSchemaKinds are costly to compile.
func compiledSchemaKinds() []Kind {
	alone := func(schema func(n int) string) func(n int) (string, string) {
		return func(n int) (string, string) { return schema(n), "1" }
	}
	return []Kind{
		counted("validation: wide schema", 4000, alone(func(n int) string { return `{"properties": {` + joined(n, serial(`"n%d":{}`)) + `}}` })),
		counted("validation: array of schemas", 9000, alone(func(n int) string { return `{"allOf": ` + listOf(n, always("true")) + `}` })),
		counted("validation: identifiers", 2000, alone(func(n int) string { return `{"$defs": {` + joined(n, serial(`"n%[1]d":{"$id":"i%[1]d"}`)) + `}}` })),
		counted("validation: references", 1500, alone(func(n int) string {
			return `{"x": {` + joined(n, serial(`"%d":{"title":""}`)) + `}, "allOf": ` + listOf(n/2, serial(`{"$ref":"#/x/%d"}`)) + `}`
		})),
		counted("validation: long pointers", 1000, alone(func(n int) string {
			return `{"properties": {"` + strings.Repeat("%", 30_000) + `": {"allOf": ` + listOf(n, always(`{"type":"null"}`)) + `}}}`
		})),
		counted("validation: anchors", 1800, alone(func(n int) string {
			return `{"$defs": {` + joined(n, serial(`"n%[1]d":{"$dynamicAnchor":"a%[1]d"}`)) + `}}`
		})),
		counted("validation: twenty alike", 700, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-06/schema#", "enum": ` + listOf(20, func(i int) string { return "[" + strings.Repeat("1,", n) + strconv.Itoa(i) + "]" }) + `}`
		})),
		counted("validation: types of numbers", 11_000, alone(func(n int) string { return `{"enum": ` + listOf(n, serial("%d")) + `}` })),
		counted("validation: patterns to compile", 1500, alone(func(n int) string {
			return `{"allOf": ` + listOf(n, serial(`{"pattern":"[a-z]{9}x%d"}`)) + `}`
		})),
		counted("validation: classes to compile", 14, alone(func(n int) string {
			return `{"allOf": ` + listOf(n, always(`{"pattern":"[`+strings.Repeat(`\\p{L}`, 600)+`]"}`)) + `}`
		})),
		counted("validation: one pass to compile", 60, alone(func(n int) string {
			return `{"allOf": ` + listOf(n, always(`{"pattern":"^(?:`+strings.Repeat(`(?:[\\p{L}]|[\\p{N}])`, 40)+`)$"}`)) + `}`
		})),
		counted("validation: formats of references", 1800, alone(func(n int) string { return `{"$defs": {` + joined(n, serial(`"n%d":{"$ref":"#"}`)) + `}}` })),
		counted("validation: not a schema", 2500, alone(func(n int) string { return `{"properties": {` + joined(n, serial(`"n%d":{"type":1}`)) + `}}` })),
		counted("validation: draft 7", 2500, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {` + joined(n, serial(`"n%d":{"type":"null"}`)) + `}}`
		})),
	}
}
