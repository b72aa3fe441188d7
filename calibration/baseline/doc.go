// Package baseline fits the token-uncertainty baselines of models on good answers, and chooses the statistic that
// separates bad answers best.
package baseline
