// Package grounding is the detector that measures whether any source supports each claim of an answer, with or without a
// learned model.
package grounding
