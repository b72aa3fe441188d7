package json

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// Shape is how the records of a program are recognised and read.
type Shape struct {
	Name string
	// Members that are there: a path of the map language, with a type in front of it (text, number, object, list, or json: an object or
	// a list, also as text), or behind it = and the values that it may have, separated by commas. null is there, but of no type.
	When   []string
	Unless []string            // members that are not there, written likewise
	Map    map[string]string   // as NewMapping takes them; nil: such records are not read
	Where  map[string][]string // as NewFilter takes them: the records of the shape that hold an answer
	Skip   bool                // no record of the shape holds an answer

	Search   bool           // it reads the call of an API in members that no other row names; there is one such row
	AnyCase  bool           // names in any case are those of the map; the first such row also reads what no other does
	Required bool           // a record without an answer is refused; else it is skipped
	Zone     *time.Location // of times without one; nil: that of the decoder
}

// Shapes recognise records that are not ours. They are safe for concurrent use.
type Shapes struct {
	rows      []*shape       // the more specific ones first
	answered  []*shape       // those that ask for an answer, which records of ours have
	names     map[string]int // of members that the rows ask for
	envelopes []string
	search    *shape // nil for none
}

// shape is a shape that is ready to use.
type shape struct {
	name         string
	when, unless []member
	names        nameSet // members of the record that are there
	rank         int
	mapping      *Mapping
	where        []condition
	skip         bool
	required     bool
	anyCase      bool
	zone         *time.Location
}

// member is a condition of a shape.
type member struct {
	path   []mapspec.Step
	kind   string   // "" for any value
	values []string // nil for any value
}

// maxNames bounds the names in a nameSet.
const maxNames = 256

// nameSet is a set of the names that a table asks for, by their indexes.
type nameSet [maxNames / 64]uint64

func (s *nameSet) add(i int)      { s[i/64] |= 1 << (i % 64) }
func (s *nameSet) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }

func (s *nameSet) contains(o *nameSet) bool {
	for i := range s {
		if o[i]&^s[i] != 0 {
			return false
		}
	}
	return true
}

// answerName is the index of the name that our own records have. A shape that does not ask for it has none.
const answerName = 0

// NewShapes makes a table. A record may lie in a member of another one, whose names are envelopes.
func NewShapes(shapes []Shape, envelopes []string) (*Shapes, error) {
	t := &Shapes{names: map[string]int{"answer": answerName}, envelopes: envelopes}
	var faults []error
	for i := range shapes {
		row, err := t.compile(&shapes[i])
		if err != nil {
			faults = append(faults, fmt.Errorf("shape %s: %w", shapes[i].Name, err))
			continue
		}
		if shapes[i].Search {
			t.search = row
			continue
		}
		t.rows = append(t.rows, row)
	}
	if len(t.names) > maxNames {
		faults = append(faults, fmt.Errorf("the shapes ask for %d names: at most %d", len(t.names), maxNames))
	}
	slices.SortStableFunc(t.rows, func(a, b *shape) int { return b.rank - a.rank })
	for _, row := range t.rows {
		if row.names.has(answerName) {
			t.answered = append(t.answered, row)
		}
	}
	return t, errors.Join(faults...)
}

func (t *Shapes) compile(s *Shape) (row *shape, err error) {
	row = &shape{name: s.Name, zone: s.Zone, skip: s.Skip, required: s.Required, anyCase: s.AnyCase}
	for _, text := range s.When {
		m, err := parseMember(text)
		if err != nil {
			return nil, err
		}
		row.when = append(row.when, m)
		if row.rank++; m.kind != "" || m.values != nil {
			row.rank++
		}
		name := m.path[0].Name
		at, known := t.names[name]
		if !known {
			at = len(t.names)
			t.names[name] = at
		}
		row.names.add(at % maxNames)
	}
	for _, text := range s.Unless {
		m, err := parseMember(text)
		if err != nil {
			return nil, err
		}
		row.unless = append(row.unless, m)
	}
	if len(s.Map) > 0 {
		if row.mapping, err = NewMapping(s.Map); err != nil {
			return nil, err
		}
	}
	filter, err := NewFilter(s.Where)
	row.where = filter.conditions
	return row, err
}

func parseMember(text string) (m member, err error) {
	tokens := strings.Fields(text)
	if len(tokens) > 1 && firstBytes[tokens[0]] != "" {
		m.kind, tokens = tokens[0], tokens[1:]
	}
	if at := slices.Index(tokens, "="); at >= 0 {
		m.values, tokens = strings.Split(strings.Join(tokens[at+1:], " "), ","), tokens[:at]
	}
	paths, err := mapspec.ParsePaths(strings.Join(tokens, " "))
	if err != nil || len(paths) != 1 || len(paths[0]) == 0 {
		return m, cmp.Or(err, fmt.Errorf("%q is not one member", text))
	}
	m.path = paths[0]
	return m, nil
}

