// Package entailment asks a classifier whether the best window of the sources entails each claim.
package entailment
