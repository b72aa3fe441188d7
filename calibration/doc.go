// Package calibration holds the calibration file: the thresholds of the rules, the token-uncertainty baselines of models
// and the risk maps, in one versioned YAML file, with its loader, its validation and its lookup. The packages below it
// make that file: measure turns labelled interactions into rows of numbers, thresholds chooses from rows, baseline and
// risk fit the rest, feedback weighs labels from incidents, roc holds the statistics.
//
// It makes no scores: detectors do. It keeps no labelled text.
package calibration
