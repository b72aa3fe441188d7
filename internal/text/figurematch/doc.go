// Package figurematch compares the figures of an answer with those of a source.
package figurematch
