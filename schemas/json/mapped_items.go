package json

import (
	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/mapspec"
)

// listItem is an item of a list of sources or messages.
type listItem struct {
	id, text, uri, title, role string
	score                      float64
}

func (it *listItem) source() schemas.Source {
	return schemas.Source{ID: it.id, Text: it.text, URI: it.uri, Title: it.title, Score: it.score}
}

// message returns the item as a message, with the usual word for its role.
func (it *listItem) message() schemas.Message {
	role := it.role
	switch role {
	case "human":
		role = "user"
	case "ai", "model":
		role = "assistant"
	}
	return schemas.Message{Role: role, Content: it.text}
}

// readItem reads the members of an object into an item. Null is absent.
func (s *interactionReader) readItem(n *mapspec.ItemNames, it *listItem, want string) {
	o := s.Object(want)
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch b := n.Find(name); {
		case b == nil:
			s.Skip()
		case s.Null():
		case len(b.Below) > 0 && s.Peek() == '{':
			s.readItem(b, it, "")
		default:
			s.readItemMember(b.Member, it)
		}
	}
}

func (s *interactionReader) readItemMember(member string, it *listItem) {
	switch member {
	case "id":
		it.id = s.mappedText()
	case "text", "content":
		it.text = s.content()
	case "uri":
		it.uri = s.OptionalText()
	case "title":
		it.title = s.OptionalText()
	case "score":
		it.score = s.Float()
	case "role":
		it.role = s.OptionalText()
	default:
		s.Skip()
	}
}

// mappedMessages reads a list of messages, or a text as one message of the user.
func (s *interactionReader) mappedMessages() {
	if s.Peek() != '"' {
		s.messages()
		return
	}
	s.in.Messages = append(s.in.Messages, schemas.Message{Role: "user", Content: s.Text()})
}

// namedMessages reads messages as mappedMessages does, with other names of their members.
func (s *interactionReader) namedMessages(names *mapspec.ItemNames) {
	if s.Peek() == '"' {
		s.mappedMessages()
		return
	}
	l := s.List(recordformat.MaxMessages, "a list of messages")
	for s.More(&l) {
		var it listItem
		s.readItem(names, &it, "a message")
		s.in.Messages = append(s.in.Messages, it.message())
	}
}

// mappedSources reads sources as the decoder does, with other names for objects in a list.
func (s *interactionReader) mappedSources(names *mapspec.ItemNames) {
	if s.Peek() != '[' {
		s.sources()
		return
	}
	l := s.List(recordformat.MaxSources, "")
	for s.More(&l) {
		var it listItem
		if s.Peek() == '"' {
			it.text = s.Text()
		} else {
			s.readItem(names, &it, "a source: a string or an object")
		}
		s.in.Sources = append(s.in.Sources, it.source())
	}
}
