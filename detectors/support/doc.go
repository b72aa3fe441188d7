// Package support measures how far the sources support a claim: it indexes the words of an answer and its sources and
// finds the window of source sentences that contains most of a claim.
package support
