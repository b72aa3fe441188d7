package json

import (
	"strconv"

	"confab/schemas/json/scan"
)

// appendKeyValues appends to dst the JSON object of the list at a position: [{"key": "k", "value": {"stringValue": "v"}}], where
// a value may also be plain JSON. Items without a key are left out. Names stay as they are written, and a key that occurs twice
// is a name that occurs twice; false for a list with other items.
func appendKeyValues(dst []byte, s *scan.Scanner, list int) (out []byte, ok bool) {
	dst = append(dst, '{')
	begin := len(dst)
	for item, end := s.Within(list, '['); item < end; item = s.After(item) {
		if s.Kind(item) != '{' {
			return dst, false
		}
		key, _ := s.Find(item, "key")
		value, _ := s.Find(item, "value")
		if s.Kind(key) != '"' || value < 0 {
			continue
		}
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		dst = append(append(dst, s.BytesSince(key)...), ':')
		if dst, ok = appendValue(dst, s, value); !ok {
			return dst, false
		}
	}
	return append(dst, '}'), true
}

// appendValue appends the value at a position as plain JSON: that of an object with its type, such as {"stringValue": "v"}, or
// any other value as it is.
func appendValue(dst []byte, s *scan.Scanner, at int) (out []byte, ok bool) {
	name, end := s.Within(at, '{')
	if name == end || s.After(name+1) != end {
		return append(dst, s.BytesSince(at)...), true
	}
	value := name + 1
	values, _ := s.Find(value, "values")
	switch s.NameAt(name) {
	case "stringValue", "boolValue", "doubleValue", "bytesValue":
		return append(dst, s.BytesSince(value)...), true
	case "intValue": // a text in JSON of OpenTelemetry
		return append(dst, number(s.Since(value))...), true
	case "arrayValue":
		return appendList(dst, s, values)
	case "kvlistValue":
		return appendKeyValues(dst, s, values)
	}
	return append(dst, s.BytesSince(at)...), true
}

func appendList(dst []byte, s *scan.Scanner, list int) (out []byte, ok bool) {
	dst = append(dst, '[')
	begin := len(dst)
	for item, end := s.Within(list, '['); item < end; item = s.After(item) {
		if len(dst) > begin {
			dst = append(dst, ',')
		}
		if dst, ok = appendValue(dst, s, item); !ok {
			return dst, false
		}
	}
	return append(dst, ']'), true
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
