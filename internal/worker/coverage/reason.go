package coverage

import (
	"confab/calibration"
	"confab/detectors"
	"confab/schemas"
)

// Reason is why an answer is unchecked: the first of [detectors.Coverage.Reasons], by its place in [schemas.UncheckedReasons],
// or that it holds nothing to check.
type Reason int

// The reasons behind those of flags.
const (
	EmptyAnswer Reason = iota + flagReasons // the answer has no text
	NoClaims                                // the answer claims nothing
	reasons                                 // their number

	flagReasons = 11 // as many as [schemas.UncheckedReasons]
)

// String returns the metric label.
func (r Reason) String() string {
	switch r {
	case EmptyAnswer:
		return "empty_answer"
	case NoClaims:
		return "no_claims"
	default:
		return schemas.UncheckedReasons()[r]
	}
}

// remedy says what to do if most unchecked answers have the reason.
func (r Reason) remedy() string {
	return map[string]string{
		schemas.UncheckedError:      "read the detectors' errors in the log and in confab_detector_runs_total",
		schemas.UncheckedSkipped:    "docs/operations.md, Cost limits, explains expensive records and slow machines",
		schemas.UncheckedMalformed:  "correct the malformed fields in the producer: docs/interaction.md has the types",
		schemas.UncheckedNoSources:  "send what the model was given in sources: docs/interaction.md",
		schemas.UncheckedLanguage:   "docs/languages.md has the languages that detectors can read",
		schemas.UncheckedTruncated:  "raise limits.max_source_size, limits.max_sources or limits.max_text_size, or send shorter sources",
		schemas.UncheckedStatements: "raise limits.max_claims, or split long answers",
		schemas.UncheckedNotProse:   "the answers are code or markup, which detectors do not read: keep such operations out with skip_operations",
		schemas.UncheckedNotArmed:   "calibrate the detectors on labelled answers, or take calibration_file out of the configuration",
		schemas.UncheckedOperation:  "take the operation out of skip_operations if its answers are to be checked",
		schemas.UncheckedNoDetector: "enable a detector that reads text: docs/detectors.md",
		"empty_answer":              "send the text that the user saw in answer, or keep such interactions out of the topic",
		"no_claims":                 "the answers claim nothing that detectors check, such as small talk: nothing to do",
	}[r.String()]
}

// noSources is the reason of answers without sources.
func noSources() Reason {
	for i, reason := range schemas.UncheckedReasons() {
		if reason == schemas.UncheckedNoSources {
			return Reason(i)
		}
	}
	return reasons
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

// Unchecked reports whether nothing of the answer was measured, and why. What the configuration leaves out is not unchecked:
// operations that are skipped, and text that no enabled detector reads.
func Unchecked(e *detectors.Evaluation) (why Reason, unchecked bool) {
	c := e.Coverage()
	switch {
	case c.Excluded():
		return 0, false
	case c.Checked == schemas.CheckedNone:
		return Reason(c.First()), true
	case anyMeasured(e.Readings()):
		return 0, false
	case c.Checked == schemas.CheckedPartial:
		return Reason(c.First()), true
	case e.HasText():
		return NoClaims, true
	default:
		return EmptyAnswer, true
	}
}

func anyMeasured(readings []detectors.Reading) bool {
	for i := range readings {
		if o := readings[i].Outcome; o == schemas.Fired || o == schemas.Clear {
			return true
		}
	}
	return false
}
