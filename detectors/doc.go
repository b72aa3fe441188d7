// Package detectors measures interactions: each [Detector] asks one question of a [Document], and the [Suite] holds
// each finding against its rule's threshold and tells the outcome of all of them as one [Evaluation].
//
// [Standard] lists the detectors. Metric labels, configuration keys, benchmarks, allocation budgets and fuzz targets
// are derived from it, so adding one is a file and a line.
//
// It refuses I/O, Kafka, clocks of its own and thresholds in code: the suite compares, the calibration file decides.
package detectors
