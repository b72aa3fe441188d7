// Package quotes compares the quotations of an answer with the sources: are the words there, and does the same speaker say
// them?
package quotes
