// Package calibration holds what turns scores into signals: the thresholds of the rules and the token-uncertainty
// baselines of models, kept in one versioned YAML file that re-tunes everything without code, and the pure functions
// that choose thresholds from labelled scores.
//
// It refuses to measure: detectors make the scores. It refuses to compare a score with a threshold: that is the
// suite's. It keeps no labelled text.
package calibration
