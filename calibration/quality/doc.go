// Package quality computes how well each detector, the fused risk and the rule "two or more" separate wrong answers
// from fine ones, with intervals and trivial baselines. [Evaluate] makes a [Report] of measured rows, which is written
// as JSON.
package quality
