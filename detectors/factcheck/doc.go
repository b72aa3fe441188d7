// Package factcheck compares figures, dates, names and fields of an answer's claims with the sources and the prompt.
// Several detectors use its findings.
package factcheck
