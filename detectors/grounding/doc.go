// Package grounding is the detector that asks whether each claim of an answer is supported by any source, with and
// without learned weights.
package grounding
