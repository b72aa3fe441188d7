package json

import (
	"bytes"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas/json/mapspec"
	"confab/schemas/json/scan"
)

// document is JSON within the record: that of a text.
type document struct {
	scan.Scanner

	parent *document // nil: the record
	pos    int       // in the parent
	kind   mapspec.StepKind
	name   string // before the dots of the members that it holds, "" for a text
	offset int    // in the record
	found  presence
}

// presence says whether a path has a value.
type presence int

const (
	absent  presence = iota
	isNull           // null, which is absent but for an answer
	lost             // it lies in broken JSON
	present          // anything else
)

// scannerOf returns the scanner of a document; nil is the record.
func (s *interactionReader) scannerOf(d *document) *scan.Scanner {
	if d == nil {
		return &s.Scanner
	}
	return &d.Scanner
}

// find returns the value at a path from the root: its document and its position there. It faults where a member has a name of the
// path in another case, since other readers may ignore case.
func (s *interactionReader) find(path []mapspec.Step) (d *document, pos int, found presence) {
	d, pos = s.root.document, s.root.pos
	depth := 0
	for i := range path {
		if kind := s.kindAt(d, pos, path[i].Kind); kind != mapspec.Member {
			if d = s.enter(d, pos, depth, kind); d.found != present {
				return nil, 0, d.found
			}
			pos, depth = 0, 0
		}
		if path[i].Kind != mapspec.Member {
			continue
		}
		at := s.findMember(s.scannerOf(d), pos, path[i:])
		if depth++; at < 0 {
			if d, at, depth = s.gather(d, pos, path[i].Name), 0, 0; d == nil {
				return nil, 0, absent
			}
		}
		pos = at
	}
	if r := s.scannerOf(d); r.BytesSince(pos)[0] == 'n' {
		return d, pos, isNull
	}
	return d, pos, present
}

// kindAt is the kind of a step at a value: a member is also looked for in a text that begins as JSON does, and what is JSON already is no
// text to enter.
func (s *interactionReader) kindAt(d *document, pos int, kind mapspec.StepKind) mapspec.StepKind {
	c := s.scannerOf(d).Kind(pos)
	switch {
	case kind == mapspec.Text && (c == '{' || c == '['):
		return mapspec.Member
	case kind == mapspec.Member && beginsJSON(s.scannerOf(d).BytesSince(pos)):
		return mapspec.Text
	}
	return kind
}

// findMember returns the position of the first step of a path; -1 for none, and for a name in another case, which is a fault.
func (s *interactionReader) findMember(r *scan.Scanner, pos int, path []mapspec.Step) int {
	at, variant := findStep(r, pos, &path[0])
	if s.anyCase && (at < 0 || variant) {
		at, variant = findInAnyCase(r, pos, path[0].Name)
	}
	if !variant || s.lenient {
		return at
	}
	if len(path) > 1 {
		s.Field = ""
	}
	s.Fault(scan.ReasonCaseVariant, "the record has a member of this name in another case")
	return -1
}

//nolint:gochecknoglobals // between the words of names; a read-only table
var separators = strings.NewReplacer("_", "", "-", "", " ", "")

// findInAnyCase returns the position of a member with the letters of a name, such as created_at; -1 for none. several reports more than one.
func findInAnyCase(r *scan.Scanner, pos int, name string) (at int, several bool) {
	at = -1
	for i, end := r.Within(pos, '{'); i < end; i = r.After(i + 1) {
		if strings.EqualFold(separators.Replace(r.NameAt(i)), name) {
			at, several = i+1, at >= 0
		}
	}
	return at, several
}

// findStep returns the position of a member of an object or of an item of a list; -1 for none.
func findStep(r *scan.Scanner, pos int, step *mapspec.Step) (at int, variant bool) {
	if step.Pick.End == "" || r.Kind(pos) != '[' {
		return r.Find(pos, step.Name)
	}
	at = -1
	for item, end := r.Within(pos, '['); item < end; item = r.After(item) {
		if step.Pick.Member != "" {
			value, _ := r.Find(item, step.Pick.Member)
			if !isScalar(r, value, step.Pick.Value) {
				continue
			}
		}
		if at = item; step.Pick.End == "first" {
			break
		}
	}
	return at, false
}

