// Package jsonschema is the detector "schema": it validates an answer against the JSON Schema it should follow, with bounded
// work.
package jsonschema
