// Package negatives makes training rows out of supported answers: copies with exactly one planted fault whose place is
// known, and copies with a harmless change, so that the change itself does not give the fault away. A sentence of a
// source counts as a supported answer of its own, which gives rows of both labels without any labelled answer.
//
// Everything is drawn from the given generator of random numbers: the same seed makes the same rows. Words are English.
//
// It refuses to judge or to measure anything, and it never takes words from the group that it edits.
package negatives
