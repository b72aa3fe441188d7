// Package rate estimates which share of answers is wrong, from samples with known probabilities that people labelled and a judge read.
package rate
