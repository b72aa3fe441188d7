package json

import (
	"strconv"

	"confab/internal/recordformat"
	"confab/schemas/json/scan"
)

// appendKeyValues appends to dst the JSON object of the list at which s stands: [{"key": "k", "value": {"stringValue": "v"}}],
// where a value may also be plain JSON. Items without a key are left out. Names stay as they are written, and a key that
// occurs twice is a name that occurs twice. If the value is not such a list, s has a fault.
func appendKeyValues(dst []byte, s *scan.Scanner) []byte {
	dst = append(dst, '{')
	begin := len(dst)
	l := s.List(s.Size(), "a list of keys and values")
	for s.More(&l) {
		dst = appendItem(dst, begin, s)
	}
	return append(dst, '}')
}

// appendItem appends the member of one item to an object whose members begin at begin.
func appendItem(dst []byte, begin int, s *scan.Scanner) []byte {
	before, written, key := len(dst), false, ""
	var early []byte // a value in front of its key
	member := func() {
		if before > begin {
			dst = append(dst, ',')
		}
		dst = append(append(dst, key...), ':')
		written = true
	}
	o := s.Object("a key with a value")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch c := s.Peek(); {
		case name == "key" && c == '"':
			key = recordformat.StringView(s.Source())
		case name == "value" && key != "":
			member()
			dst = appendValue(dst, s)
		case name == "value":
			early = appendValue(nil, s)
		default:
			s.Skip()
		}
	}
	if key != "" && !written && early != nil {
		member()
		dst = append(dst, early...)
	}
	return dst
}

// appendValue appends the next value as plain JSON: that of an object with its type, such as {"stringValue": "v"}, or any
// other value as it is.
func appendValue(dst []byte, s *scan.Scanner) []byte {
	if s.Peek() != '{' {
		return append(dst, s.Source()...)
	}
	before, start := len(dst), s.Pos
	members, typed := 0, false
	o := s.Object("")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		members++
		switch name {
		case "stringValue", "boolValue", "doubleValue", "bytesValue":
			dst, typed = append(dst[:before], s.Source()...), true
		case "intValue": // a text in JSON of OpenTelemetry
			dst, typed = append(dst[:before], number(recordformat.StringView(s.Source()))...), true
		case "arrayValue", "kvlistValue":
			dst, typed = appendValues(dst[:before], s, name == "kvlistValue"), true
		default:
			s.Skip()
		}
	}
	if s.Err == nil && (!typed || members != 1) {
		dst = append(dst[:before], s.Since(start)...)
	}
	return dst
}

// number returns a whole number without its quotes.
func number(text string) string {
	if len(text) > 2 && text[0] == '"' {
		if n, err := strconv.ParseInt(text[1:len(text)-1], 10, 64); err == nil && strconv.FormatInt(n, 10) == text[1:len(text)-1] {
			return text[1 : len(text)-1]
		}
	}
	return text
}

// appendValues appends {"values": […]} as a list or, with keys, as an object.
func appendValues(dst []byte, s *scan.Scanner, keyed bool) []byte {
	before, empty := len(dst), "[]"
	if keyed {
		empty = "{}"
	}
	dst = append(dst, empty...)
	o := s.Object("a list of values")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case name != "values" || s.Peek() != '[':
			s.Skip()
		case keyed:
			dst = appendKeyValues(dst[:before], s)
		default:
			dst = appendList(dst[:before], s)
		}
	}
	return dst
}

func appendList(dst []byte, s *scan.Scanner) []byte {
	dst = append(dst, '[')
	begin := len(dst)
	l := s.List(s.Size(), "")
	for s.More(&l) {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = appendValue(dst, s)
	}
	return append(dst, ']')
}
