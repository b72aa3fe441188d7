package units

import (
	"strings"

	"confab/internal/text"
	"confab/internal/text/jsonscan"
)

const (
	maxDepth  = 32  // of objects that are read; what is deeper is one field
	maxPath   = 4   // keys above a record
	maxRecord = 400 // tokens of a record before it is cut
	maxField  = 24  // tokens of a string that is a field; a longer one is read by sentences
	maxIDs    = 2   // identifying values of an object
)

// jsonStart is the place of the JSON value that an answer begins with, in a fence or not; -1 for none.
func jsonStart(s string) int {
	at := jsonscan.SkipSpace(s, 0)
	if strings.HasPrefix(s[at:], "```") {
		n := strings.IndexByte(s[at:], '\n')
		if n < 0 {
			return -1
		}
		at = jsonscan.SkipSpace(s, at+n)
	}
	if at < len(s) && (s[at] == '{' || s[at] == '[') && beginsJSON(s[at:]) {
		return at
	}
	return -1
}

// beginsJSON tells an object or a list of JSON, which may be cut off, from text in brackets.
func beginsJSON(s string) bool {
	at := 0
	for at < len(s) && at < maxDepth && s[at] == '[' {
		at = jsonscan.SkipSpace(s, at+1)
	}
	if at == len(s) {
		return false
	}
	object := s[at] == '{'
	if object {
		at = jsonscan.SkipSpace(s, at+1)
	}
	if at == len(s) || s[at] != '"' {
		return object && at < len(s) && s[at] == '}'
	}
	scan := jsonscan.Scanner{JSON: s, At: at}
	if _, ok := scan.Quoted(); !ok {
		return false
	}
	at = jsonscan.SkipSpace(s, scan.At)
	return at < len(s) && (object && s[at] == ':' || !object && (s[at] == ',' || s[at] == ']'))
}

// jsonReader reads one JSON value of the text.
type jsonReader struct {
	*reader
	scan     jsonscan.Scanner
	depth    int
	sentence int // the next one to be looked at
}

// readJSON reads the value at start and those that follow it, and returns the end.
func (p *reader) readJSON(start int) int {
	j := jsonReader{reader: p, scan: jsonscan.Scanner{JSON: p.s, At: start}}
	for {
		p.stack = p.stack[:0]
		j.container(&frame{}, text.Range{}, Statement)
		at := jsonscan.SkipSpace(p.s, j.scan.At)
		if at == len(p.s) || p.s[at] != '{' && p.s[at] != '[' {
			return j.scan.At
		}
		j.scan.At = at
	}
}

// frame is an object or list that is open. Its keys and values are at the end of the stack.
type frame struct {
	start        int
	path, fields int // place in the stack of the keys above it, and of its own keys and values
	tokens       int // of its fields
	above, own   ids // of the objects around it, and of itself
	keyed        bool // the value that is read identifies the object
	loose        bool // a list of the text itself: each value is a unit
}

// ids are the values that identify an object: its name, its code.
type ids [maxIDs]text.Range

func (d *ids) known() bool { return d[0].Len() > 0 }

// add keeps the value if there is room.
func (d *ids) add(r text.Range) {
	for i := range d {
		if d[i].Len() == 0 {
			d[i] = r
			return
		}
	}
}

// container reads the object or list at the scanner, which is the value of the key in the frame up. kind is that of its values.
func (j *jsonReader) container(up *frame, key text.Range, kind Kind) {
	f := frame{start: j.scan.At, path: len(j.stack), above: up.above}
	if up.own.known() {
		f.above = up.own
	}
	j.stack = append(j.stack, j.stack[max(up.path, up.fields-maxPath):up.fields]...)
	if key.Len() > 0 {
		j.stack = append(j.stack, Run{First: key.First, Last: key.Last, Head: true})
	}
	f.fields = len(j.stack)
	object := j.s[j.scan.At] == '{'
	f.loose = !object && j.depth == 0
	j.depth++
	j.scan.At++
	for c := j.scan.Next(); c != 0 && c != '}' && c != ']'; c = j.scan.Next() {
		if !object || c != '"' {
			j.value(&f, text.Range{}, kind)
			continue
		}
		at := j.scan.At
		raw, _ := j.scan.Quoted()
		f.keyed = isIdentifier(raw)
		k := j.tokensIn(at, j.scan.At)
		if c := j.scan.Next(); c != 0 && c != '}' && c != ']' {
			j.value(&f, k, max(kind, j.keyKind(k)))
		}
		f.keyed = false
	}
	j.scan.At = min(j.scan.At+1, len(j.s))
	j.flush(&f)
	j.stack, j.depth = j.stack[:f.path], j.depth-1
}

// isIdentifier reports the key of a value that tells one record from another.
func isIdentifier(key string) bool {
	for _, part := range [...]string{"name", "title", "label", "code", "sku"} {
		if strings.Contains(key, part) {
			return true
		}
	}
	return key == "id" || key == "key" || strings.HasSuffix(key, "_id") || strings.HasSuffix(key, "Name")
}

