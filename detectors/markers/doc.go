// Package markers finds the citation markers of an answer (brackets, footnotes, labels) and the sources they name.
package markers
