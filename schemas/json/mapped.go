package json

import (
	"math"
	"strings"
	"time"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

// mapped reads the object that comes next into s.in, as the mapping says.
func (s *interactionReader) mapped(m *Mapping) {
	s.pending.reset()
	s.found = 0
	if s.Peek() != '{' {
		s.WrongType("an object")
		return
	}
	s.readPath(&m.root)
	for i := range m.needed {
		if n := &m.needed[i]; s.Err == nil && s.found&n.bit == 0 {
			s.Field, _, _ = strings.Cut(n.field, ".") // the name of an attribute stays in the configuration
			s.Fault(scan.ReasonUnmapped, "the record holds nothing where the map of the input points")
		}
	}
	if s.Err == nil {
		s.applyDeferred()
	}
}

// readPath reads the value that comes next: for the fields that point at it, then for those that point into it. Null is
// absent.
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
	start := s.Pos // of the value: null has skipped the white space
	for i := range p.targets {
		t := &p.targets[i]
		s.Pos, s.Field = start, t.label()
		s.found |= t.bit
		t.read(s)
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

// skipUnmapped skips a member that nothing points at, unless a reader that ignores case would take it for one.
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

// label is the field that lies at a place, "" where the way leads on.
func (p *pathNode) label() string {
	if len(p.targets) == 0 {
		return ""
	}
	return p.targets[0].label()
}

// label is the field's own name, for errors.
func (t *mappedField) label() string {
	name, _, _ := strings.Cut(t.field, ".")
	return name
}

// mappedText reads a string, or a number as it is written: ids of foreign records are often numbers.
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

// verbatim skips the next value and returns how it is written.
func (s *interactionReader) verbatim() string {
	start := s.Pos
	if s.Skip(); s.Err != nil {
		return ""
	}
	return s.Since(start)
}

// mappedAnswer reads a text or a list of parts, of which the texts count.
func (s *interactionReader) mappedAnswer() {
	s.in.Answer = s.content()
	s.pending.answered = true
}

// mappedMessages reads a list of messages, or a text as the user's only one.
func (s *interactionReader) mappedMessages() {
	if s.Peek() != '"' {
		s.messages()
		return
	}
	s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: s.Text()})
}

// sourceNames are the names of a source's members in a foreign record.
type sourceNames struct{ id, text, uri, score string }

// set says how one of ours is called there; false when it is none of ours.
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

// mappedSources reads sources as the decoder does, but objects in a list by their own names.
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

// mappedSchema reads a JSON Schema: as text or as it stands.
func (s *interactionReader) mappedSchema() {
	if s.Peek() == '{' {
		s.in.ResponseSchema = s.verbatim()
		return
	}
	s.in.ResponseSchema = s.OptionalText()
}

// mappedAttribute reads one attribute. Numbers and booleans keep the text they are written in.
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
		s.Fault(scan.ReasonOutOfRange, "no time between the years 1 and 9999: look at the unit in the map of the input")
	default:
		s.in.OccurredAt = time.UnixMilli(int64(ms)).UTC()
	}
}
