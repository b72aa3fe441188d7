// Package loopmetrics holds the metrics of consumer loops. The series of a loop exist from its start, so that rates over
// them are never empty.
package loopmetrics
