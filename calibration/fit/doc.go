// Package fit learns the weights of the fast path from labelled rows: what it makes is written into the model file, and
// the same rows and seed make the same file.
//
// It refuses to measure and to judge: detectors measure, calibration turns scores into signals.
package fit
