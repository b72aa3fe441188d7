package names

import "strings"

// Members are the known public members of modules. A module that is not listed is unknown.
type Members struct {
	modules map[string]*memberList
}

// memberList holds the members of one module.
type memberList struct {
	names []string // in file order
	known map[string]bool
}

// KnownMembers returns the listed modules of the ecosystem with their members. Global objects of JavaScript, such as
// JSON, are listed as modules. Crates and RubyGems have none.
func KnownMembers(e Ecosystem) Members {
	m := Members{modules: map[string]*memberList{}}
	var list *memberList
	for line := range listLines(string(e) + ".members") {
		if module, rest, found := strings.Cut(line, ": "); found {
			if list = m.modules[module]; list == nil {
				list = &memberList{known: map[string]bool{}}
				m.modules[module] = list
			}
			line = rest
		}
		for name := range strings.FieldsSeq(line) {
			if !list.known[name] {
				list.known[name] = true
				list.names = append(list.names, name)
			}
		}
	}
	return m
}

// Lists reports whether the members of the module are listed.
func (m Members) Lists(module string) bool { return m.modules[module] != nil }

// Contains reports whether the module has the member.
func (m Members) Contains(module, member string) bool {
	l := m.modules[module]
	return l != nil && l.known[member]
}

// Count returns how many members of the module are listed.
func (m Members) Count(module string) int {
	if l := m.modules[module]; l != nil {
		return len(l.names)
	}
	return 0
}

// Nearest returns the listed member of the module that resembles the name most, "" if none does; see [Resemble].
func (m Members) Nearest(module, name string) string {
	best, least := "", 0
	if l := m.modules[module]; l != nil {
		for _, other := range l.names {
			if !Resemble(other, name) {
				continue
			}
			if d := EditDistance(strings.ToLower(other), strings.ToLower(name)); best == "" || d < least {
				best, least = other, d
			}
		}
	}
	return best
}

// Resemble reports whether at most two edits, and at most one for three letters, lead from one identifier to the other. Case
// does not matter.
func Resemble(a, b string) bool {
	most := min(2, len(a)/3, len(b)/3)
	return max(len(a), len(b))-min(len(a), len(b)) <= most && EditDistance(strings.ToLower(a), strings.ToLower(b)) <= most
}
