// Package report writes a calibration as one self-contained HTML page: the quality of each detector and of the rule
// "two or more", why a detector is not armed, and what changes against another calibration. It holds no text of prompts
// or answers.
package report
