package json

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// flatValue is one value of a flattened list.
type flatValue struct {
	mapspec.FlatName

	text string
}

// readFlat fills a field from a list in flattened names of members, in the order of its indexes, such as
// documents.0.document.content; false if the next value has none.
func (s *interactionReader) readFlat(field string, names *mapspec.FlatNames) bool {
	values := s.flatValues(names)
	slices.SortStableFunc(values, func(a, b flatValue) int {
		return cmp.Or(a.Index-b.Index, strings.Compare(a.Member, b.Member), a.Part-b.Part)
	})
	var it listItem
	for i, v := range values {
		it.set(v.Member, v.text)
		if i+1 < len(values) && values[i+1].Index == v.Index {
			continue
		}
		if field == "sources" {
			s.in.Sources = append(s.in.Sources, it.source())
		} else {
			s.in.Messages = append(s.in.Messages, it.message(true))
		}
		it = listItem{}
	}
	clear(values)
	if len(s.in.Sources) > recordformat.MaxSources || len(s.in.Messages) > recordformat.MaxMessages {
		s.Fault(scan.ReasonTooMany, "")
	}
	return len(values) > 0
}

// flatValues collects the values with such names. Null, or a value that is not flattened, is left out.
func (s *interactionReader) flatValues(names *mapspec.FlatNames) []flatValue {
	s.flat = s.flat[:0]
	if s.Peek() != '{' {
		return nil
	}
	o := s.Object("")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		at, ok := names.Match(name)
		if c := s.Peek(); !ok || c != '"' && c != '-' && c-'0' > 9 {
			s.Skip()
			continue
		}
		s.flat = append(s.flat, flatValue{at, s.text()})
		if len(s.flat) > 4*recordformat.MaxSources {
			s.Fault(scan.ReasonTooMany, "")
		}
	}
	return s.flat
}

// set sets a member from its text. Parts are joined by line breaks.
func (it *listItem) set(member, text string) {
	switch member {
	case "id":
		it.id = text
	case "uri":
		it.uri = text
	case "title":
		it.title = text
	case "role":
		it.role = text
	case "score":
		if f, err := strconv.ParseFloat(text, 64); err == nil && recordformat.IsFinite(f) {
			it.score = f
		}
	default:
		if it.text != "" {
			text = it.text + "\n" + text
		}
		it.text = text
	}
}
