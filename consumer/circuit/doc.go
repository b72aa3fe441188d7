// Package circuit decides when a partition with too many poison records halts, and probes with a few records whether it
// can continue. A [Breaker] is not safe for concurrent use.
package circuit
