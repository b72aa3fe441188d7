package coverage

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/labels"
	"confab/internal/redact"
	"confab/schemas"
)

// Summary says how many answers could be checked, and what kept the others from it. The zero value is ready for Add. It is
// not safe for concurrent use.
type Summary struct {
	Answers   int
	Unchecked Counts // by reason
	NoSources int    // answers of records without sources, checked or not
	Prompts   int    // answers whose messages were searched for sources
	Sourced   int    // of Prompts, those with sources
	Unsourced string // the id of the first of Prompts without sources
	NoContent int    // spans whose prompt and answer were not recorded
	NotFound  Counts // attributes of spans whose answer is not where their convention has it
	Unknown   Counts // unknown fields
	Malformed Counts // malformed fields
	Damaged   int    // answers of records with malformed fields
	Logprobs  int    // answers with log-probabilities, which confidence needs
	NewModels Counts // models that the calibration was not made for, with their answers
	Failures  Counts // detectors that failed or were skipped, with the reason: "grounding panic"
}

// Counts are numbers of answers by name.
type Counts map[string]int

// add counts a name of the traffic. After the first names further ones count as other.
func (c *Counts) add(name string, n int) {
	if *c == nil {
		*c = Counts{}
	}
	name = fieldLabel(cmp.Or(labels.Clean(name), labels.None))
	if _, known := (*c)[name]; !known && len(*c) >= maxUnknown {
		name = labels.Other
	}
	(*c)[name] += n
}

// addFailures counts the detectors that failed or were skipped, with the reason.
func (c *Counts) addFailures(readings []detectors.Reading) {
	for i := range readings {
		if reason := readings[i].Failure(); reason != "" {
			c.add(readings[i].Detector+" "+reason, 1)
		}
	}
}

// FailureRemedy says what to do about detectors that failed or were skipped.
const FailureRemedy = "read the log for panics and errors; docs/operations.md, Cost limits, explains what is skipped"

// Sum is the number of all answers.
func (c Counts) Sum() (sum int) {
	for _, n := range c {
		sum += n
	}
	return sum
}

// Names are the names, most frequent first. What has no name of its own comes last.
func (c Counts) Names() []string {
	return slices.SortedFunc(maps.Keys(c), func(a, b string) int {
		switch {
		case a == labels.Other:
			return 1
		case b == labels.Other:
			return -1
		}
		return cmp.Or(cmp.Compare(c[b], c[a]), strings.Compare(a, b))
	})
}

// maxListed is the maximum number of names in a message.
const maxListed = 8

// list lists the names in a form.
func (c Counts) list(form func(name string, n int) string) string {
	var parts []string
	for i, name := range c.Names() {
		if i == maxListed {
			parts = append(parts, fmt.Sprintf("and %d more", len(c)-i))
			break
		}
		parts = append(parts, form(name, c[name]))
	}
	return strings.Join(parts, ", ")
}

// NameText lists the names: "contexts, question".
func (c Counts) NameText() string { return c.list(func(name string, _ int) string { return name }) }

// String lists the names with their numbers: "no_sources 20, no_claims 3".
func (c Counts) String() string {
	return c.list(func(name string, n int) string { return fmt.Sprint(name, " ", n) })
}

// fieldLabel is a copy of a field's name for a person to read, without personal data: some producers use ids or addresses as
// names.
func fieldLabel(name string) string { return strings.Clone(redact.Redact(labels.Clean(name))) }

// Add counts an answer. known says that the calibration was made on answers of its model.
func (s *Summary) Add(e *detectors.Evaluation, known bool) {
	in, readings := e.Interaction(), e.Readings()
	s.Answers++
	s.Failures.addFailures(readings)
	if why := Unchecked(e); why != "" {
		s.Unchecked.add(why, 1)
	}
	if len(in.Sources) == 0 && !slices.Contains(in.Malformed, schemas.FieldSources) {
		s.NoSources++
	}
	s.addPrompt(in)
	switch in.NoAnswer {
	case schemas.NotRecorded:
		s.NoContent++
	case schemas.NotFound:
		for _, name := range in.UnknownNames {
			s.NotFound.add(name, 1)
		}
	}
	if !known {
		s.NewModels.add(in.Model, 1)
	}
	if in.Logprobs.Rows() > 0 {
		s.Logprobs++
	}
	s.addFields(in)
}

// addPrompt counts an answer whose messages were searched for sources.
func (s *Summary) addPrompt(in *schemas.Interaction) {
	searched, found := in.PromptSources()
	switch {
	case !searched:
		return
	case found:
		s.Sourced++
	default:
		s.Unsourced = cmp.Or(s.Unsourced, fieldLabel(in.ID))
	}
	s.Prompts++
}

// addFields counts the fields that nobody knows and those that are damaged.
func (s *Summary) addFields(in *schemas.Interaction) {
	for _, name := range in.UnknownNames {
		s.Unknown.add(name, 1)
	}
	if rest := in.UnknownFields - len(in.UnknownNames); rest > 0 {
		s.Unknown.add(labels.Other, rest)
	}
	if len(in.Malformed) > 0 {
		s.Damaged++
	}
	for _, name := range in.Malformed {
		s.Malformed.add(name, 1)
	}
}

// NotFoundRemedy says what to do about spans whose answer is not where their convention has it.
const NotFoundRemedy = "name the attribute of the answer in kafka.inputs[].map, such as answer: /attributes/KEY: docs/otlp.md"

// Remedy says what to do about the most frequent reason of unchecked answers.
func (s *Summary) Remedy() string {
	if names := s.Unchecked.Names(); len(names) > 0 && names[0] != schemas.UncheckedNoSources {
		return remedies()[names[0]]
	}
	return s.SourcesRemedy()
}

// SourcesRemedy says what to do about records without sources.
func (s *Summary) SourcesRemedy() string {
	if len(s.Unknown) > 0 {
		return "if one of the unknown fields has what the model was given, send it as sources or map it: docs/existing-topics.md"
	}
	return remedies()[schemas.UncheckedNoSources]
}

// CutOffRemedy says what to do about attributes of spans that are cut off.
const CutOffRemedy = "raise OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT of the application, and limits of the Collector (docs/otlp.md)"

// MalformedRemedy says what to do about records with malformed fields.
func (s *Summary) MalformedRemedy() string {
	if s.Malformed[schemas.MessagesCutOff] > 0 {
		return CutOffRemedy
	}
	const fix = "correct them in the producer: docs/interaction.md has the types"
	if s.Malformed["occurred_at"] > 0 {
		return fix + "; for times without a zone set kafka.inputs[].time_zone"
	}
	return fix
}
