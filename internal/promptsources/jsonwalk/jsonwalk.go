// Package jsonwalk visits the members and elements of a JSON text that is known to be valid, without copies.
package jsonwalk

import (
	"encoding/json"
	"strings"
)

// Unquote returns the text of a JSON string, or a number as it is written.
func Unquote(s string) string {
	if s[0] != '"' {
		return s
	}
	if !strings.Contains(s, `\`) {
		return s[1 : len(s)-1]
	}
	var text string
	if err := json.Unmarshal([]byte(s), &text); err != nil {
		return s[1 : len(s)-1]
	}
	return text
}

// EachMember calls yield for the members of a valid JSON object until it returns false. at is the place of the value.
func EachMember(s string, yield func(name, value string, at int) bool) {
	for i := skipBlanks(s, 1); i < len(s) && s[i] == '"'; i = skipBlanks(s, i+1) {
		end := valueEnd(s, i)
		name := s[i+1 : end-1]
		start := skipBlanks(s, skipBlanks(s, end)+1)
		end = valueEnd(s, start)
		if !yield(name, s[start:end], start) {
			return
		}
		i = skipBlanks(s, end)
	}
}

// EachElement calls yield for the elements of a valid JSON list until it returns false.
func EachElement(s string, yield func(value string) bool) {
	for i := skipBlanks(s, 1); i < len(s) && s[i] != ']'; i = skipBlanks(s, i+1) {
		end := valueEnd(s, i)
		if !yield(s[i:end]) {
			return
		}
		if i = skipBlanks(s, end); i >= len(s) || s[i] == ']' {
			return
		}
	}
}

func skipBlanks(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\r' || s[i] == '\t') {
		i++
	}
	return i
}

// valueEnd is the end of the value at i of a valid JSON text.
func valueEnd(s string, i int) int {
	for depth := 0; i < len(s); i++ {
		switch s[i] {
		case '"':
			if i = stringEnd(s, i) - 1; depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + 1 + depth // of a number: before the bracket
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// stringEnd is the end of the string at i of a valid JSON text.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}
