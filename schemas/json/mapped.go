package json

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// mapped reads the next object into s.in with a mapping.
func (s *interactionReader) mapped(m *Mapping) {
	s.pending.reset()
	s.found = 0
	if s.Err != nil {
		s.Err.Field = m.root.labelAt(s.Path)
		return
	}
	if s.Peek() != '{' {
		s.WrongType("an object")
		return
	}
	s.pending.packedRequired = m.requires("token_logprobs")
	s.values.reset(m.slots)
	s.readPath(&m.root)
	if s.Err == nil {
		s.readLate(m)
	}
	for i := range m.needed {
		if n := &m.needed[i]; s.Err == nil && s.found&n.bit == 0 {
			s.Field = fieldLabel(n.field) // attribute names are not part of errors
			s.Fault(scan.ReasonUnmapped, "the record has no value at the pointer in the map of the input")
		}
	}
	if s.Err == nil {
		s.applyDeferred()
	}
}

// readPath reads the next value: for the fields mapped to it, then for those mapped to values inside. Null is absent.
func (s *interactionReader) readPath(p *pathNode) {
	if s.Null() {
		for i := range p.targets {
			if t := &p.targets[i]; t.nullable {
				s.found |= t.bit
				s.pending.answered = true
			}
		}
		return
	}
	start := s.Pos // start of the value, after white space
	for i := range p.targets {
		t := &p.targets[i]
		s.Pos, s.Field = start, t.label()
		s.readMapped(t)
		s.Field = ""
	}
	s.readWithin(p, start)
	if s.Err == nil && p.hasMembers() {
		s.Pos = start
		s.readMembers(p)
	} else if s.Err == nil && s.Pos == start {
		s.Skip()
	}
}

// readWithin reads what fields are mapped to within a text or a list of keys that begins at start.
func (s *interactionReader) readWithin(p *pathNode, start int) {
	if p.text != nil && s.Err == nil {
		s.Pos = start
		s.readText(p.text)
	}
	if p.keyValues != nil && s.Err == nil {
		s.Pos = start
		s.readKeyValues(p.keyValues)
	}
}

// hasMembers reports whether fields are mapped to members of the value at p.
func (p *pathNode) hasMembers() bool { return len(p.children)+len(p.flats) > 0 }

// readMembers reads the fields that are mapped to members of the next value.
func (s *interactionReader) readMembers(p *pathNode) {
	switch s.Peek() {
	case '{':
		s.readPathObject(p)
	case '[':
		l := s.List(s.Size(), "")
		for i := 0; s.More(&l); i++ {
			s.readPathItem(p, i)
		}
	default:
		s.Skip()
	}
}

// readMapped reads the next value into a mapped field. A malformed one refuses the record where the map requires the field.
func (s *interactionReader) readMapped(t *mappedField) {
	if t.slot > 0 {
		s.keep(t.slot)
		return
	}
	mark := s.Mark()
	s.found |= t.bit
	t.read(s)
	if s.Err != nil && t.bit == 0 {
		s.skipMalformed(t.field, mark)
	}
}

func (s *interactionReader) readPathItem(p *pathNode, i int) {
	for _, b := range p.children {
		if b.index == i {
			s.readPath(b)
			return
		}
	}
	s.Skip()
}

func (s *interactionReader) readPathObject(p *pathNode) {
	o := s.Object("")
	at := 0
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		i := p.find(name, at)
		if i < 0 {
			if len(p.flats) == 0 || !s.readFlat(p.flats, name) {
				s.skipUnmapped(p, name)
			}
			continue
		}
		at = i + 1
		s.readPath(p.children[i])
	}
}

// skipUnmapped skips a member without a mapping. A case variant of a mapped name fails, since other readers may ignore
// case.
func (s *interactionReader) skipUnmapped(p *pathNode, name string) {
	for _, b := range p.children {
		if strings.EqualFold(b.name, name) {
			s.Field = b.label()
			s.Fault(scan.ReasonCaseVariant, "the map of the input names this member in another case")
			return
		}
	}
	s.Skip()
}

// labelAt returns the field that is mapped to the value at a path or to one around it, "" for none.
func (p *pathNode) labelAt(path jsontext.Pointer) (field string) {
	for name := range path.Tokens() {
		i := p.find(name, 0)
		if i < 0 {
			break
		}
		p = p.children[i]
		field = cmp.Or(p.label(), field)
	}
	return field
}

// label returns the field that is mapped to the node, "" for none.
func (p *pathNode) label() string {
	if len(p.targets) == 0 {
		return ""
	}
	return p.targets[0].label()
}

// label returns the field's name for errors, without an attribute's name.
func (t *mappedField) label() string { return fieldLabel(t.field) }

func fieldLabel(field string) string {
	name, _, _ := strings.Cut(field, ".")
	return name
}

// text reads a string, or a number as it is written: ids are often numbers. Null is "".
func (s *interactionReader) text() string {
	if c := s.Peek(); c == '-' || c-'0' <= 9 {
		return s.verbatim()
	}
	return s.OptionalText()
}

// number reads a finite number, also one in a text.
func (s *interactionReader) number() float64 {
	if s.Peek() != '"' {
		return s.Float()
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(s.Text()), 64)
	if err != nil || !recordformat.IsFinite(f) {
		s.Fault(scan.ReasonWrongType, "expected a number")
		return 0
	}
	return f
}

// verbatim skips the next value and returns its source text.
func (s *interactionReader) verbatim() string {
	start := s.Pos
	if s.Skip(); s.Err != nil {
		return ""
	}
	return s.Since(start)
}

// mappedAnswer reads a text or a list of content parts.
func (s *interactionReader) mappedAnswer() {
	if c := s.Peek(); c != '"' && c != '[' {
		s.WrongType("a text or a list of parts")
		return
	}
	s.in.Answer = s.content()
	s.pending.answered = true
}

// mappedSchema reads a JSON Schema, as text or as an object.
func (s *interactionReader) mappedSchema() {
	if s.Peek() == '{' {
		s.in.ResponseSchema = s.verbatim()
		return
	}
	s.in.ResponseSchema = s.OptionalText()
}

// mappedAttribute reads one attribute. Numbers and booleans keep their source text.
func (s *interactionReader) mappedAttribute(name string) {
	if s.in.Attributes == nil {
		s.in.Attributes = make(map[string]string)
	}
	switch c := s.Peek(); {
	case c == '"':
		s.in.Attributes[name] = s.Text()
	case c == '-' || c-'0' <= 9 || c == 't' || c == 'f':
		s.in.Attributes[name] = s.verbatim()
	default:
		s.WrongType("a string, a number, true or false")
	}
}

// mappedTime reads a time whose numbers count units since 1970.
func (s *interactionReader) mappedTime(unit float64) {
	units, ok := s.timeNumber()
	if !ok {
		s.timeText()
		return
	}
	ms := math.Round(units * unit)
	switch {
	case s.Err != nil || ms == 0:
	case ms < recordformat.MinMillis || ms > recordformat.MaxMillis:
		s.Fault(scan.ReasonOutOfRange, "not a time of the years 1 to 9999: check the unit in the map of the input")
	default:
		s.in.OccurredAt = time.UnixMilli(int64(ms)).UTC()
	}
}
