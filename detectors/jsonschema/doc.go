// Package jsonschema is the detector "schema": it validates an answer against the JSON Schema it should follow. The library
// compiles and validates; this package refuses what the library could not do in bounded time.
package jsonschema
