package coverage

import (
	"slices"

	"confab/detectors"
	"confab/schemas"
)

// Reasons beside those of flags, which are [schemas.UncheckedReasons].
const (
	emptyAnswer = "empty_answer" // the answer has no text
	noClaims    = "no_claims"    // the answer claims nothing
	abstention  = "abstention"   // the answer only says that it does not know
)

// reasons are all reasons of unchecked answers.
func reasons() []string { return append(schemas.UncheckedReasons(), emptyAnswer, noClaims, abstention) }

// remedies say what to do if most unchecked answers have the reason.
func remedies() map[string]string {
	return map[string]string{
		schemas.UncheckedError:      "read the detectors' errors in the log and in confab_detector_runs_total",
		schemas.UncheckedSkipped:    "docs/operations.md, Cost limits, explains expensive records and slow machines",
		schemas.UncheckedMalformed:  "correct the malformed fields in the producer: docs/interaction.md has the types",
		schemas.UncheckedNoSources:  "send what the model was given in sources: docs/interaction.md",
		schemas.UncheckedLanguage:   "docs/languages.md has the languages that detectors can read",
		schemas.UncheckedTruncated:  "raise limits.max_source_size, limits.max_sources or limits.max_text_size, or send shorter sources",
		schemas.UncheckedNotProse:   "the answers are code or markup, which detectors do not read: keep such operations out with skip_operations",
		schemas.UncheckedNotArmed:   "set detectors.NAME.threshold, tune on labelled answers, or take calibration_file out of the configuration",
		schemas.UncheckedOperation:  "take the operation out of skip_operations if its answers are to be checked",
		schemas.UncheckedNoDetector: "enable a detector that reads text: docs/detectors.md",
		emptyAnswer:                 "send the text that the user saw in answer, or keep such interactions out of the topic",
		noClaims:                    "the answers claim nothing that detectors check, such as small talk",
		abstention:                  "the answers say that they do not know: look at the retriever, and at question_in_sources in their flags",
	}
}

// Unchecked returns why nothing of the answer was measured; "" if something was. What the configuration leaves out is not
// unchecked: operations that are skipped, and text that no enabled detector reads.
func Unchecked(e *detectors.Evaluation) (why string) {
	c := e.Coverage()
	switch measured := anyMeasured(e.Readings()); {
	case c.Excluded():
		return ""
	case c.Checked == schemas.CheckedNone, c.Checked == schemas.CheckedPartial && !measured:
		return c.Reasons()[0]
	case measured:
		return ""
	case slices.ContainsFunc(e.Readings(), func(r detectors.Reading) bool { return r.Reason == detectors.ReasonAbstains }):
		return abstention
	case e.HasText():
		return noClaims
	}
	return emptyAnswer
}

func anyMeasured(readings []detectors.Reading) bool {
	return slices.ContainsFunc(readings, func(r detectors.Reading) bool { return r.Outcome == schemas.Fired || r.Outcome == schemas.Clear })
}
