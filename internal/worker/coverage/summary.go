package coverage

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/labels"
	"confab/internal/redact"
	"confab/schemas"
)

// Summary says how many answers could be checked, and what kept the others from it.
type Summary struct {
	Answers   uint64
	Unchecked uint64
	NoSources uint64 // answers of records without sources, checked or not
	Prompts   uint64 // answers whose messages were searched for sources
	Sourced   uint64 // of Prompts, those with sources
	Unsourced string // the id of the first of Prompts without sources
	NoContent uint64 // spans whose prompt and answer were not recorded
	Reasons   [reasons]uint64
	Unknown   []FieldCount // unknown fields, most frequent first
	Malformed []FieldCount // malformed fields, most frequent first
	NewModels []FieldCount // models that the calibration was not made for, with their answers
	Damaged   uint64       // answers of records with malformed fields
	Failures  []FieldCount // detectors that failed or were skipped, with the reason: "grounding panic"
}

// FieldCount is the number of records with a field.
type FieldCount struct {
	Name  string
	Count uint64
}

// maxListed is the maximum number of names of fields in a message.
const maxListed = 8

// Share is the share of unchecked answers; 0 without answers.
func (s *Summary) Share() float64 {
	if s.Answers == 0 {
		return 0
	}
	return min(1, float64(s.Unchecked)/float64(s.Answers))
}

// ReasonText lists the reasons of unchecked answers, most frequent first: "no_sources 20, no_claims 3".
func (s *Summary) ReasonText() string {
	var list []FieldCount
	for r, n := range s.Reasons {
		if n > 0 {
			list = append(list, FieldCount{Reason(r).String(), n})
		}
	}
	sortFields(list)
	return countText(list)
}

// countText lists counts: "no_sources 20, no_claims 3".
func countText(list []FieldCount) string {
	parts := make([]string, 0, len(list))
	for _, r := range list {
		parts = append(parts, fmt.Sprint(r.Name, " ", r.Count))
	}
	return strings.Join(parts, ", ")
}

// FailureText lists the detectors that failed or were skipped: "grounding panic 3, facts budget 1".
func (s *Summary) FailureText() string { return countText(s.Failures) }

// FailureRemedy says what to do about detectors that failed or were skipped.
func FailureRemedy() string {
	return "read the log for panics and errors; docs/operations.md, Cost limits, explains what is skipped"
}

// UnknownText names the unknown fields: "contexts, question".
func (s *Summary) UnknownText() string { return fieldNames(s.Unknown) }

// MalformedText names the malformed fields.
func (s *Summary) MalformedText() string { return fieldNames(s.Malformed) }

// Remedy says what to do about the most frequent reason.
func (s *Summary) Remedy() string {
	worst := EmptyAnswer
	for r := range reasons {
		if s.Reasons[r] > s.Reasons[worst] {
			worst = r
		}
	}
	if worst == noSources() {
		return s.SourcesRemedy()
	}
	return worst.remedy()
}

// SourcesRemedy says what to do about records without sources.
func (s *Summary) SourcesRemedy() string {
	if len(s.Unknown) > 0 {
		return "if one of the unknown fields has what the model was given, send it as sources or map it: docs/existing-topics.md"
	}
	return noSources().remedy()
}

// MalformedRemedy says what to do about records with malformed fields.
func (s *Summary) MalformedRemedy() string {
	const fix = "correct them in the producer: docs/interaction.md has the types"
	if slices.ContainsFunc(s.Malformed, func(f FieldCount) bool { return f.Name == "occurred_at" }) {
		return fix + "; for times without a zone set kafka.inputs[].time_zone"
	}
	return fix
}

func fieldNames(fields []FieldCount) string {
	names := make([]string, 0, maxListed+1)
	for i, f := range fields {
		if i == maxListed {
			names = append(names, fmt.Sprintf("and %d more", len(fields)-i))
			break
		}
		names = append(names, f.Name)
	}
	return strings.Join(names, ", ")
}

