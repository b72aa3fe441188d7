// Package confidence compares an answer's token uncertainty with a baseline per model.
package confidence
