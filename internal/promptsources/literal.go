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
	var b strings.Builder
	var open []byte // what closes the brackets
	for s != "" {
		c := s[0]
		switch c {
		case '\'', '"':
			value, rest, closed := cutString(s)
			if !closed {
				return "", false
			}
			b.Write(value)
			s = rest
			continue
		case '(', '[':
			c, open = '[', append(open, ']')
		case '{':
			open = append(open, '}')
		case ')', ']', '}':
			if len(open) == 0 {
				return "", false
			}
			c, open = open[len(open)-1], open[:len(open)-1]
		default:
			if name := nameAt(s); name != "" {
				s = s[len(name):]
				if strings.HasPrefix(s, "(") {
					b.WriteByte('{')
					open = append(open, '}')
					s = s[1:]
				} else if strings.HasPrefix(s, "=") {
					b.WriteString(strconv.Quote(name) + ":")
					s = s[1:]
				} else {
					b.WriteString(map[string]string{"None": "null", "True": "true", "False": "false"}[name])
				}
				continue
			}
		}
		b.WriteByte(c)
		s = s[1:]
	}
	return b.String(), json.Valid([]byte(b.String()))
}

// nameAt is the name that s begins with: of a type, a member or a constant.
func nameAt(s string) string {
	return s[:len(s)-len(strings.TrimLeftFunc(s, func(r rune) bool { return r == '_' || unicode.IsLetter(r) }))]
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
