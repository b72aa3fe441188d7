// Package coverage measures how much of the traffic can be checked: metrics by service and model, the share of answers with
// nothing to check, detectors that fail, unknown and malformed fields, and a warning with the cause and the remedy. What of an
// answer was measured is decided by detectors.Evaluation.Coverage; an answer is unchecked if nothing of it was.
package coverage
