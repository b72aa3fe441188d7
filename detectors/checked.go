package detectors

import (
	"errors"
	"strings"
	"unicode"

	"confab/internal/text/units"
	"confab/schemas"
)

// Coverage says how much of an answer was measured, and why not all of it.
type Coverage struct {
	Checked schemas.Checked
	gaps    gapSet
}

// Reasons are some of [schemas.UncheckedReasons], in their order; nil for a full check.
func (c Coverage) Reasons() (reasons []string) {
	if c.gaps == 0 {
		return nil
	}
	for i, reason := range schemas.UncheckedReasons() {
		if c.gaps>>i&1 != 0 {
			reasons = append(reasons, reason)
		}
	}
	return reasons
}

// Excluded reports an answer that the configuration leaves out: its operation is skipped, or no enabled detector reads text.
func (c Coverage) Excluded() bool { return c.gaps&(gapOperation|gapNoDetector) != 0 }

// HasText reports whether the answer has text.
func (e *Evaluation) HasText() bool { return strings.TrimSpace(e.doc.in.Answer) != "" }

// Failure is why the detector could not measure although it should have: "panic", "error", or the reason of a skip. It is ""
// for other outcomes, and for what the configuration leaves out.
func (r *Reading) Failure() string {
	switch {
	case r.gap()&(gapError|gapSkipped) == 0:
		return ""
	case r.Outcome == schemas.Skipped:
		return r.Reason
	case errors.Is(r.err, errPanic):
		return ReasonPanic
	default:
		return string(schemas.Failed)
	}
}

// gapSet is a set of reasons.
type gapSet uint16

// The reasons, in the order of [schemas.UncheckedReasons].
const (
	gapError gapSet = 1 << iota
	gapSkipped
	gapMalformed
	gapNoSources
	gapLanguage
	gapTruncated
	gapNotProse
	gapNotArmed
	gapOperation
	gapNoDetector
)

// Coverage returns how much of the answer was measured. It is the one place that decides it.
//
// Every detector that failed or was skipped leaves a gap. Detectors that read text also leave one for statements without
// sources, a foreign language, malformed fields, limits, code and markup. It is no gap that a detector found nothing of its
// kind, such as citations, that the record lacks what only some have, such as log-probabilities, or that a language model was
// not asked for a second opinion because its budget is spent.
func (e *Evaluation) Coverage() Coverage {
	var other, text gapSet // text: of detectors that read text
	measured, reads := false, false
	for i := range e.readings {
		r := &e.readings[i]
		if !r.entry.Prose {
			other |= r.gap()
			continue
		}
		text |= r.gap()
		reads = true
		measured = measured || r.Outcome == schemas.Fired || r.Outcome == schemas.Clear && !r.entry.Own
	}
	if e.HasText() && (other|text)&gapOperation == 0 {
		text = e.textGaps(text, reads)
	}
	c := Coverage{Checked: schemas.CheckedPartial, gaps: other | text}
	switch {
	case c.gaps == 0:
		c.Checked = schemas.CheckedFull
	case text != 0 && !measured:
		c.Checked = schemas.CheckedNone
	}
	return c
}

// textGaps completes the gaps of detectors that read text. An answer that states nothing needs no sources.
func (e *Evaluation) textGaps(gaps gapSet, reads bool) gapSet {
	if !reads {
		gaps |= gapNoDetector
	}
	if gaps&(gapError|gapSkipped) != 0 {
		return gaps // the document may be what fails, or costs too much
	}
	if gaps&gapNoSources != 0 && len(e.doc.Claims()) == 0 {
		gaps &^= gapNoSources
	}
	return gaps | e.doc.gaps()
}

// gap is what the outcome leaves unmeasured.
func (r *Reading) gap() gapSet {
	switch r.Outcome {
	case schemas.Failed:
		return gapError
	case schemas.Skipped:
		return r.gapOfSkip()
	case schemas.NotCheckable:
		if r.entry.Prose && !r.entry.Deep {
			return gapOfReason(r.Reason)
		}
	default:
		if r.Finding.Truncated && r.entry.Prose && !r.entry.Own {
			return gapTruncated
		}
	}
	return 0
}

func (r *Reading) gapOfSkip() gapSet {
	switch {
	case r.notAsked:
		return 0
	case r.Reason == ReasonOperation:
		return gapOperation
	case r.Reason != ReasonNotArmed:
		return gapSkipped
	case r.entry.Prose && !r.entry.Deep:
		return gapNotArmed
	default:
		return 0
	}
}

// gapOfReason is the gap of a detector of text that is not_checkable.
func gapOfReason(reason string) gapSet {
	switch reason {
	case ReasonMalformed:
		return gapMalformed
	case ReasonNoSources:
		return gapNoSources
	case ReasonLanguage:
		return gapLanguage
	case ReasonTruncated:
		return gapTruncated
	default:
		return 0
	}
}

// gaps are the reasons why text of the answer or its sources was not read.
func (d *Document) gaps() (gaps gapSet) {
	if d.cut&(cutAnswer|cutSources) != 0 {
		gaps |= gapTruncated
	}
	if d.leavesOut() {
		gaps |= gapNotProse
	}
	if d.in.UserPassages && d.OnlyToolRecords() { // a prompt with passages, of which only the data of its tools is evidence
		gaps |= gapNoSources
	}
	return gaps
}

// leavesOut reports whether text of the answer is not read as prose: code, or an answer of nothing but markup or a list of
// sources. Reasoning before an answer is not part of it.
func (d *Document) leavesOut() bool {
	return d.Units().Has(units.Code) || d.units.Has(units.Citations) && !d.hasJudged() || !hasLetter(d.Text()) && hasLetter(d.raw)
}

// hasLetter reports a letter or a digit.
func hasLetter(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
