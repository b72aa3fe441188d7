package knownfalse

import (
	"unicode"
	"unicode/utf8"
)

// appendWords appends the words of a plain text in their normal forms, each with a space behind it.
func appendWords(dst, plain []byte) ([]byte, int) {
	words := 0
	for len(plain) > 0 {
		r, size := utf8.DecodeRune(plain)
		if r == ' ' {
			plain = plain[size:]
			continue
		}
		end := 0
		for end < len(plain) && plain[end] != ' ' {
			end++
		}
		dst = appendUnit(dst, plain[:end])
		plain = plain[end:]
		words++
	}
	return dst, words
}

// appendUnit appends one word; behind a figure, a unit by its symbol.
func appendUnit(dst, word []byte) []byte {
	if last := len(dst) - 2; last >= 0 && dst[last] >= '0' && dst[last] <= '9' {
		if string(word) == "%" {
			return append(dst[:last+1], "% "...)
		}
		if symbol := unitSymbol(word); symbol != "" {
			return append(append(dst, symbol...), ' ')
		}
	}
	return appendWord(dst, word)
}

// unitSymbol is the symbol of a unit that is written out and means one thing only, else "".
func unitSymbol(word []byte) string {
	switch string(word) {
	case "metre", "metres", "meter", "meters":
		return "m"
	case "kilometre", "kilometres", "kilometer", "kilometers":
		return "km"
	case "centimetre", "centimetres", "centimeter", "centimeters":
		return "cm"
	case "millimetre", "millimetres", "millimeter", "millimeters":
		return "mm"
	case "gram", "grams":
		return "g"
	case "kilogram", "kilograms":
		return "kg"
	}
	return ""
}

// appendWord appends one word: lower case unless it is an acronym, contractions of "not" written out, thousands joined.
func appendWord(dst, word []byte) []byte {
	start, acronym := len(dst), isAcronym(word)
	grouped := isGrouped(word)
	for _, r := range string(word) { // the compiler makes no copy for a range
		switch {
		case grouped && r == ',':
		case acronym:
			dst = utf8.AppendRune(dst, r)
		default:
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		}
	}
	switch w := dst[start:]; {
	case string(w) == "can't" || string(w) == "cannot":
		dst = append(dst[:start], "can not"...)
	case string(w) == "won't":
		dst = append(dst[:start], "will not"...)
	case len(w) > 4 && string(w[len(w)-3:]) == "n't":
		dst = append(dst[:len(dst)-3], " not"...)
	}
	return append(dst, ' ')
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

// isGrouped reports whether the commas of a figure separate thousands for certain: two groups or more. A single one may be a
// decimal comma.
func isGrouped(word []byte) bool {
	first, groups, run := true, 0, 0
	for _, c := range word {
		switch {
		case c >= '0' && c <= '9':
			run++
		case c != ',' || run == 0 || run > 3 || !first && run != 3:
			return false
		default:
			first, run = false, 0
			groups++
		}
	}
	return groups > 1 && run == 3
}

// selfContained reports whether the first word of a normal form is no pronoun, so that the claim names what it is about.
func selfContained(form []byte) bool {
	end := 0
	for end < len(form) && form[end] != ' ' && form[end] != '\'' {
		end++
	}
	switch string(form[:end]) {
	case "he", "she", "it", "they", "we", "you", "i", "I", "this", "that", "these", "those", "his", "her", "its", "their",
		"there", "here", "er", "sie", "es", "dies", "diese", "il", "elle", "ils", "elles", "ce", "cela", "él", "ella", "ellos", "esto":
		return false
	}
	return true
}
