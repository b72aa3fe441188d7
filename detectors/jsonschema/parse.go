package jsonschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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

// newDecoder reads one JSON text. Duplicate names are an error; an unpaired surrogate becomes U+FFFD.
func newDecoder(text string) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBufferString(text), jsontext.AllowInvalidUTF8(true))
}

// parse reads one JSON value (RFC 8259) and nothing else, as map[string]any, []any, string, json.Number, bool or nil.
func parse(text string) (parsedJSON, *syntaxError) {
	p := parsedJSON{text: text}
	d := newDecoder(text)
	var err error
	if p.value, err = p.read(d); err == nil {
		if rest := strings.TrimLeft(text[d.InputOffset():], " \t\r\n"); rest != "" {
			err = &syntaxError{offset: len(text) - len(rest), reason: "text after the JSON value"}
		}
	}
	if err != nil {
		return p, explainSyntax(text, d, err)
	}
	return p, nil
}

func (p *parsedJSON) read(d *jsontext.Decoder) (any, error) {
	t, err := d.ReadToken()
	if err != nil {
		return nil, err
	}
	p.values++
	switch t.Kind() {
	case '{', '[':
		if p.depth = max(p.depth, d.StackDepth()); p.depth > maxDepth {
			return nil, &syntaxError{offset: int(d.InputOffset()) - 1, reason: "more than 64 levels deep"}
		}
		if t.Kind() == '{' {
			return p.readObject(d)
		}
		return p.readArray(d)
	case '"':
		return t.String(), nil
	case '0':
		n := t.String()
		if !holds(n) {
			return nil, &syntaxError{offset: int(d.InputOffset()) - len(n), reason: "a number that JSON parsers cannot hold"}
		}
		return json.Number(n), nil
	case 't', 'f':
		return t.Bool(), nil
	default:
		return nil, nil
	}
}

func (p *parsedJSON) readObject(d *jsontext.Decoder) (any, error) {
	object := map[string]any{}
	for {
		t, err := d.ReadToken()
		if err != nil || t.Kind() == '}' {
			return object, err
		}
		name := t.String()
		if object[name], err = p.read(d); err != nil {
			return nil, err
		}
	}
}

func (p *parsedJSON) readArray(d *jsontext.Decoder) (any, error) {
	array := []any{}
	for d.PeekKind() != ']' {
		v, err := p.read(d)
		if err != nil {
			return nil, err
		}
		array = append(array, v)
	}
	_, err := d.ReadToken()
	return array, err
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

// explainSyntax returns what is wrong where d stopped.
func explainSyntax(text string, d *jsontext.Decoder, err error) *syntaxError {
	if own, ok := errors.AsType[*syntaxError](err); ok {
		return own
	}
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok || errors.Is(err, io.ErrUnexpectedEOF) {
		return &syntaxError{offset: len(text), endOfText: true, reason: cutOff(text, text[d.InputOffset():])}
	}
	kind, length := d.StackIndex(d.StackDepth())
	reason := reasonOfSyntax(syntactic.Err.Error())
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		reason = "a key occurs twice"
	case errors.Is(err, jsontext.ErrNonStringName), kind == '{' && length%2 == 0 && reason == reasonNoValue:
		reason = "missing quoted key"
	}
	return &syntaxError{offset: int(syntactic.ByteOffset), reason: reason}
}

const reasonNoValue = "no JSON value"

// cutOff says what the end of the text cuts off; rest begins after the last whole token.
func cutOff(text, rest string) string {
	rest = strings.TrimLeft(rest, " \t\r\n,:")
	switch {
	case strings.HasPrefix(rest, `"`):
		return "a string without an end"
	case rest != "" && strings.ContainsAny(rest[:1], "-0123456789"):
		return "not a JSON number"
	case rest == "" && strings.TrimSpace(text) != "":
		return "the text ends within the JSON value"
	}
	return reasonNoValue
}

// reasonOfSyntax returns our words for an error of jsontext, which has no kinds of errors.
func reasonOfSyntax(message string) string {
	for _, known := range []struct{ words, reason string }{
		{"escape sequence", "an unknown escape in a string"},
		{"in string", "a control character in a string"},
		{"in number", "not a JSON number"},
		{"after object name", "no colon after a key"},
		{"after object value", "no comma or closing bracket after an element"},
		{"after array element", "no comma or closing bracket after an element"},
	} {
		if strings.Contains(message, known.words) {
			return known.reason
		}
	}
	return reasonNoValue
}

// locate returns the place in a JSON text of the value at the path.
func locate(text string, path []string) (start, end int, ok bool) {
	d := newDecoder(text)
	for _, token := range path {
		if !enter(d, token) {
			return 0, 0, false
		}
	}
	value, err := d.ReadValue()
	end = int(d.InputOffset())
	return end - len(value), end, err == nil
}

// enter moves to the member of that name, or the element of that index, of the next value.
func enter(d *jsontext.Decoder, token string) bool {
	opened, err := d.ReadToken()
	if err != nil || opened.Kind() != '{' && opened.Kind() != '[' {
		return false
	}
	for i := 0; err == nil && d.PeekKind() != '}' && d.PeekKind() != ']'; i++ {
		name := strconv.Itoa(i)
		if opened.Kind() == '{' {
			t, err := d.ReadToken()
			if err != nil {
				return false
			}
			name = t.String()
		}
		if name == token {
			return true
		}
		err = d.SkipValue()
	}
	return false
}
