// Package knownfalse is the detector known_false: claims of the answer that repeat a claim which was confirmed false before.
// A claim is compared in a normal form that keeps figures, names, negation and the order of words, so that only repeats match.
package knownfalse
