package strictjson

import (
	"strconv"
	"strings"
)

const (
	maxJSONDepth  = 64
	maxDigits     = 400 // of a number, and the maximum exponent; a float64 holds up to 10^308
	maxJSONReason = "more than 64 levels deep"
)

// Costs of parsing JSON, in units of work.
const (
	perValue = 17 // of a value, with its slot in the array or map
	perText  = 4  // per bytes of JSON
)

// Error says in fixed words why a text is not JSON.
type Error struct {
	Offset    int // byte offset
	Reason    string
	EndOfText bool // the text ended too early
}

func (e *Error) Error() string { return e.Reason + " at byte " + strconv.Itoa(e.Offset) }

// Size holds the dimensions that bound the work on a value.
type Size struct {
	values int
	Depth  int
	Key    int // bytes of the longest key
}

// Work returns the units of work of parsing the text with that size.
func (s Size) Work(text string) int { return s.values*perValue + len(text)/perText }

// Parse reads one JSON value (RFC 8259) and nothing else, as map[string]any, []any, string, json.Number, bool or nil.
// Strings without escapes point into the text. Duplicate keys are an error: parsers differ on which one counts.
func Parse(text string) (any, Size, *Error) {
	p := jsonReader{text: text}
	v := p.value()
	p.skipSpace()
	if p.err == nil && p.at < len(text) {
		p.fail("text after the JSON value")
	}
	if p.err != nil {
		return nil, p.size, p.err
	}
	return v, p.size, nil
}

// jsonReader parses JSON from left to right. It stops at the first error.
type jsonReader struct {
	text  string
	at    int
	depth int
	size  Size
	err   *Error
}

func (p *jsonReader) fail(what string) {
	if p.err == nil {
		p.err = &Error{Offset: p.at, Reason: what, EndOfText: p.at >= len(p.text)}
	}
}

func (p *jsonReader) skipSpace() {
	for p.at < len(p.text) && isSpace(p.text[p.at]) {
		p.at++
	}
}

// peek returns the next byte after white space, 0 at the end and after an error.
func (p *jsonReader) peek() byte {
	if p.skipSpace(); p.err != nil || p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// expect skips b, or fails.
func (p *jsonReader) expect(b byte, what string) bool {
	if p.peek() != b {
		p.fail(what)
		return false
	}
	p.at++
	return true
}

func (p *jsonReader) value() any {
	b := p.peek()
	p.size.values++
	switch {
	case p.err != nil:
		return nil
	case b == '{', b == '[':
		if p.depth++; p.depth > maxJSONDepth {
			p.fail(maxJSONReason)
			return nil
		}
		p.size.Depth = max(p.size.Depth, p.depth)
		defer func() { p.depth-- }()
		if b == '{' {
			return p.object()
		}
		return p.array()
	case b == '"':
		return p.stringValue()
	case b == '-' || '0' <= b && b <= '9':
		return p.number()
	case b == 't':
		return p.literal("true", true)
	case b == 'f':
		return p.literal("false", false)
	case b == 'n':
		return p.literal("null", nil)
	}
	p.fail("no JSON value")
	return nil
}

func (p *jsonReader) literal(word string, v any) any {
	if rest := p.text[p.at:]; !strings.HasPrefix(rest, word) {
		if strings.HasPrefix(word, rest) {
			p.at = len(p.text)
		}
		p.fail("no JSON value")
		return nil
	}
	p.at += len(word)
	return v
}

func (p *jsonReader) object() any {
	object := map[string]any{}
	for more := p.open('}'); more; more = p.next('}') {
		if p.peek() != '"' {
			p.fail("missing quoted key")
			break
		}
		start := p.at
		key := p.stringValue()
		p.size.Key = max(p.size.Key, len(key))
		if _, double := object[key]; double && p.err == nil {
			p.at = start
			p.fail("a key occurs twice")
		}
		if !p.expect(':', "no colon after a key") {
			break
		}
		object[key] = p.value()
	}
	return object
}

func (p *jsonReader) array() any {
	array := []any{}
	for more := p.open(']'); more; more = p.next(']') {
		array = append(array, p.value())
	}
	return array
}

// open enters an object or array and reports whether it has an element.
func (p *jsonReader) open(closing byte) bool {
	p.at++
	if p.peek() == closing {
		p.at++
		return false
	}
	return p.err == nil
}

// next moves to the next element and reports whether there is one.
func (p *jsonReader) next(closing byte) bool {
	switch p.peek() {
	case ',':
		p.at++
		return true
	case closing:
		p.at++
		return false
	}
	p.fail("no comma or closing bracket after an element")
	return false
}

// enter moves to the element with this key or index of the value at the position.
func (p *jsonReader) enter(token string) bool {
	closing := byte('}')
	switch p.peek() {
	case '{':
	case '[':
		closing = ']'
	default:
		return false
	}
	i := 0
	for more := p.open(closing); more && p.err == nil; more = p.next(closing) {
		name := strconv.Itoa(i)
		if closing == '}' {
			p.peek()
			name = p.stringValue()
			p.expect(':', "")
		}
		if name == token {
			return p.err == nil
		}
		p.value()
		i++
	}
	return false
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// Locate returns the place in the text of the value at the path, and the work of finding it.
func Locate(text string, path []string) (start, end, work int, ok bool) {
	p := jsonReader{text: text}
	if len(path) == 0 {
		p.skipSpace()
		return p.at, len(strings.TrimRight(text, " \t\r\n")), 0, true
	}
	for _, token := range path {
		if !p.enter(token) {
			return 0, 0, p.size.Work(text[:p.at]), false
		}
	}
	p.skipSpace()
	start = p.at
	p.value()
	return start, p.at, p.size.Work(text[:p.at]), true
}
