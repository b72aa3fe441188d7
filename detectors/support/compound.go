package support

// Lengths of compounds, in bytes.
const (
	minPart = 4 // of a part
	maxLink = 4 // letters between the stems of two parts: Verbind-ungs-stück, Katz-en-haltung
)

// compound reads a word as a compound of the words of one text, whose stems are added one by one.
type compound struct {
	stem       string
	head, tail int // end of the longest first part, start of the longest last part
}

// newCompound starts with the stem of a word.
func newCompound(stem string) compound { return compound{stem: stem, tail: len(stem)} }

// add reports whether the word is a part of the stem, or the stems so far are all of the word.
func (c *compound) add(stem string) bool {
	long, short := len(c.stem), len(stem)
	switch {
	case short < minPart || long < minPart:
		return false
	case short >= long+minPart:
		return hasLettersAt(stem, c.stem, 0) || hasLettersAt(stem, c.stem, short-long)
	case long < short+minPart:
		return false
	}
	if hasLettersAt(c.stem, stem, 0) {
		c.head = max(c.head, short)
	}
	if hasLettersAt(c.stem, stem, long-short) {
		c.tail = min(c.tail, long-short)
	}
	return c.head > 0 && c.tail < long && c.tail-c.head <= maxLink
}

// hasLettersAt reports whether s has the letters of part at the position, in either case.
func hasLettersAt(s, part string, at int) bool {
	for i := range len(part) {
		if (s[at+i]^part[i])&^0x20 != 0 {
			return false
		}
	}
	return true
}
