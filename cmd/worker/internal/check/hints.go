package check

import (
	"errors"
	"strings"

	"confab/cmd/worker/internal/console"
	"confab/cmd/worker/internal/fileshape"
	"confab/internal/text"
	"confab/schemas/json/scan"
)

// Hints where a record has no known shape.
const (
	noSourcesHint = "grounding, citation and facts compare answers with sources: log the passages as sources (docs/interaction.md), " +
		"name them in a map (docs/existing-topics.md), or say where messages hold them (docs/prompt-sources.md)"
	timeHint = "occurred_at takes RFC 3339 with a zone or whole milliseconds; time_zone of an input is for times without a zone: see docs/interaction.md"
)

// noSources is the reason of detectors that compare with sources.
const noSources = "no sources"

// explainBad sets the hint to what the first unreadable line looks like, or to what its error calls for.
func (r *Result) explainBad(job *checkJob, name string) {
	if r.BadHint.tried || job.line == nil {
		return
	}
	r.BadHint = Hint{Text: r.describeShape(job.line, name), tried: true}
	bad, ok := errors.AsType[*scan.Error](job.err)
	if r.BadHint.Text != "" || !ok {
		return
	}
	switch bad.Reason {
	case scan.ReasonMissingAnswer, scan.ReasonUnmapped:
		r.BadHint.Text = describeNames(fileshape.FieldNames(job.line))
	case scan.ReasonWrongType:
		if bad.Field == "interaction_id" || bad.Field == "tenant" {
			r.BadHint.Text = strings.NewReplacer("FIELD", bad.Field, "FILE", name).Replace(
				"write FIELD as a string, e.g. jq -c '.FIELD |= tostring' FILE > interactions.jsonl; a map takes numbers, too: see docs/existing-topics.md")
		}
	}
}

// describeShape says what a line looks like; "" for a shape whose preset reads the lines already.
func (r *Result) describeShape(line []byte, name string) string {
	shape := fileshape.Record(line, name)
	if r.preset != "" && strings.Contains(shape, "--preset "+r.preset+",") {
		return ""
	}
	return shape
}

func describeNames(names []string) string {
	if len(names) == 0 {
		return ""
	}
	for i, n := range names {
		short, _ := text.Cut(n, maxFieldName)
		names[i] = console.Sanitize(short)
	}
	return "its fields are " + strings.Join(names, ", ") + ": name those of the answer and of its sources in a map: see docs/existing-topics.md"
}

// explainUnchecked sets the hint to what the first line without anything to check looks like.
func (r *Result) explainUnchecked(job *checkJob, name string) {
	if r.UncheckedHint.tried {
		return
	}
	r.UncheckedHint = Hint{Text: r.describeShape(job.line, name), tried: true}
}

// hints are what a person may do about the lines, the most important first.
func (r *Result) hints(name string) (hints []string) {
	unchecked := 2*r.Unchecked > r.Measured()
	switch {
	case r.BadHint.Text != "":
		hints = append(hints, r.BadHint.Text)
	case unchecked && r.UncheckedHint.Text != "":
		hints = append(hints, r.UncheckedHint.Text)
	case unchecked && 2*r.Reasons.n[noSources] > r.Unchecked:
		hints = append(hints, noSourcesHint)
	}
	if r.UnreadSpans > 0 {
		hints = append(hints, fileshape.DescribeSpans(r.UnreadSpans, name))
	}
	if r.Malformed.n["occurred_at"] > 0 {
		hints = append(hints, timeHint)
	}
	return hints
}
