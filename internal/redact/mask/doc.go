// Package mask hides parts of secrets in quotes of texts.
package mask