// sortFields sorts by frequency, then by name. What has no name of its own comes last.
func sortFields(fields []FieldCount) {
	rest := func(f FieldCount) int {
		if f.Name == labels.Other {
			return 1
		}
		return 0
	}
	slices.SortFunc(fields, func(a, b FieldCount) int {
		return cmp.Or(rest(a)-rest(b), cmp.Compare(b.Count, a.Count), strings.Compare(a.Name, b.Name))
	})
}

// fieldLabel is a copy of a field's name for a person to read, without personal data: some producers use ids or addresses as
// names.
func fieldLabel(name string) string { return strings.Clone(redact.Redact(labels.Clean(name))) }

// Tally sums up answers. It is not safe for concurrent use.
type Tally struct {
	summary                       Summary
	unknown, malformed, newModels map[string]uint64
	failures                      map[failure]uint64
	knows                         func(model string) bool
}

// failure is a detector that could not measure, and why.
type failure struct{ detector, reason string }

// NewTally makes an empty tally. knows says whether the calibration was made on answers of a model; nil: it was.
func NewTally(knows func(model string) bool) *Tally {
	return &Tally{unknown: map[string]uint64{}, malformed: map[string]uint64{}, newModels: map[string]uint64{}, failures: map[failure]uint64{}, knows: knows}
}

// Add counts an answer.
func (t *Tally) Add(e *detectors.Evaluation) {
	s, in := &t.summary, e.Interaction()
	s.Answers++
	readings := e.Readings()
	for i := range readings {
		if reason := readings[i].Failure(); reason != "" {
			t.failures[failure{readings[i].Detector, reason}]++
		}
	}
	if why, unchecked := Unchecked(e); unchecked {
		s.Unchecked++
		s.Reasons[why]++
	}
	if len(in.Sources) == 0 && !slices.Contains(in.Malformed, schemas.FieldSources) {
		s.NoSources++
	}
	s.addPrompt(in)
	if in.NotRecorded {
		s.NoContent++
	}
	if t.knows != nil && !t.knows(in.Model) || hasStaleBaseline(e.Readings()) {
		countName(t.newModels, in.Model)
	}
	t.addFields(in)
}

// addFields counts the fields that nobody knows and those that are damaged.
func (t *Tally) addFields(in *schemas.Interaction) {
	for _, name := range in.UnknownNames {
		countName(t.unknown, name)
	}
	if rest := in.UnknownFields - len(in.UnknownNames); rest > 0 {
		t.unknown[labels.Other] += uint64(rest)
	}
	if len(in.Malformed) > 0 {
		t.summary.Damaged++
	}
	for _, name := range in.Malformed {
		countName(t.malformed, name)
	}
}

// countName counts a name. After the first names further ones count as other.
func countName(by map[string]uint64, name string) {
	if n, known := by[name]; known {
		by[name] = n + 1
		return
	}
	if len(by) >= maxUnknown {
		name = labels.Other
	}
	by[strings.Clone(name)]++
}

// addPrompt counts an answer whose messages were searched for sources.
func (s *Summary) addPrompt(in *schemas.Interaction) {
	searched, found := in.PromptSources()
	switch {
	case !searched:
		return
	case found:
		s.Sourced++
	case s.Unsourced == "":
		s.Unsourced = fieldLabel(in.ID)
	}
	s.Prompts++
}

// Summary returns the sums.
func (t *Tally) Summary() Summary {
	s := t.summary
	for f, n := range t.failures {
		s.Failures = append(s.Failures, FieldCount{f.detector + " " + f.reason, n})
	}
	sortFields(s.Failures)
	s.Unknown, s.Malformed, s.NewModels = fieldCounts(t.unknown), fieldCounts(t.malformed), fieldCounts(t.newModels)
	return s
}

// fieldCounts are the counts by label: names may be equal once personal data is removed.
func fieldCounts(by map[string]uint64) []FieldCount {
	byLabel := make(map[string]uint64, len(by))
	for name, n := range by {
		byLabel[cmp.Or(fieldLabel(name), labels.None)] += n
	}
	list := make([]FieldCount, 0, len(byLabel))
	for label, n := range byLabel {
		list = append(list, FieldCount{label, n})
	}
	sortFields(list)
	return list
}
