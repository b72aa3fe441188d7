// Package figureindex indexes the figures of an answer, its sources and its prompt, and holds the list of unsupported
// facts.
package figureindex
