package json

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// lateField is a field that is read after the record: the first of its candidates that has a value.
type lateField struct {
	field      string
	bit        uint64
	candidates []lateCandidate
}

// lateCandidate is a value that was kept, or a flattened list.
type lateCandidate struct {
	slot int // 1 + index of the value
	read func(*interactionReader)
	flat *flatList
}

// mappedValues are the values of late fields.
type mappedValues struct {
	slots [][]byte // text of the values, nil for none
	flat  []flatValue
}

func (v *mappedValues) reset(slots int) {
	clear(v.slots)
	clear(v.flat)
	v.slots, v.flat = slices.Grow(v.slots[:0], slots)[:slots], v.flat[:0]
}

// plainText returns a reader that refuses texts with the JSON of an object or a list, which are the form of another candidate.
func plainText(read func(*interactionReader)) func(*interactionReader) {
	return func(s *interactionReader) {
		start := s.Mark()
		if s.Peek() == '"' {
			text := strings.TrimLeft(s.Text(), " \t\r\n")
			if s.Err != nil {
				return
			}
			s.Rewind(start)
			if text != "" && (text[0] == '{' || text[0] == '[') {
				s.WrongType("a text that is not JSON")
				return
			}
		}
		read(s)
	}
}

// keep keeps the next value for a late field.
func (s *interactionReader) keep(slot int) {
	s.Peek()
	start := s.Pos
	if s.Skip(); s.Err == nil {
		s.values.slots[slot-1] = s.BytesSince(start)
	}
}

// within calls read for a JSON text within the record.
func (s *interactionReader) within(text []byte, read func()) {
	outer := s.Scanner
	s.Scanner = outer.Inner(text)
	read()
	outer.Close(&s.Scanner)
	if outer.Err == nil && s.Err != nil {
		outer.Err = s.Err
		outer.Err.Offset = outer.Offset()
	}
	s.Scanner = outer
}

// readText reads the JSON within a text. A text that is not JSON is absent; one that begins like an object or a list costs
// the optional fields in it.
func (s *interactionReader) readText(p *pathNode) {
	if s.Peek() != '"' {
		s.Skip()
		return
	}
	text := []byte(s.Text())
	if s.Err == nil {
		s.readInner(text, p)
	}
}

// readKeyValues reads a list of keys and values as an object.
func (s *interactionReader) readKeyValues(p *pathNode) {
	mark := s.Mark()
	if s.Peek() != '[' {
		s.Skip()
		return
	}
	object := appendKeyValues(nil, &s.Scanner)
	if s.Err != nil {
		if isMalformed(s.Err.Reason, "") {
			s.Rewind(mark)
			s.loseFields(p)
			s.Skip()
		}
		return
	}
	s.readInner(object, p)
}

// readInner checks a JSON text and reads the fields in it.
func (s *interactionReader) readInner(text []byte, p *pathNode) {
	field, sound := s.Field, true
	s.within(text, func() {
		if s.End(); s.Err != nil {
			s.Err, sound = nil, false
			return
		}
		s.readPath(p)
	})
	if s.Field = field; !sound {
		if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && (trimmed[0] == '{' || trimmed[0] == '[') {
			s.loseFields(p)
		}
	}
}

// loseFields names the optional fields below p as malformed. A required one is missing, which refuses the record.
func (s *interactionReader) loseFields(p *pathNode) {
	p.below(func(n *pathNode) {
		for i := range n.targets {
			if t := &n.targets[i]; t.bit == 0 && t.slot == 0 && !isRequired(t.label()) {
				s.addMalformed(t.label())
			}
		}
	})
}

// readLate reads the late fields.
func (s *interactionReader) readLate(m *Mapping) {
	for i := range m.late {
		f := &m.late[i]
		s.Field = fieldLabel(f.field)
		if s.readCandidates(f); s.Err != nil {
			return
		}
		s.Field = ""
	}
}

// readCandidates reads the first candidate with a value that the field can hold. Where all are malformed, the field is.
func (s *interactionReader) readCandidates(f *lateField) {
	var fault *scan.Error
	named := s.in.Malformed
	for _, c := range f.candidates {
		if !s.readCandidate(&c) {
			continue
		}
		if s.Err == nil {
			s.found |= f.bit
			return
		}
		if !isMalformed(s.Err.Reason, s.Field) {
			return
		}
		fault, s.Err = s.Err, nil
		s.dropField(f.field)
		s.in.Malformed = named // what it lost is no loss if the next one has the value
	}
	switch {
	case fault == nil || s.found&f.bit != 0:
	case f.bit != 0 || isRequired(s.Field):
		s.Err = fault
	default:
		s.addMalformed(s.Field)
	}
}

// readCandidate reads a candidate; false if it has no value.
func (s *interactionReader) readCandidate(c *lateCandidate) bool {
	if c.flat != nil {
		return s.assemble(c.flat)
	}
	value := s.values.slots[c.slot-1]
	if value != nil {
		s.within(value, func() { c.read(s) })
	}
	return value != nil
}

// flatList is a list in flattened names of members, such as documents.0.document.content.
type flatList struct {
	field string
	id    int
	names mapspec.FlatNames
}

// flatValue is one value of a flattened list.
type flatValue struct {
	mapspec.FlatName

	list int
	text string
}

// readFlat reads the next value if a flattened list has its name; false for another name.
func (s *interactionReader) readFlat(lists []*flatList, name string) bool {
	for _, f := range lists {
		at, ok := f.names.Match(name)
		if !ok {
			continue
		}
		v := flatValue{list: f.id, FlatName: at}
		switch c := s.Peek(); {
		case c == '"':
			v.text = s.Text()
		case c == '-' || c-'0' <= 9:
			v.text = s.verbatim()
		default: // null, or a value that is not flattened
			s.Skip()
			return true
		}
		s.values.flat = append(s.values.flat, v)
		if len(s.values.flat) > 4*recordformat.MaxSources {
			s.Fault(scan.ReasonTooMany, "")
		}
		return true
	}
	return false
}

// assemble fills the field of a flattened list in the order of the indexes; false if it has no values.
func (s *interactionReader) assemble(f *flatList) bool {
	slices.SortStableFunc(s.values.flat, func(a, b flatValue) int {
		return cmp.Or(a.list-b.list, a.Index-b.Index, strings.Compare(a.Member, b.Member), a.Part-b.Part)
	})
	found, last := false, 0
	var it listItem
	flush := func() {
		if found && f.field == "sources" {
			s.in.Sources = append(s.in.Sources, it.source())
		} else if found {
			s.in.Messages = append(s.in.Messages, it.message(true))
		}
		it = listItem{}
	}
	for _, v := range s.values.flat {
		if v.list != f.id {
			continue
		}
		if found && v.Index != last {
			flush()
		}
		found, last = true, v.Index
		it.set(v.Member, v.text)
	}
	flush()
	if len(s.in.Sources) > recordformat.MaxSources || len(s.in.Messages) > recordformat.MaxMessages {
		s.Fault(scan.ReasonTooMany, "")
	}
	return found
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
