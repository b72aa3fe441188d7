// Package factcheck compares figures, dates, names and fields of an answer's claims with the sources and the prompt.
// Several detectors share its findings.
package factcheck
