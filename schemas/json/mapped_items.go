package json

import (
	"cmp"

	"confab/schemas"
	"confab/schemas/json/llmapi"
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
	if usual {
		role = cmp.Or(llmapi.Role(role), role)
	}
	return schemas.Message{Role: role, Content: it.text}
}

// Names of the members of our own items. Without a text a source has that of a document of LangChain or Haystack.
//
//nolint:gochecknoglobals // read-only tables
var (
	messageNames = mapspec.ItemNames(schemas.FieldMessages, nil)
	sourceNames  = mapspec.ItemNames(schemas.FieldSources, []mapspec.Name{
		{Member: "text", Steps: []string{"text"}}, {Member: "text", Steps: []string{"page_content"}}, {Member: "text", Steps: []string{"content"}},
	})
)

// readItem reads an item of a list: an object, or a text, which is a source or a message of the user. Another value, such as
// null, is lost. Of several names of a member the first with a value that can be read counts.
func (s *interactionReader) readItem(names []mapspec.Name, it *listItem) {
	item, done := s.Pos, ""
	switch s.Peek() {
	case '{':
	case '"':
		it.role, it.text = cmp.Or(it.role, roleUser), s.Text()
		return
	default:
		it.role, it.lost = cmp.Or(it.role, roleUser), true
	}
	for i := range names {
		n := &names[i]
		at := s.findItemMember(item, n)
		if at < 0 || n.Member == done || s.Err != nil {
			continue
		}
		s.Pos = at
		if s.readItemMember(n.Member, it) {
			done = n.Member
		}
	}
	s.Pos = item
	s.Skip()
}

// findItemMember returns the position of a member of an item; -1 for none, for null, and for an object around another member.
func (s *interactionReader) findItemMember(item int, n *mapspec.Name) int {
	for _, step := range n.Steps {
		item, _ = s.Find(item, step)
	}
	if c := s.Kind(item); c == 'n' || c == '{' && n.Around { // a text or an object
		return -1
	}
	return item
}

// readItemMember reads one member of an item. A malformed one is left out and named, a malformed text is lost.
func (s *interactionReader) readItemMember(member string, it *listItem) bool {
	isText := member == "text" || member == "content"
	it.lost = it.lost && !isText
	start := s.Mark()
	s.setItemMember(member, it)
	if s.Err == nil || !isMalformed(s.Err.Reason, s.Field) {
		return s.Err == nil
	}
	s.Rewind(start)
	if s.Skip(); isText {
		it.text, it.lost = "", true
	} else {
		s.addMalformed(s.Field + "." + member)
	}
	return false
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

// mappedSources reads sources as the decoder does, with other names for objects in a list, or for one object: a row of a table.
func (s *interactionReader) mappedSources(names []mapspec.Name, named bool) {
	switch c := s.Peek(); {
	case c == '[':
		s.sourceList(names, true)
	case c == '{' && named:
		var it listItem
		if s.readItem(names, &it); it.text != "" {
			s.in.Sources = append(s.in.Sources, it.source())
		}
	default:
		s.sources()
	}
}
