// Package maptest runs sample records through the maps of inputs and compares the result with expected fields, for
// `confab map`.
package maptest
