package detectors

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"confab/schemas"
)

const maxNote = 200 // bytes of a violation's description

// explain turns a failed validation into evidence: the first violations by their place in the answer, and how many there
// are. body is the JSON, which begins at byte base of the answer.
func explain(broken *jsonschema.ValidationError, body string, base int) ([]Evidence, int) {
	var worst []*jsonschema.ValidationError
	count := 0
	leaves(broken, func(e *jsonschema.ValidationError) {
		count++
		at, found := slices.BinarySearchFunc(worst, e, order)
		if at < maxReported && !found {
			worst = slices.Insert(worst, at, e)
			worst = worst[:min(len(worst), maxReported)]
		}
	})
	printer := message.NewPrinter(language.English)
	rows := make([]Evidence, 0, len(worst))
	for _, e := range worst {
		rows = append(rows, describe(e, printer, body, base))
	}
	return rows, count
}

// describe is the evidence of one violation. What is missing has no place, nor has the name of a property.
func describe(e *jsonschema.ValidationError, printer *message.Printer, body string, base int) Evidence {
	row := Evidence{Start: schemas.NoPlace, End: schemas.NoPlace, Source: -1}
	path := e.InstanceLocation
	switch k := e.ErrorKind.(type) {
	case *kind.PropertyNames: // the library leaves no reliable location
		row.Note = clip(e.ErrorKind.LocalizedString(printer), maxNote)
		return row
	case *kind.Required, *kind.DependentRequired, *kind.Dependency:
	case *kind.AdditionalProperties:
		slices.Sort(k.Properties)
		row.Start, row.End = locate(body, base, append(slices.Clip(path), k.Properties[0]))
	default:
		row.Start, row.End = locate(body, base, path)
	}
	row.Note = clip(pointer(path)+": "+e.ErrorKind.LocalizedString(printer), maxNote)
	return row
}

// leaves calls f for each violation at the root of a failure. Of alternatives that all failed, the one that got furthest
// into the value is what was probably meant.
func leaves(e *jsonschema.ValidationError, f func(*jsonschema.ValidationError)) {
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		if best := furthest(e); best != nil {
			leaves(best, f)
			return
		}
		f(e)
		return
	case *kind.Contains, *kind.MinContains, *kind.MaxContains, *kind.PropertyNames:
		f(e)
		return
	}
	if len(e.Causes) == 0 {
		f(e)
		return
	}
	for _, cause := range e.Causes {
		leaves(cause, f)
	}
}

// furthest is the alternative with the deepest violation, nil when none is deeper than the choice itself.
func furthest(e *jsonschema.ValidationError) *jsonschema.ValidationError {
	var best *jsonschema.ValidationError
	deepest := len(e.InstanceLocation)
	for _, cause := range e.Causes {
		if d := depth(cause); d > deepest {
			best, deepest = cause, d
		}
	}
	return best
}

func depth(e *jsonschema.ValidationError) int {
	d := len(e.InstanceLocation)
	for _, cause := range e.Causes {
		d = max(d, depth(cause))
	}
	return d
}

// order is by place in the value, then by the keyword that failed: maps make the validator's own order vary.
func order(a, b *jsonschema.ValidationError) int {
	return cmp.Or(
		slices.Compare(a.InstanceLocation, b.InstanceLocation),
		cmp.Compare(a.SchemaURL, b.SchemaURL),
		slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath()),
	)
}

// pointer is the JSON Pointer (RFC 6901) of a path, "/" for the whole value, so that nobody overlooks an empty one.
func pointer(path []string) string {
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

// locate is the place in the answer of the value that the path leads to.
func locate(body string, base int, path []string) (start, end int) {
	p := jsonReader{text: body}
	for _, token := range path {
		if !p.enter(token) {
			return schemas.NoPlace, schemas.NoPlace
		}
	}
	p.space()
	start = p.at
	p.value()
	return base + start, base + p.at
}

// around is a readable stretch of the answer that begins at the byte, or the answer's end when the byte is past it.
func around(answer string, at int) (start, end int) {
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

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "..."
}
