// Package thresholds chooses the threshold of every detector from measured rows, cross-validates each and the rule "two
// or more", and compares two calibrations on the same rows. The same rows in any order give the same file.
package thresholds
