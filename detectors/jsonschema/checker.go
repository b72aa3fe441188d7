package jsonschema

import "confab/detectors"

// Checker validates values other than answers. It is safe for concurrent use.
type Checker struct{ schemas *schemaDetector }

// NewChecker returns a checker that asserts formats.
func NewChecker() (*Checker, error) {
	d, err := New(DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	return &Checker{d.(*schemaDetector)}, nil
}

// Violation says how a JSON text violates the schema, "" if it does not. An error means that it cannot be told.
func (c *Checker) Violation(doc *detectors.Document, schema, value string) (note string, err error) {
	b := &budget{left: maxSchemaWork, work: doc.Work()}
	s := c.schemas.schemaOf(schema)
	if s.err != nil {
		return "", s.err
	}
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
