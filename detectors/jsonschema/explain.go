package jsonschema

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"confab/detectors"
	"confab/schemas"
)

const maxNote = 200 // bytes of a violation's description

// explain returns evidence of the first violations, by their place in the answer, and the number of all.
func explain(broken *jsonschema.ValidationError, answer parsedAnswer) ([]detectors.Evidence, int) {
	found := collectViolations(broken)
	printer := message.NewPrinter(language.English)
	rows := make([]detectors.Evidence, 0, len(found.first))
	for _, e := range found.first {
		rows = append(rows, describe(e, printer, answer))
	}
	return rows, found.count
}

// describe returns the evidence of one violation. A missing property and a property name have no place.
func describe(e *jsonschema.ValidationError, printer *message.Printer, answer parsedAnswer) detectors.Evidence {
	row := detectors.Evidence{Start: schemas.NoPlace, End: schemas.NoPlace, Source: -1}
	path, about := e.InstanceLocation, e.ErrorKind
	switch k := about.(type) {
	case *kind.PropertyNames: // the library leaves no reliable location
		row.Note = truncateText(about.LocalizedString(printer), maxNote)
		return row
	case *kind.Required, *kind.DependentRequired, *kind.Dependency:
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		row.Start, row.End = answer.locate(append(slices.Clip(path), k.Properties[0]))
	default:
		row.Start, row.End = answer.locate(path)
	}
	row.Note = truncateText(jsonPointer(path)+": "+about.LocalizedString(printer), maxNote)
	return row
}

// violations holds the root causes of a failed validation.
type violations struct {
	first []*jsonschema.ValidationError // maxReported of them, in order
	count int
	depth int // of the deepest violation or of the schema that it failed
}

// add counts violations of another branch.
func (v *violations) add(w violations) {
	v.count += w.count
	v.depth = max(v.depth, w.depth)
	for _, e := range w.first {
		at, found := slices.BinarySearchFunc(v.first, e, compareViolations)
		if at < maxReported && !found {
			v.first = slices.Insert(v.first, at, e)
			v.first = v.first[:min(len(v.first), maxReported)]
		}
		if found && badName(e) < badName(v.first[at]) {
			v.first[at] = e
		}
	}
}

// badName is the name of a member that the schema refuses, "" for another violation. Of several, the first in order of the
// alphabet is reported.
func badName(e *jsonschema.ValidationError) string {
	if names, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		return names.Property
	}
	return ""
}

// collectViolations finds the root causes. Of failed alternatives, it takes the one that matched furthest into the value.
func collectViolations(e *jsonschema.ValidationError) violations {
	here := violations{first: []*jsonschema.ValidationError{e}, count: 1, depth: len(e.InstanceLocation)}
	if len(e.Causes) == 0 {
		return here
	}
	causes := violations{depth: here.depth}
	best := here
	for _, cause := range e.Causes {
		found := collectViolations(cause)
		causes.add(found)
		if found.depth > best.depth {
			best = found
		}
	}
	best.depth = causes.depth
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return best
	case *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.PropertyNames:
		here.depth = causes.depth
		return here
	}
	return causes
}

// compareViolations orders by place in the value, then by keyword; the validator's order depends on map iteration.
func compareViolations(a, b *jsonschema.ValidationError) int {
	return cmp.Or(
		slices.Compare(a.InstanceLocation, b.InstanceLocation),
		cmp.Compare(a.SchemaURL, b.SchemaURL),
		slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath()),
	)
}

// jsonPointer returns the JSON Pointer (RFC 6901) of a path, "/" instead of the empty pointer for the whole value.
func jsonPointer(path []string) string {
	if len(path) == 0 {
		return "/"
	}
	var out strings.Builder
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	for _, token := range path {
		out.WriteByte('/')
		out.WriteString(escape.Replace(token))
	}
	return out.String()
}

// locate returns the place in the answer of the value at the path.
func (a *parsedAnswer) locate(path []string) (start, end int) {
	start, end, ok := locate(a.text, path)
	if !ok {
		return schemas.NoPlace, schemas.NoPlace
	}
	return a.base + start, a.base + end
}

// excerptAt returns a span of the answer that begins at the byte, or the answer's last bytes when the byte is beyond it.
func excerptAt(answer string, at int) (start, end int) {
	const reach = 40
	start = min(at, max(len(answer)-1, 0))
	if at >= len(answer) {
		start = max(len(answer)-reach, 0)
	}
	end = min(start+reach, len(answer))
	for start > 0 && start < len(answer) && !utf8.RuneStart(answer[start]) {
		start--
	}
	for end < len(answer) && !utf8.RuneStart(answer[end]) {
		end++
	}
	if start == end {
		return schemas.NoPlace, schemas.NoPlace
	}
	return start, end
}

func truncateText(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}
