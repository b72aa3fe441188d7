package jsonschema

import (
	"confab/detectors"
	"confab/schemas"
)

// NewChecker returns a function that says how a JSON text other than an answer violates a schema, formats included, "" if it does
// not. Its error means that it cannot be told. It is safe for concurrent use.
func NewChecker() (check func(doc *detectors.Document, schema, value string) (string, error), err error) {
	d, err := New(DefaultOptions(), nil)
	if err != nil {
		return nil, err
	}
	return d.(*schemaDetector).violation, nil
}

func (s *schemaDetector) violation(doc *detectors.Document, schema, value string) (string, error) {
	c := s.schemaFor(&schemas.Interaction{ResponseSchema: schema})
	if c.err != nil {
		return "", c.err
	}
	b := &budget{left: maxSchemaWork, work: doc.Work()}
	parsed, bad := parse(value)
	if !b.take(c.cost + parsed.values*perValue + len(value)/perText) {
		return "", errSchemaWork
	}
	if bad != nil {
		return bad.Error(), nil
	}
	rows, _, err := c.validate(parsedAnswer{parsed, 0}, b)
	if err != nil || len(rows) == 0 {
		return "", err
	}
	return rows[0].Note, nil
}
