package records

import (
	"slices"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/internal/text"
	"confab/internal/text/jsonscan"
)

// fieldValue is the kind of value of a field.
type fieldValue uint8

const (
	fieldNull   fieldValue = iota // null, "", {} or []: no value
	fieldFalse                    // false, "no", "none"
	fieldTrue                     // true, "yes", "free" and any other text
	fieldObject                   // its fields are separate
	fieldArray
)

// field is a field of a JSON record. Offsets are bytes of its source.
type field struct {
	source           int32
	parent           int32 // index among the fields, -1 at the top
	keyStart, keyEnd int32
	start, end       int32      // of the value
	first, last      int32      // its words among keyWords, half open
	content          int32      // number of those that are not stop words
	stems            wordFilter // of those
	concept          int32      // index among concepts, -1 for none
	elements         int32      // number of elements or fields
	value            fieldValue
	textual          bool // a string other than yes or no
	day              int8 // 1 for Monday to 7 for Sunday if the key is one, else 0
	schedule         bool // about opening hours; see hours.go
	numeric          bool
	anyTrue, allBool bool // of an object's fields
}

// Caps on records.
const (
	maxFields     = 256
	maxFieldDepth = 12
)

// Index has the fields of all sources that are JSON records.
type Index struct {
	content // what the sources alone determine

	list      *figureindex.Findings // receives the findings
	work      *detectors.Work
	tokenizer *text.Tokenizer
	hours     [8]dayHours // by weekday, Monday is 1
	Timed     bool        // a record has opening hours

	said     claimWords  // of the claim that is checked
	polarity []int8      // scratch: by token of a claim
	events   []hourEvent // scratch: of a claim

	kept    [1 << keptBits]keptKey
	longKey keptKey // the last one that is too long to keep
}

// content is what the sources alone determine.
type content struct {
	fields   []field
	compared []int32      // fields with a value to compare
	keyWords []text.Token // of all keys; offsets count in the word's own key
	named    int          // fields with a concept and a value of yes, no or null
}

// read reads the fields of the document's records.
func (r *Index) read(d *detectors.Document) {
	r.Timed, r.hours = false, [8]dayHours{}
	r.fields, r.compared, r.keyWords, r.named = r.fields[:0], r.compared[:0], r.keyWords[:0], 0
	if slices.ContainsFunc(d.SourceTexts(), jsonscan.Begins) {
		r.readRecords(d)
	}
	r.readHours(d)
}

func (r *Index) readRecords(d *detectors.Document) {
	for i, s := range d.SourceTexts() {
		if jsonscan.Begins(s) && d.Work().Spend(len(s)/recordBytes) {
			p := recordReader{Scanner: jsonscan.Scanner{JSON: s, At: jsonscan.SkipSpace(s, 0)}, source: int32(i), index: r}
			p.value(-1, 0)
		}
	}
	d.Work().Spend(fieldCost * len(r.fields))
	r.nameFields()
	r.listCompared()
}

// recordReader parses one JSON text. It accepts a truncated text, because sources may be cut.
type recordReader struct {
	jsonscan.Scanner

	source int32
	index  *Index
}

// value reads one value into the field; -1 for a value without a key.
func (p *recordReader) value(field int32, depth int) bool {
	c := p.Next()
	if c == 0 || depth > maxFieldDepth {
		return false
	}
	start := p.At
	var ok bool
	switch c {
	case '{':
		ok = p.object(field, depth)
	case '[':
		ok = p.array(field, depth)
	case '"':
		_, ok = p.Quoted()
	default:
		ok = p.Bare() != ""
	}
	if field >= 0 && p.At > start { // a key without a value has none
		f := &p.index.fields[field]
		f.start, f.end = int32(start), int32(p.At)
		f.setValue(p.JSON[start:p.At])
	}
	return ok
}

func (p *recordReader) object(parent int32, depth int) bool {
	p.At++
	for {
		switch p.Next() {
		case '}':
			p.At++
			return true
		case '"':
		default:
			return false
		}
		keyStart := p.At + 1
		if _, ok := p.Quoted(); !ok || len(p.index.fields) == maxFields {
			return false
		}
		own := int32(len(p.index.fields))
		p.index.fields = append(p.index.fields, field{
			source: p.source, parent: parent, keyStart: int32(keyStart), keyEnd: int32(p.At - 1),
			textual: true, // until the value is read
		})
		p.index.addKey(&p.index.fields[own], p.JSON[keyStart:p.At-1])
		if !p.value(own, depth+1) {
			return false
		}
		if parent >= 0 {
			p.index.fields[parent].addChild(&p.index.fields[own])
		}
	}
}

func (p *recordReader) array(field int32, depth int) bool {
	p.At++
	for {
		switch p.Next() {
		case ']':
			p.At++
			return true
		case 0:
			return false
		}
		if !p.value(-1, depth+1) {
			return false
		}
		if field >= 0 {
			p.index.fields[field].elements++
		}
	}
}

// addChild updates an object for one of its fields.
func (f *field) addChild(child *field) {
	if f.elements == 0 {
		f.allBool = true
	}
	f.elements++
	plain := child.value <= fieldTrue && !child.textual
	f.allBool = f.allBool && plain
	f.anyTrue = f.anyTrue || plain && child.value == fieldTrue
}

// setValue sets the kind of the JSON value s.
func (f *field) setValue(s string) {
	f.value, f.textual = fieldTrue, false
	switch s {
	case "null", `""`, "{}", "[]":
		f.value = fieldNull
		return
	case "true":
		return
	case "false":
		f.value = fieldFalse
		return
	}
	switch c := s[0]; {
	case c == '{':
		f.value = fieldObject
		return
	case c == '[':
		f.value = fieldArray
		return
	case c != '"':
		f.numeric = true
		return
	}
	var buf [12]byte
	switch string(lowerLetters(buf[:0], s)) {
	case "no", "none", "false", "never", "uno", "unone":
		f.value = fieldFalse
	case "yes", "true", "free", "paid", "ufree":
	case "unknown", "na", "null":
		f.value = fieldNull
	default:
		f.textual = true
	}
}

// lowerLetters appends the letters of s in lower case, up to the capacity of dst.
func lowerLetters(dst []byte, s string) []byte {
	for i := 0; i < len(s) && len(dst) < cap(dst); i++ {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' {
			dst = append(dst, c)
		}
	}
	return dst
}
