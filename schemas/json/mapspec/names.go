package mapspec

import (
	"strconv"
	"strings"
)

// MemberNames returns the members of an item of a list field, nil for another field.
func MemberNames(field string) []string {
	switch field {
	case "sources":
		return []string{"id", "text", "uri", "title", "score"}
	case "messages":
		return []string{"role", "content"}
	default:
		return nil
	}
}

// ItemNames are the names of an item's members in the mapped record, by their nesting.
type ItemNames struct {
	Member string // our member, "" for none
	Below  []*ItemNames

	name string
}

// NewItemNames returns the names of a field's items: ours, where others are not given.
func NewItemNames(field string, names []Name) *ItemNames {
	root := &ItemNames{}
	for _, ours := range MemberNames(field) {
		given := false
		for _, n := range names {
			if n.Member == ours {
				root.descend(n.Steps).Member = ours
				given = true
			}
		}
		if given {
			continue
		}
		if at := root.descend([]string{ours}); at.Member == "" {
			at.Member = ours
		}
	}
	return root
}

// descend returns the names below a path, and creates what is missing.
func (n *ItemNames) descend(steps []string) *ItemNames {
	for _, step := range steps {
		next := n.Find(step)
		if next == nil {
			next = &ItemNames{name: step}
			n.Below = append(n.Below, next)
		}
		n = next
	}
	return n
}

// Find returns the names below a member of the record, nil when nothing is read from it.
func (n *ItemNames) Find(name string) *ItemNames {
	for _, b := range n.Below {
		if b.name == name {
			return b
		}
	}
	return nil
}

// FlatNames are the flattened names of a list's values, such as documents.0.document.content.
type FlatNames struct {
	prefix string
	ends   []flatEnd
}

// flatEnd is the end of such a name; * stands for an index of its own.
type flatEnd struct {
	member, head, tail string
	parts              bool
}

// FlatName is what a flattened name says.
type FlatName struct {
	Index  int    // of the item
	Member string // ours
	Part   int    // index of a part of the member
}

// NewFlatNames returns the flattened names of a field's items.
func NewFlatNames(field string, c *Candidate) FlatNames {
	f := FlatNames{prefix: c.Prefix}
	for _, ours := range MemberNames(field) {
		given := false
		for _, n := range c.Names {
			if n.Member == ours {
				f.ends = append(f.ends, newFlatEnd(ours, n.Steps[0]))
				given = true
			}
		}
		if !given {
			f.ends = append(f.ends, newFlatEnd(ours, ours))
		}
	}
	return f
}

func newFlatEnd(member, name string) flatEnd {
	head, tail, parts := strings.Cut(name, "*")
	return flatEnd{member, head, tail, parts}
}

// Match splits a flattened name; false for another name.
func (f *FlatNames) Match(name string) (at FlatName, ok bool) {
	rest, ok := strings.CutPrefix(name, f.prefix)
	if !ok {
		return at, false
	}
	index, rest, ok := cutIndex(rest)
	if !ok || !strings.HasPrefix(rest, ".") {
		return at, false
	}
	for _, e := range f.ends {
		end, ok := strings.CutPrefix(rest[1:], e.head)
		part := 0
		if ok && e.parts {
			part, end, ok = cutIndex(end)
		}
		if ok && end == e.tail {
			return FlatName{index, e.member, part}, true
		}
	}
	return at, false
}

// cutIndex cuts a list index off the front.
func cutIndex(text string) (index int, rest string, ok bool) {
	end := 0
	for end < len(text) && text[end]-'0' <= 9 {
		end++
	}
	index, err := strconv.Atoi(text[:end])
	return index, text[end:], err == nil
}
