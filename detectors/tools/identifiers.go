package tools

import (
	"slices"
	"strings"

	"confab/internal/text/figures"
)

func checkIdentifiers(t *turn) {
	own := slices.DeleteFunc(identifiersOf(t.answer, minID), func(at []int) bool {
		return strings.Contains(t.known, t.answer[at[0]:at[1]]) || t.doc.Prose()[at[0]] == ' '
	})
	if len(own) == 0 || !t.doc.Work().Spend(len(t.known)*workOfByte) {
		return
	}
	given, squeezed := identifiersOf(t.known, minID-1), only(t.known, isIDRune)
	for _, at := range own {
		word := t.answer[at[0]:at[1]]
		id := only(word, isIDRune)
		if strings.Contains(squeezed, id) {
			continue
		}
		if !t.doc.Work().Spend(len(given)) {
			return
		}
		for _, k := range given {
			if known := t.known[k[0]:k[1]]; isNear(id, only(known, isIDRune)) {
				t.accuseWords(at[0], at[1], word, known)
				break
			}
		}
	}
}

// identifiersOf are the places of the words with digits that are no amounts: with letters, or so many digits alone.
func identifiersOf(s string, least int) [][]int {
	return slices.DeleteFunc(identifier.FindAllStringIndex(s, -1), func(at []int) bool {
		w := s[at[0]:at[1]]
		isAmount := len(w) < least || strings.HasSuffix(w, "00") || at[0] > 0 && strings.ContainsRune(".,:/", rune(s[at[0]-1])) || at[1]+1 < len(s) && strings.ContainsRune(".,:/", rune(s[at[1]])) && isDigit(s[at[1]+1]) || figures.IsYear(w)
		return !strings.ContainsAny(w, "0123456789") || isAmount && strings.Trim(w, "0123456789-_") == ""
	})
}

const workOfByte = 8 // of text that is searched for identifiers like one of the answer

// isNear reports identifiers that differ in the order of two characters, or in a letter of a longer one.
func isNear(id, known string) bool {
	i := 0
	for i < min(len(id), len(known)) && id[i] == known[i] {
		i++
	}
	if len(id) != len(known) || i == len(id) || isDigit(id[i]) != isDigit(known[i]) {
		return false
	}
	isTurned := i+1 < len(id) && id[i] == known[i+1] && id[i+1] == known[i] && id[i+2:] == known[i+2:]
	return isTurned || len(id) > minID+1 && !isDigit(id[i]) && id[i+1:] == known[i+1:]
}
