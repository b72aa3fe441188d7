package json

import (
	"slices"
	"strings"

	"confab/schemas/json/llmapi"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

const (
	searchDepth   = 3  // of members in which a call is searched
	searchMembers = 64 // of one record that are looked at
)

// search finds the call of an API in members that no row names.
type search struct {
	*recognition

	seen      int
	requests  [][]mapspec.Step
	responses [][]mapspec.Step
	beside    []mapspec.Step // the first prompt beside the response
}

// promptNames are members that hold a prompt beside a response.
//
//nolint:gochecknoglobals // a read-only table
var promptNames = []string{"prompt", "inputs", "input", "question", "query", "user_input", "user_query"}

// search reads a record in which exactly one member is the response of an API and at most one a request; false for another.
func (r *recognition) search() bool {
	if r.table.search == nil || r.fault != nil && !r.unread {
		return false
	}
	f := search{recognition: r}
	r.Err = nil
	f.walk(r.root, nil)
	if len(f.responses) != 1 || len(f.requests) > 1 {
		return false
	}
	m := Mapping{fields: slices.DeleteFunc(slices.Clone(r.table.search.mapping.fields), func(f mappedField) bool { return isWhole(f.field) })}
	request := f.beside
	if len(f.requests) == 1 {
		request = f.requests[0]
	}
	if request != nil {
		m.fields = append(m.fields, mappedField{field: mapspec.Request, places: []mappedPlace{{path: request, read: (*interactionReader).request}}})
	}
	m.fields = append(m.fields, mappedField{field: mapspec.Response, places: []mappedPlace{{path: f.responses[0], read: (*interactionReader).response}}})
	r.in.Reset()
	r.lenient = true // the table has other names, in another case
	r.mapped(&m)
	if r.lenient = false; r.Err != nil || r.skipped {
		r.Field, r.skipped = "", false
		return false
	}
	r.in.Shape = r.table.search.name + " in " + pathText(f.responses[0])
	return true
}

func pathText(path []mapspec.Step) string {
	names := []string{""}
	for _, s := range path {
		names = append(names, s.Name)
	}
	return strings.Join(names, "/")
}

// walk looks at the members of an object.
func (f *search) walk(at place, path []mapspec.Step) {
	s, found := f.scannerOf(at.document), len(f.responses)
	for i, end := s.Within(at.pos, '{'); i < end && f.seen < searchMembers; i = s.After(i + 1) {
		if strings.IndexByte(`{["`, s.Kind(i+1)) < 0 {
			continue
		}
		f.seen++
		name := strings.Clone(s.NameAt(i))
		inner := append(slices.Clip(path), mapspec.Step{Name: name})
		asked, answered := llmapi.Sides(s.BytesSince(i + 1))
		if asked {
			f.requests = append(f.requests, inner)
		}
		if answered {
			f.responses = append(f.responses, inner)
		}
		if next, ok := f.within(at, name); ok && !asked && !answered && len(inner) < searchDepth {
			f.walk(next, inner)
		}
	}
	if len(f.responses) > found && f.beside == nil {
		f.findPrompt(s, at.pos, path)
	}
}

// findPrompt finds a prompt in the object around the response.
func (f *search) findPrompt(s *scan.Scanner, pos int, path []mapspec.Step) {
	for _, name := range promptNames {
		if i, _ := s.Find(pos, name); s.Kind(i) == '"' {
			f.beside = append(slices.Clip(path), mapspec.Step{Name: name})
			return
		}
	}
}
