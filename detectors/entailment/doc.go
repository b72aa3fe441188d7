// Package entailment is the deep detector that asks a classifier whether the best window of the sources entails each
// claim.
package entailment
