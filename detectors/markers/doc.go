// Package markers finds the places in an answer that cite sources, in brackets, footnotes and labels, and the sources
// that they name.
package markers
