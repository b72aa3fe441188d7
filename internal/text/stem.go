package text

import "bytes"

// cutEnglish cuts English inflections off a folded ASCII word in place: possessive, plural, -ing, -ed and -ly, then a final
// e and a doubled final consonant; y becomes i. Unlike Porter's stemmer it keeps derivations: "organize" and "organization"
// have different stems. At least three letters stay.
func cutEnglish(w []byte) []byte {
	if n := len(w); n > 3 && w[n-1] == 's' && w[n-2] == '\'' {
		w = w[:n-2]
	}
	if len(w) <= 3 {
		return w
	}
	w = cutPlural(w)
	w = cutVerbEnding(w)
	return normalizeStem(w)
}

// MayBeInflected reports whether a word with these last two letters, in lower case, may differ from its stem.
func MayBeInflected(last2, last byte) bool {
	switch last {
	case 's', 'e', 'y', '\'':
		return true
	case 'd':
		return last2 == 'e' || last2 == 'd'
	case 'g':
		return last2 == 'n' || last2 == 'g'
	default:
		return last == last2
	}
}

func cutPlural(w []byte) []byte {
	n := len(w)
	if w[n-1] != 's' {
		return w
	}
	switch {
	case n > 4 && bytes.HasSuffix(w, []byte("ies")):
		return append(w[:n-3], 'y')
	case n > 4 && (bytes.HasSuffix(w, []byte("sses")) || bytes.HasSuffix(w, []byte("xes")) || bytes.HasSuffix(w, []byte("zes")) ||
		bytes.HasSuffix(w, []byte("ches")) || bytes.HasSuffix(w, []byte("shes"))):
		return w[:n-2]
	case w[n-2] == 's' || w[n-2] == 'u' || w[n-2] == 'i':
		return w
	default:
		return w[:n-1]
	}
}

func cutVerbEnding(w []byte) []byte {
	n := len(w)
	switch {
	case n > 5 && bytes.HasSuffix(w, []byte("ing")) && hasVowel(w[:n-3]):
		return w[:n-3]
	case n > 4 && bytes.HasSuffix(w, []byte("ied")):
		return append(w[:n-3], 'y')
	case n > 4 && bytes.HasSuffix(w, []byte("eed")):
		return w[:n-1]
	case n > 4 && bytes.HasSuffix(w, []byte("ed")) && hasVowel(w[:n-2]):
		return w[:n-2]
	case n > 5 && bytes.HasSuffix(w, []byte("ily")):
		return append(w[:n-3], 'y')
	case n > 5 && bytes.HasSuffix(w, []byte("ly")):
		return w[:n-2]
	default:
		return w
	}
}

// normalizeStem gives different inflections the same stem: make and mak(ing), run and runn(ing), carry and carri(ed).
func normalizeStem(w []byte) []byte {
	n := len(w)
	if n > 3 && w[n-1] == 'e' {
		n--
	}
	if n > 3 && w[n-1] == w[n-2] && !isVowel(w[n-1]) {
		n--
	}
	if n > 3 && w[n-1] == 'y' {
		w[n-1] = 'i'
	}
	return w[:n]
}

func hasVowel(w []byte) bool {
	for _, c := range w {
		if isVowel(c) || c == 'y' {
			return true
		}
	}
	return false
}

func isVowel(c byte) bool { return c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u' }
