package jsonschema

import (
	"confab/detectors"
	"confab/schemas"
)

// Checker validates other values than answers. It is safe for concurrent use.
type Checker struct{ detectors.Detector }

// NewChecker returns a checker that asserts formats.
func NewChecker() (Checker, error) {
	d, err := New(DefaultOptions(), nil)
	return Checker{d}, err
}

// Violation says how a JSON text violates the schema, "" if it does not. An error means that it cannot be told.
func (c Checker) Violation(doc *detectors.Document, schema, value string) (string, error) {
	s := c.Detector.(*schemaDetector).schemaFor(&schemas.Interaction{ResponseSchema: schema})
	if s.err != nil {
		return "", s.err
	}
	b := &budget{left: maxSchemaWork, work: doc.Work()}
	parsed, bad := parse(value)
	if !b.take(s.cost + parsed.values*perValue + len(value)/perText) {
		return "", errSchemaWork
	}
	if bad != nil {
		return bad.Error(), nil
	}
	rows, _, err := s.validate(parsedAnswer{parsed, 0}, b)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Note, nil
}
