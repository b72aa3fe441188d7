package knownfalse

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// appendWords appends the words of a plain text, each with a space behind it: in lower case unless it is an acronym.
func appendWords(dst, plain []byte) ([]byte, int) {
	words := 0
	for word := range bytes.FieldsSeq(plain) {
		acronym := isAcronym(word)
		for _, r := range string(word) { // the compiler makes no copy for a range
			if !acronym {
				r = unicode.ToLower(r)
			}
			dst = utf8.AppendRune(dst, r)
		}
		dst = append(dst, ' ')
		words++
	}
	return dst, words
}

// isAcronym reports whether every letter is upper case and there are two or more: "US" is not "us".
func isAcronym(word []byte) bool {
	letters := 0
	for _, r := range string(word) {
		if unicode.IsLetter(r) {
			letters++
			if !unicode.IsUpper(r) {
				return false
			}
		}
	}
	return letters > 1
}

// selfContained reports whether the first word of a normal form is no pronoun, so that the claim names what it is about.
func selfContained(form []byte) bool {
	first, _, _ := bytes.Cut(form, []byte(" "))
	first, _, _ = bytes.Cut(first, []byte("'"))
	switch string(first) {
	case "he", "she", "it", "they", "we", "you", "i", "I", "this", "that", "these", "those", "his", "her", "its", "their",
		"there", "here", "er", "sie", "es", "dies", "diese", "il", "elle", "ils", "elles", "ce", "cela", "él", "ella", "ellos", "esto":
		return false
	}
	return true
}
