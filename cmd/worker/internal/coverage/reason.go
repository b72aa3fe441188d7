package coverage

import (
	"confab/calibration"
	"confab/detectors"
	"confab/schemas"
)

// Reason is why an answer is unchecked: the first of these that a detector reports.
type Reason int

// The reasons.
const (
	EmptyAnswer    Reason = iota // the answer has no text
	NoSources                    // nothing to compare the answer with
	MalformedField               // a field that a detector reads is malformed
	Language                     // the detectors do not know the answer's language
	Truncated                    // text of a source was not read
	Cost                         // a limit on cost or time was reached
	Failed                       // a detector failed
	NotArmed                     // a detector has no usable threshold
	NoClaims                     // the answer claims nothing
	OtherReason                  // such as no log-probabilities, if no other detector is enabled
	reasons                      // their number
)

// String returns the metric label.
func (r Reason) String() string {
	return [reasons]string{"empty_answer", "no_sources", "malformed_field", "language", "truncated", "cost", "error", "not_armed", "no_claims", "other"}[r]
}

// remedy says what to do if most unchecked answers have the reason.
func (r Reason) remedy() string {
	return [reasons]string{
		"send the text that the user saw in answer, or keep such interactions out of the topic",
		"send what the model was given in sources: docs/interaction.md",
		"correct the malformed fields in the producer: docs/interaction.md has the types",
		"docs/languages.md has the languages that detectors can read",
		"raise limits.max_source_size, limits.max_sources or limits.max_text_size, or send shorter sources",
		"docs/operations.md, Cost limits, explains expensive records and slow machines",
		"read the detectors' errors in the log and in confab_detector_runs_total",
		"calibrate the detectors on labelled answers, or take calibration_file out of the configuration",
		"the answers claim nothing that detectors check, such as small talk: raise metrics.unchecked.share if that is usual",
		"docs/detectors.md says what each detector needs: enable more of them, or send what they need",
	}[r]
}

// reasonOf returns the reason of one outcome.
func reasonOf(outcome schemas.Outcome, why string) Reason {
	if outcome == schemas.Failed {
		return Failed
	}
	switch why {
	case detectors.ReasonEmptyAnswer:
		return EmptyAnswer
	case detectors.ReasonMalformed:
		return MalformedField
	case detectors.ReasonNoSources:
		return NoSources
	case detectors.ReasonLanguage:
		return Language
	case detectors.ReasonTruncated:
		return Truncated
	case detectors.ReasonBudget, detectors.ReasonDeadline, detectors.ReasonShed:
		return Cost
	case detectors.ReasonNotArmed:
		return NotArmed
	case detectors.ReasonNoClaims:
		return NoClaims
	default:
		return OtherReason
	}
}

// hasStaleBaseline reports whether a detector has baselines of other models only.
func hasStaleBaseline(readings []detectors.Reading) bool {
	for i := range readings {
		if readings[i].Outcome == schemas.NotCheckable && readings[i].Reason == calibration.StaleBaseline {
			return true
		}
	}
	return false
}

// Unchecked reports whether the outcomes leave the answer unchecked, and why. An answer that the configuration leaves out is
// not unchecked.
func Unchecked(readings []detectors.Reading) (why Reason, unchecked bool) {
	why = OtherReason
	for i := range readings {
		r := &readings[i]
		if r.Outcome == schemas.Fired || r.Outcome == schemas.Clear || r.Outcome == schemas.Skipped && r.Reason == detectors.ReasonOperation {
			return 0, false
		}
		why = min(why, reasonOf(r.Outcome, r.Reason))
	}
	return why, true
}
