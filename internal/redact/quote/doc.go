// Package quote makes the redacted, shortened texts of a flag.
package quote
