package json

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// mapped reads the object at the root into s.in with a mapping.
func (s *interactionReader) mapped(m *Mapping) {
	s.pending.reset()
	if s.Err != nil {
		s.Err.Field = m.fieldAt(s.Path)
		return
	}
	if s.scannerOf(s.root.document).Kind(s.root.pos) != '{' {
		s.WrongType("an object")
		return
	}
	for i := range m.fields {
		f := &m.fields[i]
		s.pending.packedRequired = s.pending.packedRequired || f.required && f.field == "token_logprobs"
		s.Field = fieldLabel(f.field)
		if s.readMapped(f); s.Err != nil {
			return
		}
		s.Field = ""
	}
	if s.skipped = s.skipped && !s.pending.answered || m.isStep(s.in); s.skipped {
		return
	}
	if !s.pending.answered {
		s.Pos, s.Field = 0, "answer"
		s.Fault(scan.ReasonUnmapped, "the record has no answer at the places in the map of the input")
		return
	}
	s.dropAnswer()
	s.applyDeferred()
	for _, field := range m.none {
		s.clear(field)
	}
}

// isStep reports a call of a tool before the answer that has it, among messages that are joined.
func (m *Mapping) isStep(in *schemas.Interaction) bool { return m.joins && in.Answer == "" }

// readMapped reads a field from the first of its places with a value that it can hold. Where all are malformed, the field is,
// which refuses the record if it is required. Null is absent, but an answer that is null is empty.
func (s *interactionReader) readMapped(f *mappedField) {
	var fault *scan.Error
	broken := false
	for i := range f.places {
		found, bad := s.readPlaces(f.field, &f.places[i])
		if found == present || s.Err != nil {
			s.markSeen(f.field)
			return
		}
		broken = broken || found == lost
		s.pending.answered = s.pending.answered || found == isNull && f.field == "answer"
		fault = cmp.Or(bad, fault)
	}
	s.missing(f, broken, fault)
}

// missing reports a field that none of its places has. broken says that one had a value, which is malformed.
func (s *interactionReader) missing(f *mappedField, broken bool, fault *scan.Error) {
	optional := !f.required && !isRequired(s.Field)
	switch {
	case optional && !broken || s.pending.answered && f.field == "answer":
	case optional:
		s.addMalformed(s.Field)
	case fault != nil:
		s.Err = fault
	case f.required: // attribute names are not part of errors
		s.Pos = 0
		s.Fault(scan.ReasonUnmapped, "the record has no value at the pointer in the map of the input")
	}
}

// markSeen keeps a value from being replaced by that of a record with our names.
func (s *interactionReader) markSeen(field string) {
	if i := findField(field, 0); i >= 0 {
		s.pending.seen |= 1 << i
	}
}

// readPlaces reads a field from a place and from those that are joined to it. One of them is enough.
func (s *interactionReader) readPlaces(field string, p *mappedPlace) (found presence, bad *scan.Error) {
	if field == "occurred_at" && len(p.joined) > 0 {
		s.clock = s.readClock(p.joined)
		found, bad = s.readPlace(field, p)
		s.clock = ""
		return found, bad
	}
	found, bad = s.readPlace(field, p)
	for i := range p.joined {
		before, sources, id := s.in.Messages, s.in.Sources, s.in.ID
		if field == "interaction_id" {
			s.in.ID = ""
		}
		if field == mapspec.Request { // which leaves messages as they are
			s.in.Messages, s.in.Sources = nil, nil
		}
		further, fault := s.readPlace(field, &p.joined[i])
		if field == mapspec.Request {
			s.in.Messages, s.in.Sources = append(before, s.in.Messages...), append(sources, s.in.Sources...)
		}
		if field == "interaction_id" {
			s.in.ID = joinID(id, s.in.ID)
		}
		if found != present {
			found, bad = further, cmp.Or(bad, fault)
		}
	}
	return found, bad
}

// readClock reads the texts that follow a date.
func (s *interactionReader) readClock(places []mappedPlace) (clock string) {
	for i := range places {
		if d, pos, found := s.find(places[i].path); found == present {
			s.at(d, pos, func() { clock += " " + s.text() })
		}
	}
	s.Err = nil // what is no text is no time of day
	return clock
}

// joinID joins the halves of an id. A half alone is none.
func joinID(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	return a + "-" + b
}

// readPlace reads a field from a place. A malformed value is lost, with its fault.
func (s *interactionReader) readPlace(field string, p *mappedPlace) (found presence, bad *scan.Error) {
	d, pos, found := s.find(p.path)
	if found != present {
		return found, nil
	}
	named, messages, sources := s.in.Malformed, len(s.in.Messages), len(s.in.Sources)
	s.pending.unread = false
	s.at(d, pos, func() { p.read(s) })
	switch {
	case s.pending.unread && s.Err == nil:
		return absent, nil
	case s.Err == nil || !isMalformed(s.Err.Reason, s.Field) && !isWhole(s.Field):
		return found, nil
	}
	bad, s.Err = s.Err, nil
	switch field { // what was read of other places stays
	case schemas.FieldMessages:
		s.in.Messages = s.in.Messages[:messages]
	case schemas.FieldSources:
		s.in.Sources = s.in.Sources[:sources]
	default:
		s.dropField(field)
	}
	s.in.Malformed = named // what it lost is no loss if the next one has the value
	return lost, bad
}

// fieldAt returns the field that is mapped to the value at a path of the record or to one around it, "" for none.
func (m *Mapping) fieldAt(at jsontext.Pointer) (field string) {
	names, longest := slices.Collect(at.Tokens()), 0
	isAround := func(path []mapspec.Step) bool {
		return len(path) <= len(names) && !slices.ContainsFunc(path, func(s mapspec.Step) bool { return s.Kind != mapspec.Member }) &&
			slices.EqualFunc(path, names[:len(path)], func(s mapspec.Step, name string) bool { return s.Name == name })
	}
	for i := range m.fields {
		for _, p := range m.fields[i].places {
			if isAround(p.path) && len(p.path) > longest {
				field, longest = fieldLabel(m.fields[i].field), len(p.path)
			}
		}
	}
	return field
}

// fieldLabel is a field's name for errors, without an attribute's name.
func fieldLabel(field string) string {
	name, _, _ := strings.Cut(field, ".")
	return name
}

// text reads a string, or a number as it is written: ids are often numbers. Null is "".
func (s *interactionReader) text() string {
	if c := s.Peek(); c == '-' || c-'0' <= 9 {
		return recordformat.StringView(s.Source())
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
		s.in.ResponseSchema = recordformat.StringView(s.Source())
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
		s.in.Attributes[name] = recordformat.StringView(s.Source())
	default:
		s.WrongType("a string, a number, true or false")
	}
}
