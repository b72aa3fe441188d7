// Package calibration holds the calibration file: the thresholds of the rules, the token-uncertainty baselines of
// models and the risk maps, in one versioned YAML file. It loads, validates, saves and looks up. The packages below it
// make the file: measure turns labelled interactions into rows of numbers, thresholds chooses from rows, risk
// fits the rest, feedback weighs labels of incidents, roc holds the statistics. Labelled text is not stored.
package calibration
