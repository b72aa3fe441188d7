package schemas

import "slices"

// Checked says how much of an answer was measured.
type Checked string

// The values of [Checked].
const (
	CheckedFull    Checked = "full"    // all that states something, or the answer has no text
	CheckedPartial Checked = "partial" // not all of it
	CheckedNone    Checked = "none"    // the answer has text, and no detector that reads text measured any of it
)

// Reasons why not all of an answer was measured. Later versions may add some.
const (
	UncheckedError      = "error"           // a detector failed
	UncheckedSkipped    = "skipped"         // a detector was skipped: work, time or load
	UncheckedMalformed  = "malformed_field" // a field of the record that a detector reads is malformed
	UncheckedNoSources  = "no_sources"      // statements without a source to compare them with
	UncheckedLanguage   = "language"        // no detector can compare the language of the answer with that of the sources
	UncheckedTruncated  = "truncated"       // text of the answer or of a source is beyond a limit
	UncheckedNotProse   = "not_prose"       // text of the answer is code or markup
	UncheckedNotArmed   = "not_armed"       // a detector has no threshold
	UncheckedOperation  = "operation"       // the configuration leaves the operation out
	UncheckedNoDetector = "no_detector"     // no enabled detector reads text
)

// UncheckedReasons lists the reasons, in the order in which flags have them.
func UncheckedReasons() []string {
	return []string{
		UncheckedError, UncheckedSkipped, UncheckedMalformed, UncheckedNoSources, UncheckedLanguage, UncheckedTruncated,
		UncheckedNotProse, UncheckedNotArmed, UncheckedOperation, UncheckedNoDetector,
	}
}

// Incomplete reports whether a detector failed or was skipped: the answer may be worse than Fired and Risk say.
func (f *Flag) Incomplete() bool {
	return slices.Contains(f.Unchecked, UncheckedError) || slices.Contains(f.Unchecked, UncheckedSkipped)
}
