package facts

import (
	"strings"

	index "confab/internal/evidence"
	"confab/internal/text"
	"confab/schemas"
)

func swappedName() Rule {
	return Rule{
		ID:     "name_swapped",
		Doc:    "the words of a source with another name in its place",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Factual,
		Weight: .9,
		Check:  checkSwappedName,
		Examples: []Example{
			{
				Source: "In Harlan v. Brent Mills, 512 F.3d 118 (7th Cir. 2008), the court held that a notice by e-mail is sufficient.",
				Answer: "In Sutter v. Jonas, 512 F.3d 118 (7th Cir. 2008), the court held that notice by e-mail is sufficient.", Fires: "Jonas",
			},
			{Source: "The agreement was signed by Vorn Corporation and Hale Limited in May.", Answer: "The agreement was signed by Vorn Corp. and Hale Ltd. in May."},
		},
	}
}

//nolint:gochecknoglobals // a read-only table
var titles = text.HashSet("mr mrs ms miss dr prof sir herr frau monsieur madame senor senora sra")

// maxOwn is how many content words of its own a claim may have beside the words of the unit.
const maxOwn = 2

// checkSwappedName accuses a name between aligned words where the unit has another one.
func checkSwappedName(e *evidence, c *piece) []Verdict {
	if words := e.answer.of(c); words[0].Figure >= 0 {
		return nil // a numbered step
	}
	for _, m := range e.matchesOf(c) {
		for i := range m.slots {
			if a, b := e.swapped(c, &m, &m.slots[i]); a != nil {
				return e.one(c, a, m.piece, b)
			}
		}
	}
	return nil
}

// swapped are the names of a slot that stand for each other, nil for none.
func (e *evidence) swapped(c *piece, m *match, s *slot) (a, b *word) {
	if m.skipped > maxSkipped || s.place != inner || !m.isClose(s, maxOwn) || len(s.source) > 3 || len(s.claim) > 2 {
		return nil, nil
	}
	a, b = nameOf(s.claim), nameOf(s.source)
	if a == nil || b == nil || b.Has(index.Head) || !e.areOther(c, m.piece, a, b) {
		return nil, nil
	}
	return a, b
}

// areOther reports names of which neither stands for the other, and of which the other text has none.
func (e *evidence) areOther(c, p *piece, a, b *word) bool {
	return !e.isKnown(a) && !hasStem(e.sources.of(p), a.Key) && !hasStem(e.answer.of(c), b.Key) && !isShort(e.text[a.Start:a.End], e.in(p, b))
}

// nameOf is the first of at most two names among the words, nil if they say something else.
func nameOf(words []word) (name *word) {
	for i := range words {
		w := &words[i]
		switch {
		case !content(w), titles.Has(w.Key):
		case !w.Has(index.Capital) || w.Figure >= 0 || i > 1 && name != nil:
			return nil
		case name == nil:
			name = w
		}
	}
	return name
}

// isShort reports names of which one is short for the other.
func isShort(a, b string) bool {
	a, b = strings.ToLower(a), strings.ToLower(b)
	return len(a) < 2 || len(b) < 2 || strings.HasSuffix(a, b) || strings.HasSuffix(b, a) || len(b) < 2 || a[0] == b[0] && (strings.HasPrefix(a, b[:2]) || len(a) <= 3 || len(b) <= 3)
}
