// Package jsonschema is the detector "schema": it validates an answer against the JSON Schema it should follow, with bounded
// work.
//
// An answer is first validated by the package itself, on a tape of places in the text, if its schema has common keywords only.
// What that accepts is valid for the library too, and is charged what the library is charged. The library validates the rest
// and explains every violation.
package jsonschema
