package detectors_test

import (
	"fmt"
	"strings"

	"confab/detectors"
)

// schemaKind makes schemas and answers whose validation grows with n in one way.
type schemaKind struct {
	name string
	n    int // the size that a record of 64 KiB and MaxTextBytes holds
	make func(n int) (schema, answer string)
	want string // of the outcome at n
}

const (
	overBudget = "too much work"
	clean      = "0"
	broken     = "1"
)

// maxAnswer leaves room for what is around the repeated part.
const maxAnswer = detectors.MaxTextBytes - 2000

// join repeats what item makes, with commas.
func join(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, ",")
}

func same(s string) func(int) string { return func(int) string { return s } }

func numbered(format string) func(int) string {
	return func(i int) string { return fmt.Sprintf(format, i) }
}

func array(n int, item func(i int) string) string { return "[" + join(n, item) + "]" }

// fan applies leaf 2 to the n times to the value, or to each of its elements.
func fan(n int, keyword, leaf string) string {
	defs := join(n, func(i int) string {
		return fmt.Sprintf(`"d%d": {%q: [{"$ref": "#/$defs/d%d"}, {"$ref": "#/$defs/d%d"}]}`, i, keyword, i+1, i+1)
	})
	return fmt.Sprintf(`{"$ref": "#/$defs/d0", "$defs": {%s, "d%d": %s}}`, defs, n, leaf)
}

func text(n int) string { return `"` + strings.Repeat("a", n) + `"` }

func nest(n int, open, inner, closing string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(closing, n)
}

// schemaKinds are the attacks on the validator, its compiler and the reading of what failed.
func schemaKinds() []schemaKind {
	return append(append(hostileValues(), hostileShapes()...), hostileSchemas()...)
}

// hostileValues make single values costly.
func hostileValues() []schemaKind {
	regex := func(s string) func(n int) (string, string) {
		return func(n int) (string, string) { return `{"items": {"format": "regex"}}`, array(n, numbered(s)) }
	}
	return []schemaKind{
		{"iri fan", 14, func(n int) (string, string) {
			return fan(n, "allOf", `{"format": "iri"}`), `"a:` + strings.Repeat("a", maxAnswer) + `"`
		}, overBudget},
		{"minLength fan", 14, func(n int) (string, string) { return fan(n, "allOf", `{"minLength": 3}`), text(maxAnswer) }, overBudget},
		{"iri wide", 2800, func(n int) (string, string) {
			return `{"allOf": ` + array(n, same(`{"format": "iri"}`)) + `}`, `"a:` + strings.Repeat("a", maxAnswer) + `"`
		}, overBudget},
		{"string fan", 14, func(n int) (string, string) { return fan(n, "allOf", `{"title": "a"}`), text(maxAnswer) }, overBudget},
		{"enum of numbers", 2000, func(n int) (string, string) {
			return `{"items": {"enum": ` + array(n, numbered("%d.5")) + `}}`, array(n, numbered("%d.25"))
		}, broken},
		{"enum of near numbers", 1000, func(n int) (string, string) {
			return `{"items": {"enum": ` + array(n, numbered("0.10000000000000000000000000%06d")) + `}}`, array(n, numbered("0.10000000000000000000000001%06d"))
		}, overBudget},
		{"enum of arrays", 300, func(n int) (string, string) {
			return `{"items": {"enum": ` + array(n, func(i int) string { return "[" + strings.Repeat("1,", 80) + fmt.Sprint(i+1) + "]" }) + `}}`,
				array(n, same("["+strings.Repeat("1,", 80)+"0]"))
		}, overBudget},
		{"const", 6000, func(n int) (string, string) {
			return `{"items": {"const": [` + strings.Repeat("1,", 4) + `0]}}`, array(n, same("["+strings.Repeat("1,", 4)+"1]"))
		}, broken},
		{"const fan", 12, func(n int) (string, string) {
			return fan(n, "allOf", `{"const": `+array(15_000, same("1"))+`}`), array(15_000, same("1.0"))
		}, overBudget},
		{"unique fan", 14, func(n int) (string, string) {
			return fan(n, "allOf", `{"uniqueItems": true}`), array(20_000, numbered("%d"))
		}, overBudget},
		{"unique near numbers", 5000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, array(n, numbered("0.1000000000000000000000000000%06d"))
		}, overBudget},
		{"unique of twenty", 2000, func(n int) (string, string) {
			return `{"uniqueItems": true}`, array(20, func(i int) string { return "[" + strings.Repeat("1,", n) + fmt.Sprint(i) + "]" })
		}, clean},
		{"multipleOf", 23_000, func(n int) (string, string) {
			return `{"items": {"multipleOf": 0.01}}`, array(n, numbered("%d.25"))
		}, clean},
		{"multipleOf of many digits", 470, func(n int) (string, string) {
			return `{"items": {"multipleOf": 1e-400}}`, array(n, same(strings.Repeat("7", 395)+"e4"))
		}, clean},
		{"bounds of many digits", 470, func(n int) (string, string) {
			return `{"items": {"minimum": ` + strings.Repeat("7", 395) + `, "exclusiveMinimum": 1e-400, "type": "integer"}}`, array(n, same(strings.Repeat("7", 395)+"e4"))
		}, clean},
		{"formats of regex", 7600, regex(`"(a|b)*[c-f]{2,9}x%06d"`), overBudget},
		{"formats of classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, array(n, same(`"[`+strings.Repeat(`\\p{L}`, 800)+`]"`))
		}, overBudget},
		{"formats of folded classes", 38, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, array(n, same(`"(?i:[`+strings.Repeat(`\\p{L}`, 800)+`])"`))
		}, overBudget},
		{"formats of spaces", 64, func(n int) (string, string) {
			return `{"items": {"format": "regex"}}`, array(n, same(`"`+strings.Repeat(`\\s`, 1000)+`"`))
		}, overBudget},
		{"pattern on a long string", maxAnswer, func(n int) (string, string) {
			return `{"pattern": "(a|b|ab|ba)*c"}`, text(n)
		}, broken},
		{"pattern fan", 10, func(n int) (string, string) {
			return fan(n, "allOf", `{"pattern": "(a|b|ab|ba)*c"}`), text(maxAnswer)
		}, overBudget},
		{"pattern of one pass", maxAnswer, func(n int) (string, string) { return `{"pattern": "^a+c$"}`, text(n) }, broken},
		{"patterns", 5000, func(n int) (string, string) {
			return `{"items": {"pattern": "^[a-z]+[0-9]*$"}}`, array(n, numbered(`"abcdefghijklmnopqrstuvwxyz%d"`))
		}, clean},
		{"host names", 800, func(n int) (string, string) {
			return `{"items": {"format": "idn-hostname"}}`, array(n, same(`"`+strings.Repeat("ü", 50)+".bücher"+strings.Repeat("l·l", 15)+`"`))
		}, overBudget},
		{"long values wrong", 3, func(n int) (string, string) {
			return `{"items": {"pattern": "^b", "format": "ipv4", "maxLength": 1}}`, array(n, same(text(maxAnswer/n)))
		}, broken},
	}
}