// keyKind is the kind of the values under a key of an answer, as far as they are no statements.
func (j *jsonReader) keyKind(key text.Range) Kind {
	if !j.answer || key.Len() == 0 {
		return Statement
	}
	switch last := j.tokens[key.Last-1].Hash; {
	case sourceKeys.Has(last) || sourceKeys.Has(j.tokens[key.First].Hash):
		return Citations
	case technicalKeys.Has(last):
		return Short
	default:
		return Statement
	}
}

// value reads the value at the scanner.
func (j *jsonReader) value(f *frame, key text.Range, kind Kind) {
	start := j.scan.At
	switch j.s[start] {
	case '{', '[':
		if j.depth < maxDepth {
			j.container(f, key, kind)
			return
		}
		j.skipContainer()
	case '"':
		raw, _ := j.scan.Quoted()
		r := j.tokensIn(start, j.scan.At)
		if f.keyed && r.Len() > 0 && r.Len() <= maxField {
			f.own.add(r)
		}
		if r.Len() > maxField || j.answer && r.Len() > 1 || strings.Contains(raw, ". ") && r.Len() > maxField/2 {
			j.long(f, key, kind, text.Span{Start: int32(start + 1), End: int32(start + 1 + len(raw))})
			return
		}
	default:
		if word := j.scan.Bare(); word == "" {
			j.scan.At++ // no JSON
		} else if j.answer && word == "null" {
			return
		}
	}
	r := j.tokensIn(start, j.scan.At)
	if r.Len() == 0 {
		return
	}
	if j.answer || f.loose {
		u := Unit{Start: int32(start), End: int32(j.scan.At), Form: Value, Kind: kind}
		j.addValue(f, key, u, r)
		return
	}
	if f.tokens += r.Len() + key.Len(); f.tokens > maxRecord {
		j.flush(f)
		f.start, f.tokens = start, r.Len()
	}
	if key.Len() > 0 {
		j.stack = append(j.stack, Run{First: key.First, Last: key.Last, Head: true})
	}
	j.stack = append(j.stack, Run{First: r.First, Last: r.Last})
}

// skipContainer skips an object or list that is too deep.
func (j *jsonReader) skipContainer() {
	for open := 0; j.scan.At < len(j.s); {
		switch c := j.scan.Next(); c {
		case '"':
			j.scan.Quoted()
			continue
		case '{', '[':
			open++
		case '}', ']':
			open--
		}
		if j.scan.At = min(j.scan.At+1, len(j.s)); open == 0 {
			return
		}
	}
}

// long adds the sentences of a long string.
func (j *jsonReader) long(f *frame, key text.Range, kind Kind, value text.Span) {
	for start := int(value.Start); start < int(value.End); {
		for j.sentence < len(j.sentences) && int(j.sentences[j.sentence].End) <= start {
			j.sentence++
		}
		end := int(value.End)
		if j.sentence < len(j.sentences) {
			end = min(end, int(j.sentences[j.sentence].End))
		}
		if n := strings.Index(j.s[start:end], `\n`); n >= 0 {
			end = start + n + 2
		}
		u := Unit{Start: int32(start), End: int32(end), Form: Value, Kind: kind}
		r := j.tokensIn(start, end)
		whole := start == int(value.Start) && end == int(value.End)
		start = end
		if r.Len() == 0 {
			continue
		}
		if j.answer && kind == Statement {
			if r = j.classify(&u, r); u.Kind == Short && whole {
				u.Kind = Statement
			}
		}
		j.addValue(f, key, u, r)
	}
}

// addValue adds a value as a unit of its own, after what identifies its object, and its key.
func (j *jsonReader) addValue(f *frame, key text.Range, u Unit, r text.Range) {
	first := len(j.Runs)
	if !j.answer {
		j.Runs = append(j.Runs, j.stack[f.path:f.fields]...)
	}
	named := &f.own
	if f.keyed || !named.known() {
		named = &f.above
	}
	j.addIDs(named)
	if key.Len() > 0 {
		j.Runs = append(j.Runs, Run{First: key.First, Last: key.Last, Head: true})
	}
	j.Runs = append(j.Runs, Run{First: r.First, Last: r.Last})
	j.close(u, first)
}

func (j *jsonReader) addIDs(named *ids) {
	for _, r := range named {
		if r.Len() > 0 {
			j.Runs = append(j.Runs, Run{First: r.First, Last: r.Last, Head: true})
		}
	}
}

// flush adds the fields of the frame so far as a record.
func (j *jsonReader) flush(f *frame) {
	if len(j.stack) == f.fields {
		return
	}
	first := len(j.Runs)
	j.Runs = append(j.Runs, j.stack[f.path:f.fields]...)
	j.addIDs(&f.above)
	j.Runs = append(j.Runs, j.stack[f.fields:]...)
	j.close(Unit{Start: int32(f.start), End: int32(j.scan.At), Form: Record}, first)
	j.stack = j.stack[:f.fields]
}