// Match is a shape that fits a record. One of a higher rank is more specific.
type Match struct {
	Name string
	Rank int
}

// Matches returns the shapes whose members a record has, the more specific ones first, whether they read it or not.
func (t *Shapes) Matches(raw []byte) (found []Match) {
	s := &interactionReader{Scanner: scan.New(DefaultMaxDepth)}
	s.Start(raw)
	names := t.namesOf(&s.Scanner, 0)
	for _, row := range t.candidates(&names) {
		if names.contains(&row.names) && s.fits(row) {
			found = append(found, Match{row.name, row.rank})
		}
	}
	return found
}

// candidates are the shapes that an object with such members may have.
func (t *Shapes) candidates(names *nameSet) []*shape {
	if names.has(answerName) {
		return t.answered
	}
	return t.rows
}

// maxEnvelopes bounds the envelopes around a record.
const maxEnvelopes = 3

// shaped reads the next object as a record of the most specific shape that fits it and finds an answer, or as one of ours.
func (s *interactionReader) shaped(t *Shapes) {
	if t == nil || s.Err != nil || s.Peek() != '{' {
		s.interaction()
		return
	}
	r := recognition{interactionReader: s, table: t, names: t.namesOf(&s.Scanner, 0)}
	own := r.names.has(answerName)
	if r.row() || r.skipped || !own && r.fault == nil && (r.envelope(0, "") && r.withRequest() || r.skipped) {
		return
	}
	if s.asOwn(r.fault); s.Err != nil {
		r.orSearch(own)
	}
}

// asOwn reads the record as one of ours, unless a shape that fits could not be read.
func (s *interactionReader) asOwn(fault *scan.Error) {
	s.in.Reset()
	s.root, s.Pos = place{}, 0
	if s.Err = fault; fault == nil {
		s.interaction()
	}
}

// withRequest reads a bare response in an envelope again together with its request, if one lies beside it. It returns true.
func (r recognition) withRequest() bool {
	if len(r.in.Messages)+len(r.in.Sources) > 0 || strings.HasPrefix(r.in.Shape, "own ") {
		return true
	}
	r.root = place{}
	if r.search() && len(r.in.Messages) > 0 {
		return true
	}
	r.root = place{}
	return r.envelope(0, "")
}

// orSearch reads a record that could not be read by the call that is found in it, or by our names in any case. After an error Shape
// names the shape that fits.
func (r recognition) orSearch(own bool) { // a copy, so that records that are read cost nothing
	if fault := r.Err; own || !r.search() && !r.inAnyCase() {
		r.Err, r.in.Shape = fault, r.name
	}
}

// inAnyCase reads a record of no known shape that has our names, or common ones for them, in another case.
func (r *recognition) inAnyCase() bool {
	at := slices.IndexFunc(r.table.rows, func(row *shape) bool { return row.anyCase })
	if at < 0 || r.fault != nil || r.name != "" {
		return false
	}
	r.Err, r.root = nil, place{}
	r.readAs(r.table.rows[at])
	read := r.Err == nil && !r.skipped
	r.in.Shape, r.skipped, r.Field = r.table.rows[at].name, false, ""
	return read
}

// namesOf returns which names that the table asks for an object has.
func (t *Shapes) namesOf(r *scan.Scanner, pos int) (found nameSet) {
	for at, end := r.Within(pos, '{'); at < end; at = r.After(at + 1) {
		if i, ok := t.names[r.NameAt(at)]; ok {
			found.add(i)
		}
	}
	return found
}

// recognition is the search for the shape of a record.
type recognition struct {
	*interactionReader

	table *Shapes
	names nameSet     // of the object at the root
	name  string      // of the most specific shape that fits
	fault *scan.Error // why its record cannot be read

	unread bool // records of that shape hold no answer
}

// row reads the object at the root by a row of the table; false if none reads it.
func (r *recognition) row() bool {
	for _, row := range r.table.candidates(&r.names) {
		if !r.names.contains(&row.names) || !r.fits(row) {
			continue
		}
		if r.name = cmp.Or(r.name, row.name); row.mapping == nil && !row.skip {
			r.fault = &scan.Error{Reason: scan.ReasonMissingAnswer, Field: "answer", Detail: "records of this shape hold none"}
			r.unread = true
			return false
		}
		if r.readAs(row); r.Err == nil || r.skipped {
			r.in.Shape, r.Err = row.name, nil
			return !r.skipped
		}
		r.fault, r.Err, r.Field = r.Err, nil, ""
		return false // a less specific row would read something else
	}
	return false
}

