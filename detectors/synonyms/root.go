package synonyms

import (
	"strings"

	"confab/internal/text"
)

// endings are cut off words, so that "cancellable" and "cancelled" have one root. Longest first.
const endings = `ations ation ments ities ment able ible ally ance ence ions ates ated ings ying
ing ies ied ion ity ial ate ers ors ees al ed es er or ee ly y s e`

var endingsByLast = groupEndings(endings) //nolint:gochecknoglobals // a read-only table

// groupEndings lists the endings by their last letter, in the same order.
func groupEndings(list string) (groups ['z' + 1][]string) {
	for e := range strings.FieldsSeq(list) {
		last := e[len(e)-1]
		groups[last] = append(groups[last], e)
	}
	return groups
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
	for n := len(w); n > 0; n = len(w) {
		if w = cutEnding(w); len(w) == n {
			break
		}
	}
	return w
}

func cutEnding(w []byte) []byte {
	last := w[len(w)-1]
	if int(last) >= len(endingsByLast) {
		return w
	}
	for _, e := range endingsByLast[last] {
		if n := len(w) - len(e); n >= minRoot && string(w[n:]) == e {
			return w[:n]
		}
	}
	return w
}
