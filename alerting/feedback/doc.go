// Package feedback counts the labels that people give, and derives the precision of alerts by detector and window as
// Prometheus metrics.
package feedback
