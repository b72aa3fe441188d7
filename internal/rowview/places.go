package rowview

import (
	"cmp"
	"reflect"
	"slices"
)

// MarkedPiece is a piece of a text with the marks whose last piece it is.
type MarkedPiece struct {
	Text  string
	Marks []int
	Ends  []int
}

// EndingMarks returns the pieces of a text with the marks that end at each.
func EndingMarks(t Text) []MarkedPiece {
	pieces := make([]MarkedPiece, len(t.Pieces))
	for i, p := range t.Pieces {
		pieces[i] = MarkedPiece{Text: p.Text, Marks: p.Marks}
		for _, m := range p.Marks {
			if i+1 == len(t.Pieces) || !slices.Contains(t.Pieces[i+1].Marks, m) {
				pieces[i].Ends = append(pieces[i].Ends, m)
			}
		}
	}
	return pieces
}

// PlaceFindings are the findings of one place, and the different passages that it was compared with.
type PlaceFindings struct {
	Number   int
	Findings []Finding
	Passages []*Passage
}

// GroupFindings groups findings by place, in the order of their numbers.
func GroupFindings(findings []Finding) (groups []PlaceFindings) {
	sorted := slices.Clone(findings)
	slices.SortStableFunc(sorted, func(a, b Finding) int { return cmp.Compare(a.Number, b.Number) })
	for _, f := range sorted {
		if len(groups) == 0 || groups[len(groups)-1].Number != f.Number {
			groups = append(groups, PlaceFindings{Number: f.Number})
		}
		g := &groups[len(groups)-1]
		g.Findings = append(g.Findings, f)
		if f.Passage != nil && !slices.ContainsFunc(g.Passages, func(p *Passage) bool { return reflect.DeepEqual(p, f.Passage) }) {
			g.Passages = append(g.Passages, f.Passage)
		}
	}
	return groups
}
