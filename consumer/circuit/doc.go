// Package circuit halts a partition when too many of its last records are poison, and lets a few records through later
// to probe whether it can go on. A [Breaker] is for one goroutine.
package circuit
