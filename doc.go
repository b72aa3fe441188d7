// Package confab turns one LLM interaction into one flag: detectors measure it, a calibration's thresholds make signals
// of the measurements, and the alert policy is stamped on the result. The worker, the commands and library users share
// it.
package confab