// hostileShapes make many applications, or dear ones.
func hostileShapes() []schemaKind {
	names := func(n int) string { return "{" + join(n, numbered(`"n%d":1`)) + "}" }
	return []schemaKind{
		{"properties and patterns", 2000, func(n int) (string, string) {
			return `{"patternProperties": {` + join(n, numbered(`"^x%d$":true`)) + `}}`, names(n)
		}, overBudget},
		{"tree of alternatives", 60, func(n int) (string, string) {
			return `{"anyOf": [{"type": "null"}, {"required": ["b"], "properties": {"a": {"$ref": "#"}}}, {"required": ["c"], "properties": {"a": {"$ref": "#"}}}]}`, nest(n, `{"a":`, "1", "}")
		}, overBudget},
		{"errors", 60_000, func(n int) (string, string) { return `{"items": {"type": "string"}}`, array(n, same("1")) }, overBudget},
		{"deep errors", 60_000, func(n int) (string, string) {
			return `{"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}, "type": "array"}}}`, nest(60, "[", array(n, same("1")), "]")
		}, overBudget},
		{"errors of alternatives", 20_000, func(n int) (string, string) {
			return `{"items": {"anyOf": [{"type": "string"}, {"oneOf": [{"type": "null"}, {"not": {}}]}]}}`, array(n, same("1"))
		}, overBudget},
		{"nested alternatives of errors", 400, func(n int) (string, string) {
			return nestedAnyOf(n), array(10_000, same("1"))
		}, overBudget},
		{"wide required", 3000, func(n int) (string, string) {
			return `{"items": {"required": ` + array(n, numbered(`"n%d"`)) + `}}`, array(20_000, same("{}"))
		}, overBudget},
		{"unevaluated fan", 14, func(n int) (string, string) {
			return fan(n, "anyOf", `{"unevaluatedProperties": true}`), names(10_000)
		}, overBudget},
		{"unevaluated items", 60_000, func(n int) (string, string) {
			return `{"anyOf": [{"contains": {"type": "null"}}, {"contains": {"type": "number"}}], "unevaluatedItems": false}`, array(n, same("1"))
		}, overBudget},
		{"contains", 60_000, func(n int) (string, string) {
			return `{"contains": {"type": "string"}, "minContains": 5}`, array(n, same("1"))
		}, overBudget},
		{"contains fan", 14, func(n int) (string, string) { return fan(n, "allOf", `{"contains": false}`), array(50_000, same("1")) }, overBudget},
		{"property names", 19_000, func(n int) (string, string) {
			return `{"propertyNames": {"pattern": "^n[0-9]*$", "maxLength": 9, "format": "uri-reference"}}`, names(n)
		}, overBudget},
		{"dependent required", 2000, func(n int) (string, string) {
			return `{"items": {"dependentRequired": {` + join(n, numbered(`"n%d":["a","b"]`)) + `}}}`, array(100, same(names(100)))
		}, overBudget},
		{"dependent schemas", 1000, func(n int) (string, string) {
			return `{"items": {"dependentSchemas": {` + join(n, numbered(`"n%d":{"minProperties":2}`)) + `}}}`, array(20, same(names(1000)))
		}, overBudget},
		{"deep allOf", 20, func(n int) (string, string) {
			return `{"items": ` + nest(n, `{"allOf": [{"minimum": 0},`, `{"maximum": 9}`, `]}`) + `}`, array(60_000, same("1"))
		}, overBudget},
		{"dynamic references", 60, func(n int) (string, string) {
			return `{"$dynamicAnchor": "x", "properties": {"a": {"anyOf": [{"$dynamicRef": "#x"}, {"$dynamicRef": "#x"}]}}, "type": "object"}`, nest(n, `{"a":`, "1", "}")
		}, overBudget},
		{"chain of references", 1000, func(n int) (string, string) {
			return `{"items": {"$ref": "#/$defs/d0"}, "$defs": {` + join(n, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, i+1) }) + fmt.Sprintf(`,"d%d":true}}`, n), array(50_000, same("1"))
		}, overBudget},
		{"cycle of references", 300, func(n int) (string, string) {
			return `{"items": {"$ref": "#/$defs/d0"}, "$defs": {` + join(n, func(i int) string { return fmt.Sprintf(`"d%d":{"$ref":"#/$defs/d%d"}`, i, (i+1)%n) }) + `}}`, array(50_000, same("1"))
		}, overBudget},
		{"long key", 12, func(n int) (string, string) {
			return fan(n, "allOf", `{"properties": {"a": true}, "additionalProperties": true}`), `{"` + strings.Repeat("k", maxAnswer) + `": 1}`
		}, overBudget},
		{"additional properties", 15_000, func(n int) (string, string) {
			return `{"allOf": [{"additionalProperties": false}, {"additionalProperties": false, "title": "b"}]}`, names(n)
		}, broken},
		{"numbers to read", 99_000, func(n int) (string, string) { return `{"type": "array"}`, array(n, same("1")) }, clean},
		{"objects to read", 66_000, func(n int) (string, string) { return `{"type": "array"}`, array(n, same("{}")) }, clean},
		{"escapes to read", 30_000, func(n int) (string, string) {
			return `{"type": "string"}`, `"` + strings.Repeat(`\u00e9`, n) + `"`
		}, clean},
	}
}

