package jsonschema

import (
	"encoding/json"
	"strconv"
	"strings"

	"confab/schemas/json/scan"
)

const (
	maxDepth  = 64
	maxDigits = 400 // of a number, and the maximum exponent; a float64 holds up to 10^308
)

// syntaxError says in fixed words why a text is not JSON.
type syntaxError struct {
	offset    int // in bytes
	reason    string
	endOfText bool // the text ended too early
}

func (e *syntaxError) Error() string { return e.reason + " at byte " + strconv.Itoa(e.offset) }

// parsedJSON is a text parsed as JSON.
type parsedJSON struct {
	text   string
	value  any
	values int // in it
	depth  int
}

// parse reads one JSON value (RFC 8259) and nothing else, as map[string]any, []any, string, json.Number, bool or nil. Keys
// that occur twice are an error: parsers differ on which one counts. An unpaired surrogate becomes U+FFFD.
func parse(text string) (parsedJSON, *syntaxError) {
	p := parsedJSON{text: text}
	s := scan.New(maxDepth)
	s.Start([]byte(text))
	s.End()
	p.value = p.read(&s, 0)
	if s.Err == nil {
		return p, nil
	}
	bad := &syntaxError{offset: s.Err.Offset, reason: s.Err.Detail, endOfText: s.Err.Offset == len(text)}
	switch s.Err.Reason {
	case scan.ReasonTrailingBytes:
		bad.reason = "text after the JSON value"
	case scan.ReasonTooDeep:
		bad.reason = "more than 64 levels deep"
	}
	return p, bad
}

// read reads the next value, within so many others; nil after a fault.
func (p *parsedJSON) read(s *scan.Scanner, depth int) any {
	p.values++
	p.depth = max(p.depth, depth)
	switch c := s.Peek(); c {
	case '{':
		object := map[string]any{}
		o := s.Object("")
		for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
			object[name] = p.read(s, depth+1)
		}
		return object
	case '[':
		array := []any{}
		l := s.List(s.Size(), "")
		for s.More(&l) {
			array = append(array, p.read(s, depth+1))
		}
		return array
	case '"':
		return s.Text()
	case 't', 'f':
		return s.Bool()
	case 'n':
		s.Null()
		return nil
	default:
		text := s.Since(s.Pos)
		if !holds(text) {
			s.Fault(scan.ReasonOutOfRange, "a number that JSON parsers cannot hold")
		}
		s.Skip()
		return json.Number(text)
	}
}

// holds reports whether a number has few enough digits and a small enough exponent.
func holds(number string) bool {
	digits, exponent, scientific := strings.Cut(strings.ToLower(number), "e")
	if !scientific {
		exponent = "0"
	}
	e, err := strconv.Atoi(exponent)
	return len(digits) <= maxDigits && err == nil && -maxDigits <= e && e <= maxDigits
}

// locate returns the place in a JSON text of the value at the path.
func locate(text string, path []string) (start, end int, ok bool) {
	s := scan.New(maxDepth)
	s.Start([]byte(text))
	for _, token := range path {
		s.Pos, _ = s.Find(s.Pos, token)
	}
	if s.Pos < 0 || s.Err != nil {
		return 0, 0, false
	}
	start = s.Offset()
	return start, start + len(s.Since(s.Pos)), true
}
