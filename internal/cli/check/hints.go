package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"confab/internal/console"
	"confab/internal/names"
	"confab/internal/text"
	"confab/internal/worker/coverage"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// Hints about records that are read.
const (
	noSourcesHint = "grounding, citation and facts compare answers with sources: log the passages as sources (docs/interaction.md), " +
		"name them in a map (docs/existing-topics.md), or say where messages hold them (docs/prompt-sources.md)"
	timeHint = "%s cannot be read as a time, such as %q, so that answers have none: write 2026-11-21T10:00:00Z, or a number since 1970; " +
		"or mdy (month first) or dmy before its place in a map (docs/existing-topics.md)"
	zonelessHint = "times without a zone, such as %q, are read as UTC: write the zone, or set time_zone beside a map"
)

const timeField = "occurred_at"

// noSources is the reason of detectors that compare with sources.
const noSources = "no sources"

// answerNames are words in the names of attributes that hold an answer.
//
//nolint:gochecknoglobals // a read-only table
var answerNames = []string{"answer", "completion", "response", "output", "reply", "result"}

// describeKeys says what to do about spans without a known answer, by their attributes with text.
func describeKeys(keys Counts) string {
	names := keys.top()
	names = names[:min(topNames, len(names))]
	if len(names) == 0 {
		return ": docs/otlp.md has the conventions that are read"
	}
	best := max(0, slices.IndexFunc(names, func(name string) bool {
		return slices.ContainsFunc(answerNames, func(word string) bool { return strings.Contains(strings.ToLower(name), word) })
	}))
	for i, n := range names {
		short, _ := text.Cut(n, maxFieldName)
		names[i] = console.Sanitize(short)
	}
	return ": their attributes with text are " + strings.Join(names, ", ") + ": name that of the answer in the map of an input, such as " +
		"map: {answer: /attributes/" + strings.NewReplacer("~", "~0", "/", "~1", " ", "~2").Replace(names[best]) + "} (docs/otlp.md)"
}

// hints are what a person may do about the lines, the most important first.
func (r *Result) hints(name string) (hints []string) {
	unchecked := 2*r.Unchecked > r.Measured()
	switch {
	case unchecked && r.uncheckedHint != "":
		hints = append(hints, r.uncheckedHint)
	case unchecked && 2*r.Reasons.n[noSources] > r.Unchecked:
		hints = append(hints, noSourcesHint)
	}
	if len(r.spanKeys.names) > 0 {
		hints = append(hints, "spans have no answer where their convention has it"+describeKeys(r.spanKeys))
	}
	if r.UnreadSpans > 0 {
		hints = append(hints, recordshape.DescribeSpans(r.UnreadSpans, name))
	}
	if hint := r.renameHint(); hint != "" {
		hints = append(hints, hint)
	}
	return append(hints, r.malformedHints()...)
}

func (r *Result) malformedHints() (hints []string) {
	var malformed []string
	if r.zonelessTime != "" {
		hints = append(hints, fmt.Sprintf(zonelessHint, console.Sanitize(r.zonelessTime)))
	}
	for _, field := range r.Malformed.top() {
		switch {
		case field == schemas.FieldMessages && r.Malformed.n[schemas.MessagesCutOff] > 0:
		case field == timeField && r.unreadTime != "":
			hints = append(hints, fmt.Sprintf(timeHint, cmp.Or(r.timeAt, timeField), console.Sanitize(r.unreadTime)))
		case field == schemas.MessagesCutOff:
			hints = append(hints, "messages are cut off: "+coverage.CutOffRemedy)
		default:
			malformed = append(malformed, console.Sanitize(field))
		}
	}
	if len(malformed) > 0 {
		hints = append(hints, "compare the shape of "+strings.Join(malformed, ", ")+" with docs/interaction.md")
	}
	return hints
}

// otherNames are names that other programs give to fields of an interaction.
func otherNames() map[string]string {
	return map[string]string{
		"id": "interaction_id", "event_id": "interaction_id", "request_id": "interaction_id", "message_id": "interaction_id", "session_id": "conversation_id",
		"timestamp": "occurred_at", "time": "occurred_at", "created_at": "occurred_at", "date": "occurred_at", "datetime": "occurred_at", "created": "occurred_at", "documents": "sources", "passages": "sources", "model_name": "model",
	}
}

// renameHint names the known fields that unknown ones look like; "" for none.
func (r *Result) renameHint() string {
	var found []string
	for _, field := range r.Unknown.names {
		known := otherNames()[strings.ToLower(field)]
		for _, name := range json.FieldNames() {
			if known == "" && names.EditDistance(field, name) <= len(name)/4 {
				known = name
			}
		}
		if known != "" && (known != timeField || !r.timed) {
			found = append(found, console.Sanitize(field)+" looks like "+known)
		}
	}
	if len(found) == 0 || r.preset != "" {
		return ""
	}
	return strings.Join(found[:min(topNames, len(found))], ", ") + ": rename what it is, or name its place in a map (docs/existing-topics.md)"
}
