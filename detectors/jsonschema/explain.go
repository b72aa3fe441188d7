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
	"confab/internal/text"
	"confab/schemas"
)

const maxNote = 200 // bytes of a violation's description

// explain returns evidence of the first violations, by their place in the answer, and the number of all.
func explain(broken *jsonschema.ValidationError, answer parsedAnswer) ([]detectors.Evidence, int) {
	causes, _ := rootCauses(broken)
	count := len(causes)
	slices.SortFunc(causes, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(compareViolations(a, b), cmp.Compare(badName(a), badName(b)))
	})
	causes = slices.CompactFunc(causes, func(a, b *jsonschema.ValidationError) bool { return compareViolations(a, b) == 0 })
	printer := message.NewPrinter(language.English)
	var rows []detectors.Evidence
	for _, e := range causes[:min(len(causes), maxReported)] {
		rows = append(rows, describe(e, printer, answer))
	}
	return rows, count
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

// badName is the name of a member that the schema refuses, "" for another violation.
func badName(e *jsonschema.ValidationError) string {
	if names, ok := e.ErrorKind.(*kind.PropertyNames); ok {
		return names.Property
	}
	return ""
}

// rootCauses returns what failed, and the levels of the deepest value or schema in it. Of alternatives, it takes the one that
// matched furthest into the value.
func rootCauses(e *jsonschema.ValidationError) (causes []*jsonschema.ValidationError, depth int) {
	here := []*jsonschema.ValidationError{e}
	depth = len(e.InstanceLocation)
	best, deepest := here, depth
	for _, cause := range e.Causes {
		found, at := rootCauses(cause)
		causes = append(causes, found...)
		if depth = max(depth, at); at > deepest {
			best, deepest = found, at
		}
	}
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		return best, depth
	case *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.PropertyNames:
		return here, depth
	}
	if len(causes) == 0 {
		return here, depth
	}
	return causes, depth
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
	if short, cut := text.Cut(s, limit); cut {
		return short + "..."
	}
	return s
}
