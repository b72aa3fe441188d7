package tools

import (
	"slices"
	"strings"
)

func checkIdentifiers(t *turn) {
	for _, at := range identifiersOf(t.answer) {
		word := t.answer[at[0]:at[1]]
		id := only(word, isIDRune)
		if strings.Contains(t.known, word) || t.doc.Prose()[at[0]] == ' ' || strings.Contains(only(t.known, isIDRune), id) {
			continue
		}
		if !t.doc.Work().Spend(len(t.known) * figureWork) {
			return
		}
		for _, k := range identifiersOf(t.known) {
			if known := t.known[k[0]:k[1]]; isNear(id, only(known, isIDRune)) {
				t.accuseWords(at[0], at[1], word, known)
				break
			}
		}
	}
}

// identifiersOf are the places of the words with letters and digits.
func identifiersOf(s string) [][]int {
	return slices.DeleteFunc(identifier.FindAllStringIndex(s, -1), func(at []int) bool {
		w := s[at[0]:at[1]]
		return !strings.ContainsAny(w, "0123456789") || strings.Trim(w, "0123456789-_") == ""
	})
}

// isNear reports identifiers that differ in the order of two characters, in a letter of a longer one, or in a digit more at the end.
func isNear(id, known string) bool {
	i := 0
	for i < len(id) && i < len(known) && id[i] == known[i] {
		i++
	}
	switch {
	case len(id) == len(known)+1:
		return i == len(known) && i > minID && isDigit(id[i]) && !isDigit(known[i-1])
	case len(id) != len(known) || i == len(id) || isDigit(id[i]) != isDigit(known[i]):
		return false
	case i+1 < len(id) && id[i] == known[i+1] && id[i+1] == known[i]:
		return id[i+2:] == known[i+2:]
	}
	return len(id) > minID+1 && !isDigit(id[i]) && id[i+1:] == known[i+1:]
}
