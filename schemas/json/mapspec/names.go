package mapspec

import (
	"slices"
)

// MemberNames returns the members of an item of a list field, nil for another field.
func MemberNames(field string) []string {
	switch field {
	case "sources":
		return []string{"id", "text", "uri", "title", "score"}
	case "messages":
		return []string{"role", "content"}
	case "tool_calls":
		return []string{"name", "arguments", "result", "error", "id"}
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
