// Package figureindex holds the figures of an answer, of its sources and of its prompt, and the list of facts that were
// found unsupported.
package figureindex