// readAs reads the object at the root as a record of a shape, or skips it.
func (r *recognition) readAs(row *shape) {
	r.in.Reset()
	if r.skipped = row.skip || r.leaves(row); r.skipped {
		return
	}
	zone := r.zone
	r.zone = cmp.Or(zone, row.zone)
	r.anyCase = row.anyCase
	r.mapped(row.mapping)
	r.zone, r.anyCase = zone, false
	r.skipped = r.skipped || r.Err != nil && r.Err.Reason == scan.ReasonUnmapped && !r.pending.foreign && !row.required
}

// envelope reads a record that lies in a member of the object at the root; false if there is none.
func (r *recognition) envelope(depth int, path string) bool {
	outer := r.root
	names := r.table.envelopes
	if only, ok := r.onlyMember(outer); ok {
		names = []string{only}
	}
	for _, name := range names {
		inner, ok := r.within(outer, name)
		if !ok {
			continue
		}
		at := path + "/" + name
		r.root, r.names = inner, r.table.namesOf(r.scannerOf(inner.document), inner.pos)
		if r.row() || !r.skipped && r.names.has(answerName) && r.own() {
			r.in.Shape = cmp.Or(r.in.Shape, "own") + " in " + at
			return true
		}
		if r.skipped || depth+1 < maxEnvelopes && r.envelope(depth+1, at) {
			return !r.skipped
		}
	}
	r.root = outer
	return false
}

// onlyMember returns the name of the member of an object that has no other.
func (r *recognition) onlyMember(at place) (name string, ok bool) {
	s := r.scannerOf(at.document)
	first, end := s.Within(at.pos, '{')
	if first == end || s.After(first+1) != end {
		return "", false
	}
	return s.NameAt(first), true
}

// within returns the object in a member of an object: itself, or JSON at the end of a text.
func (r *recognition) within(outer place, name string) (inner place, ok bool) {
	at, _ := r.scannerOf(outer.document).Find(outer.pos, name)
	switch r.scannerOf(outer.document).Kind(at) {
	case '{':
		return place{outer.document, at}, true
	case '"':
		d := r.enter(outer.document, at, 0, mapspec.LogLine)
		return place{document: d}, d.found == present && d.Kind(0) == '{'
	}
	return place{}, false
}

// own reads the object at the root as one of ours.
func (r *recognition) own() bool {
	r.in.Reset()
	if r.at(r.root.document, r.root.pos, r.interaction); r.Err == nil {
		return true
	}
	r.fault = cmp.Or(r.fault, r.Err)
	r.Err, r.Field = nil, ""
	return false
}

// fits reports whether the object at the root has the members of a row.
func (s *interactionReader) fits(row *shape) bool {
	s.lenient = true
	defer func() { s.lenient = false }()
	return !slices.ContainsFunc(row.when, func(m member) bool { return !s.isThere(&m) }) &&
		!slices.ContainsFunc(row.unless, func(m member) bool { return s.isThere(&m) })
}

func (s *interactionReader) isThere(m *member) bool {
	d, pos, found := s.find(m.path)
	if m.kind == "" && m.values == nil {
		return found == present || found == isNull
	}
	if found != present {
		return false
	}
	r := s.scannerOf(d)
	if m.values != nil {
		return slices.ContainsFunc(m.values, func(v string) bool { return isScalar(r, pos, v) })
	}
	return strings.IndexByte(firstBytes[m.kind], r.Kind(pos)) >= 0 || m.kind == "json" && beginsJSON(r.BytesSince(pos))
}

// firstBytes are the first bytes of values, by their type.
//
//nolint:gochecknoglobals // a read-only table
var firstBytes = map[string]string{"text": `"`, "object": "{", "list": "[", "json": "{[", "number": "-0123456789"}

// beginsJSON reports whether a value is a text with JSON of an object or a list.
func beginsJSON(value []byte) bool {
	if value[0] != '"' {
		return false
	}
	text := bytes.TrimLeft(value[1:], " ")
	return text[0] == '{' || text[0] == '['
}

// leaves reports whether the filter of a row leaves the record out.
func (s *interactionReader) leaves(row *shape) bool {
	s.lenient = true
	defer func() { s.lenient = false }()
	return slices.ContainsFunc(row.where, func(c condition) bool { return !s.holds(&c) })
}
