// Package calibration holds the calibration file: the thresholds of the rules, the token-uncertainty baselines of
// models and the risk maps, in one versioned YAML file. It loads, validates, saves and looks up. The packages below it
// make and judge the file: measure turns labelled interactions into rows of numbers, tune fits thresholds and risk to
// rows, rate estimates shares, quality measures, roc holds the statistics. Labelled text is not stored.
package calibration
