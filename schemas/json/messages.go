package json

import (
	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/scan"
)

func (s *interactionReader) messages() {
	l := s.List(recordformat.MaxMessages, "a list of messages")
	for s.More(&l) {
		s.in.Messages = append(s.in.Messages, s.message())
	}
}

func (s *interactionReader) message() (m schemas.Message) {
	o := s.Object("a message")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch name {
		case "role":
			m.Role = s.OptionalText()
		case "content":
			m.Content = s.content()
		default:
			s.Skip()
		}
	}
	return m
}

// content reads a message's text: a string, null (a tool call has no text), or a list of parts whose texts are joined by
// line breaks.
func (s *interactionReader) content() string {
	if s.Peek() != '[' {
		return s.OptionalText()
	}
	l := s.List(recordformat.MaxMessages, "")
	for s.More(&l) {
		s.contentPart()
	}
	defer func() {
		clear(s.parts)
		s.parts = s.parts[:0]
	}()
	if len(s.parts) == 1 {
		return s.parts[0]
	}
	begin := len(s.Scratch)
	for i, p := range s.parts {
		if i > 0 {
			s.Scratch = append(s.Scratch, '\n')
		}
		s.Scratch = append(s.Scratch, p...)
	}
	return recordformat.StringView(s.Scratch[begin:])
}

// contentPart reads one part of a message and keeps its text, if it has one.
func (s *interactionReader) contentPart() {
	o := s.Object("a content part")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case name != "text":
			s.Skip()
		case !s.Null():
			s.parts = append(s.parts, s.OptionalText())
		}
	}
}

// sources reads passages in any accepted form: one text, a list of texts or objects, or an object from id to text.
func (s *interactionReader) sources() {
	switch s.Peek() {
	case '"':
		if text := s.Text(); text != "" {
			s.in.Sources = append(s.in.Sources, schemas.Source{Text: text})
		}
	case '[':
		l := s.List(recordformat.MaxSources, "")
		for s.More(&l) {
			s.in.Sources = append(s.in.Sources, s.source())
		}
	case '{':
		o := s.Object("")
		for id, ok := s.Next(&o); ok; id, ok = s.Next(&o) {
			s.in.Sources = append(s.in.Sources, schemas.Source{ID: id, Text: s.OptionalText()})
			if len(s.in.Sources) > recordformat.MaxSources {
				s.Fault(scan.ReasonTooMany, "")
			}
		}
	default:
		s.WrongType("sources: a string, a list or an object")
	}
}

// source reads one item of a list of sources. Without its own text it has that of a document of LangChain or Haystack.
func (s *interactionReader) source() (src schemas.Source) {
	if s.Peek() == '"' {
		src.Text = s.Text()
		return src
	}
	o := s.Object("a source: a string or an object")
	hasText, alias := false, 0
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch name {
		case "id":
			src.ID = s.OptionalText()
		case "text":
			hasText = s.Peek() == '"'
			src.Text = s.OptionalText()
		case "uri":
			src.URI = s.OptionalText()
		case "title":
			src.Title = s.OptionalText()
		case "score":
			src.Score = s.optionalNumber()
		default:
			if s.isTextAlias(name, alias) {
				alias = s.Pos
			}
			s.Skip()
		}
	}
	if alias > 0 && !hasText {
		src.Text = s.textAt(alias)
	}
	return src
}

// optionalNumber reads a number, or null as 0.
func (s *interactionReader) optionalNumber() float64 {
	if s.Null() {
		return 0
	}
	return s.Float()
}

// textAt reads a text that was skipped.
func (s *interactionReader) textAt(pos int) (text string) {
	if s.Err == nil {
		end := s.Pos
		s.Pos = pos
		text = s.Text()
		s.Pos = end
	}
	return text
}

// isTextAlias reports whether the next value is the text of a source under another name; page_content wins.
func (s *interactionReader) isTextAlias(name string, found int) bool {
	return (name == "page_content" || name == "content" && found == 0) && s.Peek() == '"'
}
