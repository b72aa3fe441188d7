package mapspec

import (
	"slices"
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

// ItemNames returns the names of all members of a field's items: ours, where others are not given and it is not taken.
func ItemNames(field string, given []Name) (all []Name) {
	for _, ours := range MemberNames(field) {
		before, steps := len(all), []string{ours}
		for _, n := range given {
			if n.Member == ours {
				all = append(all, n)
			}
		}
		if len(all) == before && !slices.ContainsFunc(given, func(n Name) bool { return slices.Equal(n.Steps, steps) }) {
			all = append(all, Name{Member: ours, Steps: steps})
		}
	}
	for i := range all {
		steps := all[i].Steps
		all[i].Around = slices.ContainsFunc(all, func(n Name) bool { return len(n.Steps) > len(steps) && slices.Equal(n.Steps[:len(steps)], steps) })
	}
	return all
}

// Role is the role that the names of a message's members give to a text or to a message without that member, as in role=system; ""
// for none.
func Role(given []Name) string {
	for _, n := range given {
		if name := n.Steps[0]; n.Member == "role" && len(n.Steps) == 1 && slices.Contains([]string{"system", "developer", "user", "assistant", "tool"}, name) {
			return name
		}
	}
	return ""
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
func NewFlatNames(field string, c *Candidate) *FlatNames {
	f := &FlatNames{prefix: c.Prefix}
	for _, n := range ItemNames(field, c.Names) {
		head, tail, parts := strings.Cut(n.Steps[0], "*")
		f.ends = append(f.ends, flatEnd{n.Member, head, tail, parts})
	}
	return f
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
