package json

import (
	"math"
	"strings"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// mapped reads the next object into s.in with a mapping.
func (s *interactionReader) mapped(m *Mapping) {
	s.pending.reset()
	s.found = 0
	if s.Peek() != '{' {
		s.WrongType("an object")
		return
	}
	s.pending.packedRequired = m.requires("token_logprobs")
	s.readPath(&m.root)
	for i := range m.needed {
		if n := &m.needed[i]; s.Err == nil && s.found&n.bit == 0 {
			s.Field, _, _ = strings.Cut(n.field, ".") // attribute names are not part of errors
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
		s.found |= t.bit
		s.readMapped(t)
		s.Field = ""
	}
	if s.Err != nil || len(p.children) == 0 && len(p.targets) > 0 {
		return
	}
	s.Pos = start
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
	mark := s.Mark()
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
	at, last := 0, ""
	for {
		name, ok := s.Next(&o)
		if last = name; !ok {
			break
		}
		i := p.find(name, at)
		if i < 0 {
			s.skipUnmapped(p, name)
			continue
		}
		at = i + 1
		s.readPath(p.children[i])
	}
	if s.Err != nil && s.Err.Field == "" && s.Err.Reason == scan.ReasonDuplicateKey {
		if i := p.find(last, 0); i >= 0 {
			s.Err.Field = p.children[i].label()
		}
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

// label returns the field that is mapped to the node, "" for none.
func (p *pathNode) label() string {
	if len(p.targets) == 0 {
		return ""
	}
	return p.targets[0].label()
}

// label returns the field's name for errors, without an attribute's name.
func (t *mappedField) label() string {
	name, _, _ := strings.Cut(t.field, ".")
	return name
}

// mappedText reads a string, or a number as its source text: ids are often numbers.
func (s *interactionReader) mappedText() string {
	switch c := s.Peek(); {
	case c == '"':
		return s.Text()
	case c == '-' || c-'0' <= 9:
		return s.verbatim()
	}
	s.WrongType("a string or a number")
	return ""
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
	s.in.Answer = s.content()
	s.pending.answered = true
}

// mappedMessages reads a list of messages, or a text as one message of the user.
func (s *interactionReader) mappedMessages() {
	if s.Peek() != '"' {
		s.messages()
		return
	}
	s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: s.Text()})
}

// sourceNames are the member names of a source in the mapped record.
type sourceNames struct{ id, text, uri, score string }

// set sets the name of one of our members; false for an unknown member.
func (n *sourceNames) set(ours, theirs string) bool {
	switch ours {
	case "id":
		n.id = theirs
	case "text":
		n.text = theirs
	case "uri":
		n.uri = theirs
	case "score":
		n.score = theirs
	default:
		return false
	}
	return true
}

// mappedSources reads sources as the decoder does, with the names of n for objects in a list.
func (s *interactionReader) mappedSources(n *sourceNames) {
	if s.Peek() != '[' {
		s.sources()
		return
	}
	l := s.List(recordformat.MaxSources, "")
	for s.More(&l) {
		s.in.Sources = append(s.in.Sources, s.mappedSource(n))
	}
}

// mappedSource reads one item: a text, or an object whose text may be a list of parts.
func (s *interactionReader) mappedSource(n *sourceNames) (src schemas.Source) {
	if s.Peek() == '"' {
		src.Text = s.Text()
		return src
	}
	o := s.Object("a source: a string or an object")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case s.Null():
		case name == n.id:
			src.ID = s.mappedText()
		case name == n.text:
			src.Text = s.content()
		case name == n.uri:
			src.URI = s.OptionalText()
		case name == n.score:
			src.Score = s.Float()
		default:
			s.Skip()
		}
	}
	return src
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

// mappedTime reads an RFC 3339 string or a number of units since 1970; 0 is the unknown time.
func (s *interactionReader) mappedTime(unit float64) {
	if s.Peek() == '"' {
		s.occurredAt()
		return
	}
	ms := math.Round(s.Float() * unit)
	switch {
	case s.Err != nil || ms == 0:
	case ms < recordformat.MinMillis || ms > recordformat.MaxMillis:
		s.Fault(scan.ReasonOutOfRange, "not a time of the years 1 to 9999: check the unit in the map of the input")
	default:
		s.in.OccurredAt = time.UnixMilli(int64(ms)).UTC()
	}
}
