// Package tracing has histograms whose exemplars name the traces of interactions and of callers.
package tracing
