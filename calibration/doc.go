// Package calibration holds what turns scores into signals: the thresholds of the rules and the token-uncertainty
// baselines of models, kept in one versioned YAML file that re-tunes everything without code, and the pure functions
// that choose thresholds from labelled scores. Labelled interactions enter through [Labels], and [Measure] makes rows of
// numbers of them.
//
// It refuses to make scores: those are the detectors'. Live traffic is compared with thresholds by the suite; here only
// rows that were measured before are, in judge.go. It keeps no labelled text.
package calibration