// isScalar reports whether the value at a position is that text, or a number, true or false that is written so.
func isScalar(r *scan.Scanner, pos int, want string) bool {
	switch r.Kind(pos) {
	case 0, '{', '[':
		return false
	case '"':
		return r.NameAt(pos) == want
	}
	return r.Since(pos) == want
}

// enter returns the document in a value. It is read once.
func (s *interactionReader) enter(parent *document, pos, depth int, kind mapspec.StepKind) *document {
	for _, d := range s.documents {
		if d.parent == parent && d.pos == pos && d.kind == kind && d.name == "" {
			return d
		}
	}
	outer := s.scannerOf(parent)
	d := &document{parent: parent, pos: pos, kind: kind}
	s.documents = append(s.documents, d)
	outer.Pos, outer.Scratch = pos, s.Scratch
	if d.offset = outer.Offset(); parent != nil {
		d.offset = parent.offset
	}
	var text []byte
	if text, d.found = readDocument(outer, kind); d.found == present {
		d.Scanner = outer.Inner(text, depth)
		if d.End(); d.Err != nil {
			d.found = absent
			if text = bytes.TrimLeft(text, " \t\r\n"); bytes.IndexAny(text[:min(1, len(text))], "{[") == 0 {
				d.found = lost
			}
		}
		outer.Scratch, s.Repaired = d.Scratch, s.Repaired || d.Repaired
	}
	s.Scratch = outer.Scratch
	return d
}

// gather returns the list in flattened names of members, such as docs.0.text; nil for none. It is read once.
func (s *interactionReader) gather(parent *document, pos int, name string) *document {
	if s.lenient || s.Err != nil {
		return nil
	}
	for _, d := range s.documents {
		if d.parent == parent && d.pos == pos && d.name == name {
			return d
		}
	}
	outer, tree, head := s.scannerOf(parent), recordformat.Flat{}, name+"."
	for i, end := outer.Within(pos, '{'); i < end; i = outer.After(i + 1) {
		if rest, ok := strings.CutPrefix(outer.NameAt(i), head); ok && rest != "" && rest[0]-'0' <= 9 {
			tree.Add(outer.BytesSince(i+1), strings.Clone(rest))
		}
	}
	list := tree.AppendJSON(nil)
	if len(list) == 0 {
		return nil
	}
	d := &document{Scanner: outer.Inner(list, 0), parent: parent, pos: pos, name: name, found: present}
	d.End() // of valid parts
	s.documents = append(s.documents, d)
	return d
}

// readDocument returns the JSON in a text.
func readDocument(r *scan.Scanner, kind mapspec.StepKind) (text []byte, found presence) {
	switch c := r.Peek(); {
	case kind == mapspec.Text && c == '"':
		return []byte(r.Text()), present
	case kind == mapspec.LogLine && c == '"':
		text := r.Text()
		return []byte(text[max(0, strings.IndexByte(text, '{')):]), present
	}
	return nil, absent
}

// at calls read at a position of a document.
func (s *interactionReader) at(d *document, pos int, read func()) {
	if d == nil {
		s.Pos = pos
		read()
		return
	}
	record := s.Scanner
	s.Scanner = d.Scanner
	s.Pos, s.Field, s.Scratch = pos, record.Field, record.Scratch
	read()
	if record.Scratch, record.Err = s.Scratch, s.Err; s.Err != nil {
		record.Err.Offset = d.offset
	}
	s.Scanner = record
}

// place is a value in the record or in a document.
type place struct {
	document *document // nil: the record
	pos      int
}

// closeDocuments gives back their storage.
func (s *interactionReader) closeDocuments() {
	for i, d := range s.documents {
		if d.found == present {
			d.Scratch = s.Scratch
			s.Close(&d.Scanner)
		}
		s.documents[i] = nil
	}
	s.documents, s.root, s.lenient = s.documents[:0], place{}, false
}
