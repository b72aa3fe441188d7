// Package quality turns measured rows into figures: how well each detector, the fused risk and the rule "two or more"
// tell faulty answers from good ones, with intervals, beside the floors that cost nothing. [Judge] makes a [Report],
// which is written as JSON or as one page of HTML.
//
// It refuses to measure interactions, to choose thresholds and to read files; it sees no text.
package quality
