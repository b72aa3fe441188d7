// Package facts is the detector that scores the unsupported facts found by package factcheck.
package facts
