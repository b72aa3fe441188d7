// Package detectors measures interactions. Each [Detector] answers one question about a [Document]. The [Suite] compares
// each finding with its rule's threshold and returns all outcomes as one [Evaluation].
//
// Package detectors/standard lists the detectors as entries. Metric labels, configuration keys, benchmarks, allocation
// budgets and fuzz targets are derived from that list.
//
// Detectors do no I/O, read no clock and contain no thresholds: those come from the calibration file.
package detectors
