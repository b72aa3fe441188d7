package tools

import "strings"

func checkIdentifiers(t *turn) {
	all := ""
	eachIdentifier(t.answer, func(start, end int) bool {
		word := t.answer[start:end]
		if strings.Contains(t.known, word) || t.doc.Prose()[start] == ' ' {
			return true
		}
		if all == "" {
			all = only(t.known, isIDRune)
		}
		if id := only(word, isIDRune); !strings.Contains(all, id) {
			eachIdentifier(t.known, func(from, to int) bool {
				isFar := !isNear(id, only(t.known[from:to], isIDRune))
				if !isFar {
					t.accuseWords(start, end, word, t.known[from:to])
				}
				return isFar
			})
		}
		return t.doc.Work().Spend(len(t.known))
	})
}

const maxIdentifier = 40

// eachIdentifier calls f with each word of ASCII letters, digits and marks that has letters and digits, until it returns false.
func eachIdentifier(s string, f func(start, end int) bool) {
	for i := 0; i < len(s); i++ {
		start, digits, others := i, 0, 0
		for ; i < len(s) && (isDigit(s[i]) || s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z' || strings.IndexByte("-_#", s[i]) >= 0); i++ {
			if isDigit(s[i]) {
				digits++
			} else if s[i] != '-' && s[i] != '_' {
				others++
			}
		}
		if n := i - start; digits > 0 && others > 0 && n >= 3 && n <= maxIdentifier && (i == len(s) || s[i] < 0x80) && !f(start, i) {
			return
		}
	}
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
