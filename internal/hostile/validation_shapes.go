package hostile

import (
	"fmt"
	"slices"
	"strings"
)

// validatedShapeKinds returns schemas with many or expensive applications.
func validatedShapeKinds() []Kind {
	return slices.Concat(validatedTreeKinds(), validatedReferenceKinds())
}

// memberList returns an object of n members.
func memberList(n int) string { return "{" + commaList(n, withIndex(`"n%d":1`)) + "}" }

// validatedTreeKinds returns schemas with many applications by their shape.
func validatedTreeKinds() []Kind {
	return []Kind{
		countedKind("validation: properties and patterns", 2000, func(n int) (string, string) {
			return `{"patternProperties": {` + commaList(n, withIndex(`"^x%d$":true`)) + `}}`, memberList(n)
		}),
		countedKind("validation: tree of alternatives", 60, func(n int) (string, string) {
			return `{"anyOf": [{"type": "null"}, {"required": ["b"], "properties": {"a": {"$ref": "#"}}}, {"required": ["c"], "properties": {"a": {"$ref": "#"}}}]}`, nestText(n, `{"a":`, "1", "}")
		}),
		countedKind("validation: errors", 60_000, func(n int) (string, string) { return `{"items": {"type": "string"}}`, listOf(n, sameAt("1")) }),
		countedKind("validation: deep errors", 60_000, func(n int) (string, string) {
			return `{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "type": "array"}}}`, nestText(60, "[", listOf(n, sameAt("1")), "]")
		}),
		countedKind("validation: errors of alternatives", 20_000, func(n int) (string, string) {
			return `{"items": {"anyOf": [{"type": "string"}, {"oneOf": [{"type": "null"}, {"not": {}}]}]}}`, listOf(n, sameAt("1"))
		}),
		countedKind("validation: nested alternatives of errors", 400, func(n int) (string, string) {
			return nestedAnyOf(n), listOf(10_000, sameAt("1"))
		}),
		countedKind("validation: wide required", 3000, func(n int) (string, string) {
			return `{"items": {"required": ` + listOf(n, withIndex(`"n%d"`)) + `}}`, listOf(20_000, sameAt("{}"))
		}),
		countedKind("validation: unevaluated fan", 14, func(n int) (string, string) {
			return strings.ReplaceAll(doublingSchema(n, `{"unevaluatedProperties": true}`), "allOf", "anyOf"), memberList(10_000)
		}),
		countedKind("validation: unevaluated items", 60_000, func(n int) (string, string) {
			return `{"anyOf": [{"contains": {"type": "null"}}, {"contains": {"type": "number"}}], "unevaluatedItems": false}`, listOf(n, sameAt("1"))
		}),
		countedKind("validation: contains", 60_000, func(n int) (string, string) {
			return `{"contains": {"type": "string"}, "minContains": 5}`, listOf(n, sameAt("1"))
		}),
		countedKind("validation: contains fan", 14, func(n int) (string, string) {
			return doublingSchema(n, `{"contains": false}`), listOf(50_000, sameAt("1"))
		}),
	}
}

// validatedReferenceKinds returns schemas with many applications by names and references.
func validatedReferenceKinds() []Kind {
	return []Kind{
		countedKind("validation: property names", 19_000, func(n int) (string, string) {
			return `{"propertyNames": {"pattern": "^n[0-9]*$", "maxLength": 9, "format": "uri-reference"}}`, memberList(n)
		}),
		countedKind("validation: dependent required", 2000, func(n int) (string, string) {
			return `{"items": {"dependentRequired": {` + commaList(n, withIndex(`"n%d":["a","b"]`)) + `}}}`, listOf(100, sameAt(memberList(100)))
		}),
		countedKind("validation: dependent schemas", 1000, func(n int) (string, string) {
			return `{"items": {"dependentSchemas": {` + commaList(n, withIndex(`"n%d":{"minProperties":2}`)) + `}}}`, listOf(20, sameAt(memberList(1000)))
		}),
		countedKind("validation: deep allOf", 20, func(n int) (string, string) {
			return `{"items": ` + nestText(n, `{"allOf": [{"minimum": 0},`, `{"maximum": 9}`, `]}`) + `}`, listOf(60_000, sameAt("1"))
		}),
		countedKind("validation: dynamic references", 60, func(n int) (string, string) {
			return `{"$dynamicAnchor": "x", "properties": {"a": {"anyOf": [{"$dynamicRef": "#x"}, {"$dynamicRef": "#x"}]}}, "type": "object"}`, nestText(n, `{"a":`, "1", "}")
		}),
		countedKind("validation: chain of references", 1000, func(n int) (string, string) {
			return `{"items": {"$ref": "#/$defs/d0"}, "$defs": {` + commaList(n, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) }) + fmt.Sprintf(`,"d%d":true}}`, n), listOf(50_000, sameAt("1"))
		}),
		countedKind("validation: cycle of references", 300, func(n int) (string, string) {
			return `{"items": {"$ref": "#/$defs/d0"}, "$defs": {` + commaList(n, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, (i+1)%n) }) + `}}`, listOf(50_000, sameAt("1"))
		}),
		countedKind("validation: long key", 12, func(n int) (string, string) {
			return doublingSchema(n, `{"properties": {"a": true}, "additionalProperties": true}`), `{"` + strings.Repeat("k", longAnswer) + `": 1}`
		}),
		countedKind("validation: additional properties", 15_000, func(n int) (string, string) {
			return `{"allOf": [{"additionalProperties": false}, {"additionalProperties": false, "title": "b"}]}`, memberList(n)
		}),
		countedKind("validation: numbers to read", 99_000, func(n int) (string, string) { return `{"type": "array"}`, listOf(n, sameAt("1")) }),
		countedKind("validation: objects to read", 66_000, func(n int) (string, string) { return `{"type": "array"}`, listOf(n, sameAt("{}")) }),
		countedKind("validation: escapes to read", 30_000, func(n int) (string, string) {
			return `{"type": "string"}`, `"` + strings.Repeat(`\u00e9`, n) + `"`
		}),
	}
}

// nestedAnyOf returns n nested alternatives, the innermost of which every element violates.
func nestedAnyOf(n int) string {
	defs := commaList(n, func(i int) string { return fmt.Sprintf(`"d%d": {"anyOf": [false, {"$ref": "#/$defs/d%d"}]}`, i, i+1) })
	return fmt.Sprintf(`{"$ref": "#/$defs/d0", "$defs": {%s, "d%d": {"items": {"type": "string"}}}}`, defs, n)
}