// nestedAnyOf has n alternatives in one another, of which the inmost lets every element fail.
func nestedAnyOf(n int) string {
	defs := join(n, func(i int) string {
		return fmt.Sprintf(`"d%d": {"anyOf": [false, {"$ref": "#/$defs/d%d"}]}`, i, i+1)
	})
	return fmt.Sprintf(`{"$ref": "#/$defs/d0", "$defs": {%s, "d%d": {"items": {"type": "string"}}}}`, defs, n)
}

// hostileSchemas are costly to compile.
func hostileSchemas() []schemaKind {
	alone := func(schema func(n int) string) func(n int) (string, string) {
		return func(n int) (string, string) { return schema(n), "1" }
	}
	return []schemaKind{
		{"wide schema", 4000, alone(func(n int) string { return `{"properties": {` + join(n, numbered(`"n%d":{}`)) + `}}` }), overBudget},
		{"array of schemas", 9000, alone(func(n int) string { return `{"allOf": ` + array(n, same("true")) + `}` }), overBudget},
		{"identifiers", 2000, alone(func(n int) string { return `{"$defs": {` + join(n, numbered(`"n%[1]d":{"$id":"i%[1]d"}`)) + `}}` }), overBudget},
		{"references", 1500, alone(func(n int) string {
			return `{"x": {` + join(n, numbered(`"%d":{"title":""}`)) + `}, "allOf": ` + array(n/2, numbered(`{"$ref":"#/x/%d"}`)) + `}`
		}), overBudget},
		{"long pointers", 1000, alone(func(n int) string {
			return `{"properties": {"` + strings.Repeat("%", 30_000) + `": {"allOf": ` + array(n, same(`{"type":"null"}`)) + `}}}`
		}), overBudget},
		{"anchors", 1800, alone(func(n int) string {
			return `{"$defs": {` + join(n, numbered(`"n%[1]d":{"$dynamicAnchor":"a%[1]d"}`)) + `}}`
		}), overBudget},
		{"twenty alike", 700, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-06/schema#", "enum": ` + array(20, func(i int) string { return "[" + strings.Repeat("1,", n) + fmt.Sprint(i) + "]" }) + `}`
		}), overBudget},
		{"types of numbers", 11_000, alone(func(n int) string { return `{"enum": ` + array(n, numbered("%d")) + `}` }), clean},
		{"patterns to compile", 1500, alone(func(n int) string {
			return `{"allOf": ` + array(n, numbered(`{"pattern":"[a-z]{9}x%d"}`)) + `}`
		}), overBudget},
		{"classes to compile", 14, alone(func(n int) string {
			return `{"allOf": ` + array(n, same(`{"pattern":"[`+strings.Repeat(`\\p{L}`, 600)+`]"}`)) + `}`
		}), overBudget},
		{"one pass to compile", 60, alone(func(n int) string {
			return `{"allOf": ` + array(n, same(`{"pattern":"^(?:`+strings.Repeat(`(?:[\\p{L}]|[\\p{N}])`, 40)+`)$"}`)) + `}`
		}), overBudget},
		{"formats of references", 1800, alone(func(n int) string { return `{"$defs": {` + join(n, numbered(`"n%d":{"$ref":"#"}`)) + `}}` }), overBudget},
		{"not a schema", 2500, alone(func(n int) string { return `{"properties": {` + join(n, numbered(`"n%d":{"type":1}`)) + `}}` }), overBudget},
		{"draft 7", 2500, alone(func(n int) string {
			return `{"$schema": "http://json-schema.org/draft-07/schema#", "properties": {` + join(n, numbered(`"n%d":{"type":"null"}`)) + `}}`
		}), overBudget},
	}
}

