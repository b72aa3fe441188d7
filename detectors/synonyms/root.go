package synonyms

import "confab/internal/text"

// endings are cut off words, so that "cancellable" and "cancelled" have one root. Longest first.
//
//nolint:gochecknoglobals // a read-only table
var endings = []string{
	"ations", "ation", "ments", "ities", "ment", "able", "ible", "ally", "ance", "ence", "ions", "ates", "ated", "ings", "ying",
	"ing", "ies", "ied", "ion", "ity", "ial", "ate", "ers", "ors", "ees", "al", "ed", "es", "er", "or", "ee", "ly", "y", "s", "e",
}

// minRoot is the smallest number of letters that stay.
const minRoot = 4

// RootOf hashes a word without its endings, in lower case. Unlike a stem it joins derivations: "approved" and "approval".
func RootOf(s string) uint64 {
	var buf [32]byte
	if len(s) > len(buf) {
		return text.Hash(s)
	}
	w := buf[:0]
	for i := range len(s) {
		c := s[i]
		if c >= 0x80 {
			return text.Hash(s)
		}
		if c >= 'A' && c <= 'Z' {
			c |= 0x20
		}
		w = append(w, c)
	}
	if n := len(w); n > 2 && w[n-2] == '\'' {
		w = w[:n-2]
	}
	w = cutEndings(w)
	if n := len(w); n >= minRoot && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	return text.Hash(string(w))
}

func cutEndings(w []byte) []byte {
	for again := true; again; {
		again = false
		for _, e := range endings {
			if n := len(w) - len(e); n >= minRoot && string(w[n:]) == e {
				w, again = w[:n], true
				break
			}
		}
	}
	return w
}
