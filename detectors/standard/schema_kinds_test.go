package standard_test

import (
	"fmt"
	"strings"
)

const (
	overBudget = "too much work"
	overCap    = "more than 2,000 subschemas"
	badPattern = "a pattern is not supported"
	clean      = "0"
	broken     = "1"
)

// schemaOutcomes returns the outcomes of the kinds that are validated or compiled at full size.
func schemaOutcomes() map[string]string {
	return map[string]string{
		"validation: iri fan":                   overBudget,
		"validation: minLength fan":             overBudget,
		"validation: iri wide":                  overCap,
		"validation: string fan":                overBudget,
		"validation: enum of numbers":           overBudget,
		"validation: enum of near numbers":      overBudget,
		"validation: const":                     broken,
		"validation: const fan":                 overBudget,
		"validation: unique fan":                overBudget,
		"validation: unique near numbers":       overBudget,
		"validation: multipleOf":                clean,
		"validation: multipleOf of many digits": clean,
		"validation: bounds of many digits":     clean,
		"validation: formats of regex":          clean,
		"validation: formats of classes":        clean,
		"validation: pattern on a long string":  broken,
		"validation: pattern fan":               overBudget,
		"validation: patterns":                  clean,
		"validation: properties and patterns":   overCap,
		"validation: tree of alternatives":      overBudget,
		"validation: errors":                    overBudget,
		"validation: errors of alternatives":    overBudget,
		"validation: wide required":             overBudget,
		"validation: unevaluated fan":           overBudget,
		"validation: contains":                  overBudget,
		"validation: property names":            clean,
		"validation: deep allOf":                overBudget,
		"validation: dynamic references":        "$dynamicRef",
		"validation: long key":                  clean,
		"validation: additional properties":     broken,
		"validation: numbers to read":           clean,
		"validation: escapes to read":           clean,
		"validation: types of numbers":          clean,
		"validation: patterns to compile":       badPattern,
		"validation: classes to compile":        badPattern,
	}
}

// joinItems returns n items separated by commas.
func joinItems(n int, item func(i int) string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = item(i)
	}
	return strings.Join(parts, ",")
}

func arrayOf(n int, item func(i int) string) string { return "[" + joinItems(n, item) + "]" }

// ordinaryRecords returns schemas and answers of ordinary sizes, which must be validated completely.
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
			arrayOf(10_000, row),
		},
		"1100 orders": {
			`{"type": "array", "items": {"$ref": "#/$defs/order"}, "$defs": {"order": {"type": "object", "additionalProperties": false, "required": ["id", "name", "mail", "state"], "properties": {` +
				`"id": {"type": "integer", "minimum": 1}, "name": {"type": "string", "minLength": 1, "maxLength": 100, "pattern": "^[A-Z]"}, "mail": {"type": "string", "format": "email"}, "state": {"enum": ["new", "paid", "shipped"]}, ` +
				`"total": {"type": "number", "minimum": 0, "multipleOf": 0.01}, "tags": {"type": "array", "items": {"type": "string"}, "uniqueItems": true}, "placed": {"type": "string", "format": "date-time"}, "note": {"anyOf": [{"type": "string"}, {"type": "null"}]}}}}}`,
			arrayOf(1100, func(i int) string { return order(i + 1) }),
		},
		"schema of 20 fields":  {`{"type": "object", "properties": {` + joinItems(20, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
		"schema of 100 fields": {`{"type": "object", "properties": {` + joinItems(100, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
		"schema of 250 fields": {`{"type": "object", "properties": {` + joinItems(250, wide) + `}}`, `{"field_1": {"kind": "a", "value": 3}}`},
	}
}
