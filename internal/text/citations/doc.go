// Package citations finds the citation markers of an answer ([1], ¹, (source: a), "according to document 2", (Smith, 2020))
// and the sources they name.
package citations
