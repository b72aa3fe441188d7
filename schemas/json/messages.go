package json

import "confab/schemas"

func (s *reader) messages() {
	l := s.list(MaxMessages, "a list of messages")
	for s.more(&l) {
		s.in.Messages = append(s.in.Messages, s.message())
	}
}

func (s *reader) message() (m schemas.Message) {
	o := s.object("a message")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		switch name {
		case "role":
			m.Role = s.optional()
		case "content":
			m.Content = s.content()
		default:
			s.skip()
		}
	}
	return m
}

// content reads a message's text: a string, null (a tool call has no text), or a list of parts of which those with a
// text are joined by line breaks.
func (s *reader) content() string {
	if s.peek() != '[' {
		return s.optional()
	}
	l := s.list(MaxMessages, "")
	for s.more(&l) {
		s.part()
	}
	defer func() {
		clear(s.parts)
		s.parts = s.parts[:0]
	}()
	if len(s.parts) == 1 {
		return s.parts[0]
	}
	begin := len(s.scratch)
	for i, p := range s.parts {
		if i > 0 {
			s.scratch = append(s.scratch, '\n')
		}
		s.scratch = append(s.scratch, p...)
	}
	return view(s.scratch[begin:])
}

// part reads one part of a message and keeps its text, if it has one.
func (s *reader) part() {
	o := s.object("a content part")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		switch {
		case name != "text":
			s.skip()
		case !s.null():
			s.parts = append(s.parts, s.optional())
		}
	}
}

// sources reads passages in any accepted form: one text, a list of texts or objects, or an object from id to text.
func (s *reader) sources() {
	switch s.peek() {
	case '"':
		if text := s.text(); text != "" {
			s.in.Sources = append(s.in.Sources, schemas.Source{Text: text})
		}
	case '[':
		l := s.list(MaxSources, "")
		for s.more(&l) {
			s.in.Sources = append(s.in.Sources, s.source())
		}
	case '{':
		o := s.object("")
		for id, ok := s.next(&o); ok; id, ok = s.next(&o) {
			s.in.Sources = append(s.in.Sources, schemas.Source{ID: id, Text: s.optional()})
			if len(s.in.Sources) > MaxSources {
				s.fault(ReasonTooMany, "")
			}
		}
	default:
		s.wrongType("sources: a string, a list or an object")
	}
}

// source reads one item of a list of sources.
func (s *reader) source() (src schemas.Source) {
	if s.peek() == '"' {
		src.Text = s.text()
		return src
	}
	o := s.object("a source: a string or an object")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		switch name {
		case "id":
			src.ID = s.optional()
		case "text":
			src.Text = s.optional()
		case "uri":
			src.URI = s.optional()
		case "score":
			if !s.null() {
				src.Score = s.float()
			}
		default:
			s.skip()
		}
	}
	return src
}
