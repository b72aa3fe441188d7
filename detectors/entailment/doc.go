// Package entailment asks a verifier whether the best window of the sources entails each claim.
package entailment
