package strictjson

import (
	"encoding/json"
	"math"
)

// Kind is the kind of a JSON value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	True
	False
	Number
	String
	Array
	Object
)

// maxIdleValues is the number of values for which an idle tape keeps memory.
const maxIdleValues = 1 << 14

// maxTapeKeys is the number of keys of one object up to which a tape holds it: they are compared one by one.
const maxTapeKeys = 64

// TapeValue is a value, or the key of a member before its value. Its elements or members follow it on the tape.
type TapeValue struct {
	Start, End int32 // the place in the text, without quotes
	Next       int32 // index after the value and all within it
	Count      int32 // elements or members
	Kind       Kind
	Escaped    bool // a string with an escape
}

// Tape holds the values of one JSON text in order, as places in the text. It is used again without allocations.
type Tape struct {
	Values []TapeValue

	reader jsonReader
	dense  bool // an object has too many keys, or one with an escape
	buffer [8]byte
}

// Scan reads a text as Parse does and returns the same size. It returns false for a text that Parse refuses, and for one
// that has an object of many keys or a key with an escape.
func (t *Tape) Scan(text string) (Size, bool) {
	t.Values, t.reader, t.dense = t.Values[:0], jsonReader{text: text}, false
	if len(text) > math.MaxInt32 {
		return Size{}, false
	}
	p := &t.reader
	t.value()
	p.skipSpace()
	return p.size, p.err == nil && !t.dense && p.at == len(text)
}

// Release forgets the text, and returns the memory of a very long tape.
func (t *Tape) Release() {
	t.reader = jsonReader{}
	if cap(t.Values) > maxIdleValues {
		t.Values = nil
	}
}

// Raw returns the text of a value.
func (t *Tape) Raw(v *TapeValue) string { return t.reader.text[v.Start:v.End] }

// Text returns the content of a string.
func (t *Tape) Text(v *TapeValue) string {
	if !v.Escaped {
		return t.Raw(v)
	}
	p := jsonReader{text: t.reader.text, at: int(v.Start) - 1}
	return p.stringValue()
}

// Value returns the value at an index as Parse does.
func (t *Tape) Value(at int32) any {
	v := &t.Values[at]
	switch v.Kind {
	case True, False:
		return v.Kind == True
	case Number:
		return json.Number(t.Raw(v))
	case String:
		return t.Text(v)
	case Array:
		array := make([]any, 0, v.Count)
		for i := at + 1; i < v.Next; i = t.Values[i].Next {
			array = append(array, t.Value(i))
		}
		return array
	case Object:
		object := make(map[string]any, v.Count)
		for i := at + 1; i < v.Next; i = t.Values[i+1].Next {
			object[t.Raw(&t.Values[i])] = t.Value(i + 1)
		}
		return object
	default:
		return nil
	}
}

// stops reports whether the text cannot be put on the tape.
func (t *Tape) stops() bool { return t.reader.err != nil || t.dense }

func (t *Tape) value() {
	p := &t.reader
	b := p.peek()
	p.size.values++
	switch {
	case t.stops():
	case b == '{', b == '[':
		t.list(b)
	case b == '"':
		t.str()
	case b == '-' || '0' <= b && b <= '9':
		start := p.at
		p.numberText()
		t.add(Number, start)
	case b == 't':
		t.literal("true", True)
	case b == 'f':
		t.literal("false", False)
	case b == 'n':
		t.literal("null", Null)
	default:
		p.fail("no JSON value")
	}
}

// add adds a value from start to the position.
func (t *Tape) add(k Kind, start int) {
	t.Values = append(t.Values, TapeValue{Start: int32(start), End: int32(t.reader.at), Next: int32(len(t.Values) + 1), Kind: k})
}

func (t *Tape) literal(word string, k Kind) {
	start := t.reader.at
	t.reader.literal(word, nil)
	t.add(k, start)
}

func (t *Tape) list(opening byte) {
	p := &t.reader
	if p.depth++; p.depth > maxJSONDepth {
		p.fail(maxJSONReason)
		return
	}
	p.size.Depth = max(p.size.Depth, p.depth)
	at := len(t.Values)
	t.add(Array, p.at)
	closing := byte(']')
	if opening == '{' {
		closing, t.Values[at].Kind = '}', Object
	}
	count := int32(0)
	for more := p.open(closing); more && !t.stops(); more = p.next(closing) {
		if opening == '{' {
			t.key(at+1, count)
		}
		t.value()
		count++
	}
	p.depth--
	t.Values[at].End, t.Values[at].Next, t.Values[at].Count = int32(p.at), int32(len(t.Values)), count
}

// key reads the key of a member, and the colon, of an object with count keys from index first.
func (t *Tape) key(first int, count int32) {
	p := &t.reader
	if p.peek() != '"' {
		p.fail("missing quoted key")
		return
	}
	at := len(t.Values)
	if t.str(); t.stops() {
		return
	}
	key := t.Raw(&t.Values[at])
	if t.Values[at].Escaped || count == maxTapeKeys {
		t.dense = true
		return
	}
	p.size.Key = max(p.size.Key, len(key))
	for i := first; i < at; i = int(t.Values[i+1].Next) {
		if t.Raw(&t.Values[i]) == key {
			p.fail("a key occurs twice")
		}
	}
	p.expect(':', "no colon after a key")
}

func (t *Tape) str() {
	p := &t.reader
	p.at++
	start, escaped := p.at, false
	for p.at < len(p.text) {
		switch b := p.text[p.at]; {
		case b == '"':
			t.add(String, start)
			t.Values[len(t.Values)-1].Escaped = escaped
			p.at++
			return
		case b == '\\':
			escaped = true
			if p.escape(t.buffer[:0]); p.err != nil {
				return
			}
		case b < ' ':
			p.fail("a control character in a string")
			return
		default:
			p.at++
		}
	}
	p.fail("a string without an end")
}
