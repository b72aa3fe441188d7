package figures

import "confab/internal/text"

// UnitNamed returns the unit that a word names, such as "kg", "hours" or "usd"; ok is false for another word.
func UnitNamed(word *text.Token) (u Unit, ok bool) {
	u, ok = units[word.Hash]
	return u, ok
}
