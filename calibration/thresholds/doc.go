// Package thresholds chooses the threshold of every detector from measured rows, with cross-validated figures for each
// and for the rule "two or more", and compares two calibrations on the same rows. It is pure: the same rows in any
// order give the same file.
package thresholds
