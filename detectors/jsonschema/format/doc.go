// Package format validates the JSON Schema formats that the validator library checks incompletely, and translates ECMA-262
// patterns.
package format
