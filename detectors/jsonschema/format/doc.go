// Package format checks the formats of JSON Schema that the validator takes too lightly, and translates patterns of
// ECMA-262.
package format
