// Package risk fits the maps from the log-odds of fusion to the probability that an answer is faulty: isotonic or
// Platt, whichever has the lower held-out loss. The same rows in any order give the same maps.
package risk
