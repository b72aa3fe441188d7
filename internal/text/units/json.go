package units

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/jsonscan"
)

const (
	maxDepth  = 32  // of objects and lists; what is deeper is read as if it were one
	maxPath   = 4   // keys above a record
	maxIDs    = 2   // values that identify a record
	maxName   = 8   // tokens of such a value
	maxRecord = 400 // tokens of a record before it is cut
	maxField  = 24  // tokens of a string that is a field; a longer one is read by sentences
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

// jsonReader reads JSON in the text.
type jsonReader struct {
	*reader
	scan     jsonscan.Scanner
	depth    int
	sentence int // the next one to be looked at
}

// frame is an object or list that is open. Its keys and values are at the end of the stack.
type frame struct {
	start        int
	path, fields int        // place in the stack of the keys above it, and of its own keys and values
	tokens       int        // of its fields
	key          text.Range // the last one
	above, own   ids        // values that identify the objects around it, and itself
	loose        bool       // a list of the text itself: each value is a unit
}

type ids [maxIDs]text.Range

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

// container reads the object or list at the scanner, which is the value of the key in the frame up. kind is that of its values.
// A list under a key is a part of the frame.
func (j *jsonReader) container(up *frame, key text.Range, kind Kind) {
	object := j.s[j.scan.At] == '{'
	f := up
	if object || key.Len() == 0 {
		f = &frame{start: j.scan.At, path: len(j.stack), above: up.above, loose: !object && j.depth == 0}
		if up.own[0].Len() > 0 {
			f.above = up.own
		}
		j.stack = append(j.stack, j.stack[max(up.path, up.fields-maxPath):up.fields]...)
		j.push(key, true)
		f.fields = len(j.stack)
	}
	j.depth++
	j.scan.At++
	id := !j.answer // the first value tells records apart as well as a name does
	for c := j.scan.Next(); c != 0 && c != '}' && c != ']'; c = j.scan.Next() {
		k := key
		if object {
			k = text.Range{}
		}
		if object && c == '"' {
			at := j.scan.At
			j.scan.Quoted()
			k = j.tokensIn(at, j.scan.At)
			if c = j.scan.Next(); c == 0 || c == '}' || c == ']' {
				break
			}
			id = id || k.Len() > 0 && idKeys.Has(j.tokens[k.Last-1].Hash)
		}
		j.value(f, k, max(kind, j.keyKind(k)), id && object)
		id = false
	}
	j.scan.At = min(j.scan.At+1, len(j.s))
	j.depth--
	if f != up {
		j.flush(f)
		j.stack = j.stack[:f.path]
	}
}

// push puts the tokens onto the stack, if there are any.
func (j *jsonReader) push(r text.Range, head bool) {
	if r.Len() > 0 {
		j.stack = append(j.stack, Run{First: r.First, Last: r.Last, Head: head})
	}
}

// keyKind is the kind of the values under a key of an answer, as far as they are no statements.
func (j *jsonReader) keyKind(key text.Range) Kind {
	switch {
	case !j.answer || key.Len() == 0:
		return Statement
	case sourceKeys.Has(j.tokens[key.First].Hash) || sourceKeys.Has(j.tokens[key.Last-1].Hash):
		return Citations
	case technicalKeys.Has(j.tokens[key.Last-1].Hash):
		return Short
	default:
		return Statement
	}
}

// value reads the value at the scanner. id says that it identifies its object.
func (j *jsonReader) value(f *frame, key text.Range, kind Kind, id bool) {
	start := j.scan.At
	switch c := j.s[start]; {
	case (c == '{' || c == '[') && j.depth < maxDepth:
		j.container(f, key, kind)
		return
	case c == '"':
		raw, _ := j.scan.Quoted()
		r := j.tokensIn(start, j.scan.At)
		if r.Len() > maxField || j.answer && r.Len() > 1 {
			j.long(f, key, kind, text.Span{Start: int32(start + 1), End: int32(start + 1 + len(raw))})
		} else {
			j.field(f, key, kind, start, r)
		}
		if id && r.Len() <= maxName {
			f.identify(r)
		}
		return
	}
	word := j.scan.Bare()
	if word == "" {
		j.scan.At++ // no JSON
	}
	if word != "null" || !j.answer {
		j.field(f, key, kind, start, j.tokensIn(start, j.scan.At))
	}
}

// identify keeps an identifying value.
func (f *frame) identify(r text.Range) {
	if i := slices.Index(f.own[:], text.Range{}); i >= 0 && r.Len() > 0 {
		f.own[i] = r
	}
}

// field adds a short value to the record, in an answer as a unit of its own.
func (j *jsonReader) field(f *frame, key text.Range, kind Kind, start int, r text.Range) {
	if r.Len() == 0 {
		return
	}
	if j.answer || f.loose {
		j.addValue(f, key, Unit{Start: int32(start), End: int32(j.scan.At), Kind: kind}, r)
		return
	}
	if f.tokens += r.Len() + key.Len(); f.tokens > maxRecord {
		j.flush(f)
		f.start, f.tokens = start, r.Len()
	}
	if key != f.key {
		j.push(key, true)
		f.key = key
	}
	j.push(r, false)
}

// long adds the sentences of a string.
func (j *jsonReader) long(f *frame, key text.Range, kind Kind, value text.Span) {
	for start, end := int(value.Start), 0; start < int(value.End); start = end {
		for j.sentence < len(j.sentences) && int(j.sentences[j.sentence].End) <= start {
			j.sentence++
		}
		end = int(value.End)
		if j.sentence < len(j.sentences) {
			end = min(end, int(j.sentences[j.sentence].End))
		}
		if n := strings.Index(j.s[start:end], `\n`); n >= 0 {
			end = start + n + 2
		}
		u, r := Unit{Start: int32(start), End: int32(end), Kind: kind}, j.tokensIn(start, end)
		if j.answer && kind == Statement && r.Len() > 0 {
			if r = j.classify(&u, r); u.Kind == Short && u.Start == value.Start && u.End == value.End {
				u.Kind = Statement
			}
		}
		j.addValue(f, key, u, r)
	}
}

// addValue adds a value as a unit of its own, after what identifies its object, and its key.
func (j *jsonReader) addValue(f *frame, key text.Range, u Unit, r text.Range) {
	if r.Len() == 0 {
		return
	}
	first, named := len(j.Runs), f.above
	if f.own[0].Len() > 0 {
		named = f.own
	}
	if !j.answer {
		j.Runs = append(j.Runs, j.stack[f.path:f.fields]...)
	}
	u.Form = Value
	j.addHeads(named[:]...)
	j.addHeads(key)
	j.Runs = append(j.Runs, Run{First: r.First, Last: r.Last})
	j.close(u, first)
}

func (j *jsonReader) addHeads(list ...text.Range) {
	for _, r := range list {
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
	j.addHeads(f.above[:]...)
	j.Runs = append(j.Runs, j.stack[f.fields:]...)
	j.close(Unit{Start: int32(f.start), End: int32(j.scan.At), Form: Record}, first)
	j.stack, f.key = j.stack[:f.fields], text.Range{}
}
