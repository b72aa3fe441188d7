package text

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Mark is a place of a text, with a class or number that is shown for it.
type Mark[C cmp.Ordered] struct {
	Start, End int // byte offsets
	Class      C
}

// Piece is a part of the text with the classes of all marks that cover it, sorted and each once.
type Piece[C cmp.Ordered] struct {
	Text    string
	Classes []C
}

// SplitMarked cuts the text at the borders of the marks. The pieces joined are the text. Offsets outside the text are
// moved to its ends, those inside a character to the character's ends.
func SplitMarked[C cmp.Ordered](text string, marks []Mark[C]) []Piece[C] {
	borders := []int{0, len(text)}
	whole := make([]Mark[C], 0, len(marks))
	for _, m := range marks {
		m.Start, m.End = max(0, min(m.Start, len(text))), max(0, min(m.End, len(text)))
		for m.Start > 0 && m.Start < len(text) && !utf8.RuneStart(text[m.Start]) {
			m.Start--
		}
		for m.End < len(text) && !utf8.RuneStart(text[m.End]) {
			m.End++
		}
		if m.Start < m.End {
			whole = append(whole, m)
			borders = append(borders, m.Start, m.End)
		}
	}
	slices.Sort(borders)
	borders = slices.Compact(borders)
	var pieces []Piece[C]
	for i := 1; i < len(borders); i++ {
		p := Piece[C]{Text: text[borders[i-1]:borders[i]]}
		for _, m := range whole {
			if m.Start <= borders[i-1] && borders[i] <= m.End {
				p.Classes = append(p.Classes, m.Class)
			}
		}
		slices.Sort(p.Classes)
		p.Classes = slices.Compact(p.Classes)
		pieces = append(pieces, p)
	}
	return pieces
}
