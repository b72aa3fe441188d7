package promptsources

import (
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
)

// fromLiteral turns what Python prints of values, such as a column of lists in a table, into JSON: ['a', "it's"],
// [Document(page_content='a', metadata={'page': 1})]. ok is false for other texts.
func fromLiteral(s string) (text string, ok bool) {
	var w literalWriter
	for s != "" {
		var rest string
		if name := nameAt(s); name != "" {
			rest, ok = w.name(name, s[len(name):])
		} else if s[0] == '\'' || s[0] == '"' {
			rest, ok = w.text(s)
		} else {
			rest, ok = s[1:], w.sign(s[0])
		}
		if !ok {
			return "", false
		}
		s = rest
	}
	return w.String(), json.Valid([]byte(w.String()))
}

// literalWriter writes JSON.
type literalWriter struct {
	strings.Builder
	open []byte // what closes the brackets
}

// sign writes a bracket, or what stands between values.
func (w *literalWriter) sign(c byte) bool {
	switch c {
	case '(', '[':
		c, w.open = '[', append(w.open, ']')
	case '{':
		w.open = append(w.open, '}')
	case ')', ']', '}':
		if len(w.open) == 0 {
			return false
		}
		c, w.open = w.open[len(w.open)-1], w.open[:len(w.open)-1]
	}
	return w.WriteByte(c) == nil
}

// name writes the beginning of an object, the name of a member or a constant, and returns what stands behind it.
func (w *literalWriter) name(name, s string) (rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "("):
		return s[1:], w.sign('{')
	case strings.HasPrefix(s, "="):
		w.WriteString(`"` + name + `":`)
		return s[1:], true
	}
	constant := constantOf(name)
	w.WriteString(constant)
	return s, constant != ""
}

// text writes the text in quotes that s begins with, and returns what stands behind it.
func (w *literalWriter) text(s string) (rest string, ok bool) {
	value, rest, closed := cutString(s)
	w.Write(value)
	return rest, closed
}

// nameAt is the name that s begins with: of a type, a member or a constant.
func nameAt(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return r == '_' || unicode.IsLetter(r) }))]
}

// constantOf is a constant of Python in JSON, "" for another name.
func constantOf(name string) string {
	switch name {
	case "None":
		return "null"
	case "True":
		return "true"
	case "False":
		return "false"
	default:
		return ""
	}
}

// cutString cuts a text in quotes from s, as JSON.
func cutString(s string) (value []byte, rest string, closed bool) {
	var text strings.Builder
	quote := s[0]
	for s = s[1:]; s != "" && s[0] != quote; {
		c, _, rest, err := strconv.UnquoteChar(s, quote)
		if err != nil { // no escape
			c, rest = rune(s[0]), s[1:]
		}
		text.WriteRune(c)
		s = rest
	}
	value, err := json.Marshal(text.String())
	return value, strings.TrimPrefix(s, string(quote)), s != "" && err == nil
}
