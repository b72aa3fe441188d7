package records

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"confab/schemas/json"
)

// mapMembers finds what a map names and no record has. It is safe for concurrent use.
type mapMembers struct {
	mu     sync.Mutex
	places map[string][]string     // pointers by field
	absent map[string]*json.Filter // pointers that no record had yet, and what leads to them; it matches a record without it
	looked int
}

// pointerWord is a pointer of an entry.
var pointerWord = regexp.MustCompile(`(?:^| )(/\S+)`)

func newMapMembers(entries map[string]string) *mapMembers {
	m := &mapMembers{places: map[string][]string{}, absent: map[string]*json.Filter{}}
	for field, text := range entries {
		for _, word := range pointerWord.FindAllStringSubmatch(text, -1) {
			m.places[field] = append(m.places[field], word[1])
			for p := word[1]; p != ""; p = p[:strings.LastIndexByte(p, '/')] {
				if f, err := json.NewFilter(map[string][]string{p: {""}}); err == nil { // others report faults
					m.absent[p] = f.WithLimits(json.Options{MaxBytes: json.MaxLabelledBytes})
				}
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
	if m.looked++; m.looked <= most {
		maps.DeleteFunc(m.absent, func(_ string, without *json.Filter) bool { return !without.Match(raw) })
	}
}

// describe names the members, "" for none.
func (m *mapMembers) describe() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	isAbsent := func(pointer string) bool { return m.absent[pointer] != nil }
	var found []string
	for _, field := range slices.Sorted(maps.Keys(m.places)) {
		first := m.places[field][0]
		if m.looked == 0 || slices.ContainsFunc(m.places[field], func(p string) bool { return !isAbsent(p) }) {
			continue
		}
		for up := strings.LastIndexByte(first, '/'); up > 0 && isAbsent(first[:up]); up = strings.LastIndexByte(first, '/') {
			first = first[:up]
		}
		found = append(found, fmt.Sprintf("%s (%s)", first, field))
	}
	if len(found) == 0 {
		return ""
	}
	return "; no record has " + strings.Join(found, ", ")
}
