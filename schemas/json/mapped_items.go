package json

import (
	"confab/schemas"
	"confab/schemas/json/mapspec"
)

// roleUser is the role of a message that is only a text.
const roleUser = "user"

// listItem is an item of a list of sources or messages.
type listItem struct {
	id, text, uri, title, role string
	score                      float64
	lost                       bool // it has no readable text, though there is a value for it
}

func (it *listItem) source() schemas.Source {
	return schemas.Source{ID: it.id, Text: it.text, URI: it.uri, Title: it.title, Score: it.score}
}

// message returns the item as a message. With usual, the role has its usual word.
func (it *listItem) message(usual bool) schemas.Message {
	role := it.role
	switch {
	case !usual:
	case role == "human":
		role = roleUser
	case role == "ai" || role == "model":
		role = "assistant"
	}
	return schemas.Message{Role: role, Content: it.text}
}

// readItem reads an item of a list: an object, or a text, which is a source or a message of the user. Another value, such as
// null, is lost. names are those of the object's members; nil: ours.
func (s *interactionReader) readItem(names []mapspec.Name, it *listItem) {
	switch c := s.Peek(); {
	case c == '{' && names == nil:
		s.readOwnItem(it)
	case c == '{':
		s.readNamedItem(names, it)
	default:
		it.role, it.lost = roleUser, c != '"'
		if it.lost {
			s.Skip()
		} else {
			it.text = s.Text()
		}
	}
}

// readOwnItem reads an object with our names. Without a text it has that of a document of LangChain or Haystack.
func (s *interactionReader) readOwnItem(it *listItem) {
	o := s.Object("")
	hasText, alias := false, 0
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		if isItemMember(s.Field, name) {
			hasText = hasText || name == "text" && s.Peek() != 'n'
			s.readItemMember(name, it)
			continue
		}
		if s.isTextAlias(name, alias) {
			alias = s.Pos
		}
		s.Skip()
	}
	hasText = hasText && !it.lost
	if alias > 0 && !hasText {
		it.text, it.lost = s.textAt(alias), false
	}
}

// isItemMember reports whether the items of a field have a member of that name.
func isItemMember(field, name string) bool {
	switch name {
	case "role", "content":
		return field == schemas.FieldMessages
	case "id", "text", "uri", "title", "score":
		return field != schemas.FieldMessages
	}
	return false
}

// readNamedItem reads an object with other names. Of several names of a member the first with a value counts.
func (s *interactionReader) readNamedItem(names []mapspec.Name, it *listItem) {
	item, last := s.Pos, ""
	for i := range names {
		n := &names[i]
		at := item
		for _, step := range n.Steps {
			at, _ = s.Find(at, step)
		}
		if at < 0 || n.Member == last || s.Err != nil {
			continue
		}
		s.Pos = at
		if c := s.Peek(); c == 'n' || c == '{' && n.Around { // a text or an object
			continue
		}
		last = n.Member
		s.readItemMember(n.Member, it)
	}
	s.Pos = item
	s.Skip()
}

// readItemMember reads one member of an item; null is absent. A malformed one is left out and named, a malformed text is lost.
func (s *interactionReader) readItemMember(member string, it *listItem) {
	if s.Null() {
		return
	}
	start := s.Mark()
	s.setItemMember(member, it)
	if s.Err == nil || !isMalformed(s.Err.Reason, s.Field) {
		return
	}
	s.Rewind(start)
	if s.Skip(); member == "text" || member == "content" {
		it.text, it.lost = "", true
	} else {
		s.addMalformed(s.Field + "." + member)
	}
}

func (s *interactionReader) setItemMember(member string, it *listItem) {
	switch member {
	case "text", "content":
		it.text = s.content()
	case "id":
		it.id = s.text()
	case "uri":
		it.uri = s.text()
	case "title":
		it.title = s.text()
	case "role":
		it.role = s.text()
	case "score":
		it.score = s.number()
	default:
		s.Skip()
	}
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
	return s.Field != schemas.FieldMessages && (name == "page_content" || name == "content" && found == 0) && s.Peek() == '"'
}

// mappedSources reads sources as the decoder does, with other names for objects in a list.
func (s *interactionReader) mappedSources(names []mapspec.Name) {
	if s.Peek() != '[' {
		s.sources()
		return
	}
	s.sourceList(names)
}
