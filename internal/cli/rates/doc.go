// Package rates prints the rate of hallucinated answers, estimated from sampled flags and labels.
package rates
