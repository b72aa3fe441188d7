// Package fusion combines the scores and measures of an evaluation into one learned log-odds.
package fusion
