// Package jsonschema is the detector schema: it validates an answer against the JSON Schema that it was asked to
// follow, with bounded work.
package jsonschema
