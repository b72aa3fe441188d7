// Package confab turns one LLM interaction into one flag: detectors measure it, the thresholds of a calibration turn the
// measurements into signals, and the alert policy is stamped on the result. The worker, the commands and library users
// share it.
package confab
