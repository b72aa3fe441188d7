// Package technical checks whether links, identifiers, packages and modules named in an answer can exist.
package technical
