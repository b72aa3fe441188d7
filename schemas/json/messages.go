package json

import (
	"cmp"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// messages reads a list of messages, or a text as one message of the user.
func (s *interactionReader) messages() { s.messageList(messageNames, false, "") }

// messageList is messages with names of their members, with other words for their roles, and with the role of those that have none.
func (s *interactionReader) messageList(names []mapspec.Name, usual bool, role string) {
	if s.Peek() == '"' {
		s.in.Messages = append(s.in.Messages, schemas.Message{Role: cmp.Or(role, roleUser), Content: s.Text()})
		return
	}
	l := s.List(recordformat.MaxMessages, "a list of messages")
	kept, lost := 0, 0
	for s.More(&l) {
		item, it := s.Pos, listItem{role: role}
		s.readItem(names, &it)
		if s.in.Messages = append(s.in.Messages, it.message(usual)); it.lost {
			lost++
		} else {
			kept++
		}
		s.messageTools(item)
	}
	s.nameLost(kept, lost, "content")
}

// sources reads passages in any accepted form: one text, a list of texts or objects, or an object from id to text.
func (s *interactionReader) sources() {
	switch s.Peek() {
	case '"':
		if text := s.Text(); text != "" {
			s.in.Sources = append(s.in.Sources, schemas.Source{Text: text})
		}
	case '[':
		s.sourceList(sourceNames, false)
	case '{':
		s.namedSources()
	default:
		s.WrongType("sources: a string, a list or an object")
	}
}

// sourceList reads a list of sources with names of their members. An item that was lost keeps its place as an empty source before
// others, because answers cite by position. A mapped list without a text is malformed, so that the next place of the map is read.
func (s *interactionReader) sourceList(names []mapspec.Name, mapped bool) {
	l := s.List(recordformat.MaxSources, "")
	kept, lost, gap, empty := 0, 0, 0, true
	before := len(s.in.Sources)
	for s.More(&l) {
		var it listItem
		if s.readItem(names, &it); it.lost {
			lost++
			gap++
			continue
		}
		for ; gap > 0; gap-- {
			s.in.Sources = append(s.in.Sources, schemas.Source{})
		}
		kept++
		s.in.Sources, empty = append(s.in.Sources, it.source()), empty && it.text == ""
	}
	if empty && mapped {
		kept, lost = 0, lost+kept
		s.in.Sources = s.in.Sources[:before]
	}
	s.nameLost(kept, lost, "text")
}

// namedSources reads an object from id to text, or to an object with one.
func (s *interactionReader) namedSources() {
	o := s.Object("")
	lost := 0
	for id, ok := s.Next(&o); ok; id, ok = s.Next(&o) {
		it := listItem{id: id}
		if s.Peek() == '{' {
			s.readItem(sourceNames, &it)
			it.id, it.lost = cmp.Or(it.id, id), it.text == ""
		} else {
			s.readItemMember("text", &it)
		}
		if it.lost {
			lost++
		} else {
			s.in.Sources = append(s.in.Sources, it.source())
		}
		if len(s.in.Sources) > recordformat.MaxSources {
			s.Fault(scan.ReasonTooMany, "")
		}
	}
	s.nameLost(len(s.in.Sources), lost, "text")
}

// nameLost names the text of items that were lost. Where no item is left, the whole field is malformed.
func (s *interactionReader) nameLost(kept, lost int, member string) {
	switch {
	case lost == 0 || s.Err != nil:
	case kept == 0:
		s.Fault(scan.ReasonWrongType, "expected texts, or objects with a text")
	default:
		s.addMalformed(s.Field + "." + member)
	}
}

// content reads a text: a string, a number as it is written, null as "", an object with a text, or a list of these, which are
// joined by line breaks. Other parts, such as images, are left out.
func (s *interactionReader) content() string {
	switch s.Peek() {
	case '{':
		if s.contentPart(); len(s.parts) == 0 {
			s.Fault(scan.ReasonWrongType, "expected a text in the object")
		}
	case '[':
		l := s.List(recordformat.MaxMessages, "")
		for s.More(&l) {
			s.contentPart()
		}
	default:
		return s.text()
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
	if s.Peek() == '"' {
		s.parts = append(s.parts, s.Text())
		return
	}
	o := s.Object("a content part")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case name != "text":
			s.Skip()
		case !s.Null():
			s.parts = append(s.parts, s.text())
		}
	}
}
