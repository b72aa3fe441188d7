// Package report shows a calibration as one page of HTML that opens without a network: what each detector and the rule
// "two or more" will do, why a detector was not armed, and what would change against another calibration.
//
// It refuses to choose thresholds and to compute figures; it sees no text of prompts or answers.
package report