// ordinaryRecords are what must be validated to the end, the schema's size and the answer's at what applications send.
func ordinaryRecords() map[string][2]string {
	row := func(i int) string {
		return fmt.Sprintf(`{"id":%d,"c":"a"}`, i%1000)
	}
	order := func(i int) string {
		return fmt.Sprintf(`{"id": %d, "name": "Customer %d", "mail": "customer%d@example.com", "state": "shipped", "total": %d.25, "tags": ["a", "b"], "placed": "2026-03-0%dT10:00:00Z", "note": null}`, i, i, i, i, i%9+1)
	}
	wide := func(i int) string {
		return fmt.Sprintf(`"field_%d": {"type": "object", "description": "the field of number %d", "required": ["kind"], "properties": {"kind": {"enum": ["a", "b"]}, "value": {"type": ["number", "null"], "minimum": 0}}}`, i, i)
	}
	return map[string][2]string{
		"10000 objects": {
			`{"type": "array", "items": {"type": "object", "required": ["id", "c"], "properties": {"id": {"type": "integer", "minimum": 0}, "c": {"enum": ["a", "b", "c"]}}, "additionalProperties": false}}`,
			array(10_000, row),
		},
		"1100 orders": {
			`{"type": "array", "items": {"$ref": "#/$defs/order"}, "$defs": {"order": {"type": "object", "additionalProperties": false, "required": ["id", "name", "mail", "state"], "properties": {` +
				`"id": {"type": "integer", "minimum": 1}, "name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Z]"}, "mail": {"type": "string", "format": "email"}, "state": {"enum": ["new", "paid", "shipped"]}, ` +
				`"total": {"type": "number", "minimum": 0, "multipleOf": 0.01}, "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}, "placed": {"type": "string", "format": "date-time"}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}}`,
			array(1100, func(i int) string { return order(i + 1) }),
		},
		"schema of 20 fields":  {`{"type": "object", "properties": {` + join(20, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
		"schema of 100 fields": {`{"type": "object", "properties": {` + join(100, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
		"schema of 250 fields": {`{"type": "object", "properties": {` + join(250, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
	}
}
