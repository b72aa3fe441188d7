// Package technical is the detector that asks whether links, identifiers, packages and modules named in an answer can
// exist.
package technical
