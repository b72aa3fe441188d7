package card

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// markWords returns s with the words strong wherever they stand on their own, and whether they do.
func markWords(s, words string) ([]Run, bool) {
	var marks []text.Mark[int]
	for at := 0; words != ""; {
		i := strings.Index(s[at:], words)
		if i < 0 {
			break
		}
		start, end := at+i, at+i+len(words)
		at = end
		if !joinsWord(s[:start], s[start:]) && !joinsWord(s[:end], s[end:]) {
			marks = append(marks, text.Mark[int]{Start: start, End: end})
		}
	}
	var runs []Run
	for _, p := range text.SplitMarked(s, marks) {
		runs = append(runs, Run{p.Text, len(p.Classes) > 0})
	}
	return runs, len(marks) > 0
}

// joinsWord reports whether a word or a figure continues across the border of two texts.
func joinsWord(before, after string) bool {
	a, size := utf8.DecodeLastRuneInString(before)
	b, width := utf8.DecodeRuneInString(after)
	if continuesWord(a) && continuesWord(b) {
		return true
	}
	if strings.ContainsRune(".,", b) && unicode.IsDigit(a) {
		next, _ := utf8.DecodeRuneInString(after[width:])
		return unicode.IsDigit(next)
	}
	if strings.ContainsRune(".,", a) && unicode.IsDigit(b) {
		previous, _ := utf8.DecodeLastRuneInString(before[:len(before)-size])
		return unicode.IsDigit(previous)
	}
	return false
}

// continuesWord reports whether r is a digit, or a letter of a script with spaces between words.
func continuesWord(r rune) bool {
	return unicode.IsDigit(r) ||
		unicode.IsLetter(r) && !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
