package records

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"confab/schemas/json/mapspec"
)

// mapMembers finds what a map names and no record has. It is safe for concurrent use.
type mapMembers struct {
	mu     sync.Mutex
	tries  int
	absent map[string]*absentPath // by field
}

// absentPath is the places of a field, and how much of the first of them a record had.
type absentPath struct {
	paths [][]mapspec.Step
	depth int
}

// newMapMembers looks for the members that the entries of a map name. A faulty entry is for others to report.
func newMapMembers(entries map[string]string) *mapMembers {
	m := &mapMembers{absent: map[string]*absentPath{}}
	for field, text := range entries {
		e, err := mapspec.ParseEntry(field, text)
		if err != nil || text == "none" {
			continue
		}
		m.absent[field] = &absentPath{}
		for _, c := range e.Candidates {
			for _, place := range append([]mapspec.Candidate{c}, c.Joined...) {
				m.absent[field].paths = append(m.absent[field].paths, place.Path)
			}
		}
	}
	return m
}

// look looks at a record, if it is one of the first.
func (m *mapMembers) look(raw []byte) {
	const most = 100
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tries++; m.tries > most || len(m.absent) == 0 {
		return
	}
	v := innerJSON(string(raw))
	for field, a := range m.absent {
		for i, path := range a.paths {
			n := reach(v, path)
			if n == len(path) {
				delete(m.absent, field)
			} else if i == 0 {
				a.depth = max(a.depth, n)
			}
		}
	}
}

// describe names the members, "" for none.
func (m *mapMembers) describe() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.tries == 0 || len(m.absent) == 0 {
		return ""
	}
	var names []string
	for _, field := range slices.Sorted(maps.Keys(m.absent)) {
		a := m.absent[field]
		pointer := ""
		for _, st := range a.paths[0][:a.depth+1] {
			pointer += "/" + st.Name
		}
		names = append(names, fmt.Sprintf("%s (%s)", pointer, field))
	}
	return "; no record has " + strings.Join(names, ", ")
}

// reach is how many steps of a path a value has.
func reach(v any, path []mapspec.Step) int {
	for i, st := range path {
		if text, ok := v.(string); ok {
			v = innerJSON(text)
		}
		if st.Kind != mapspec.Member {
			continue
		}
		switch in := v.(type) {
		case map[string]any:
			v = in[st.Name]
		case []any:
			v = pick(in, &st)
		default:
			return i
		}
		if v == nil {
			return i
		}
	}
	return len(path)
}

// pick is the item of a list that a step names; nil for none.
func pick(list []any, st *mapspec.Step) (found any) {
	for i, item := range list {
		o, _ := item.(map[string]any)
		if st.Pick.End == "" && strconv.Itoa(i) == st.Name || st.Pick.End != "" && (st.Pick.Member == "" || o != nil && fmt.Sprint(o[st.Pick.Member]) == st.Pick.Value) {
			if found = item; st.Pick.End != "last" {
				return found
			}
		}
	}
	return found
}

// innerJSON is the JSON of a text; nil for another one.
func innerJSON(text string) (v any) {
	if json.Unmarshal([]byte(text), &v) != nil {
		return nil
	}
	return v
}
