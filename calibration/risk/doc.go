// Package risk fits the maps from the log-odds of fusion to the probability that an answer is faulty: isotonic or by
// Platt, whichever predicts held-out groups better. It is pure: the same rows in any order give the same maps.
package risk
