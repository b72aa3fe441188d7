// Package rate estimates which share of answers is hallucinated, from a sample with known probabilities.
package rate
