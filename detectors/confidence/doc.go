// Package confidence compares an answer's token uncertainty with that of usual answers of its model and operation.
package confidence
