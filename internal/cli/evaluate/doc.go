// Package evaluate measures the quality of detectors on labelled rows.
package evaluate
