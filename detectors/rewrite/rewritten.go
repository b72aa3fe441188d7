package rewrite

import (
	"sort"
	"strings"
)

// splice replaces bytes of the answer.
type splice struct {
	Start, End int
	Text       string
}

// rewrittenText is an answer after splices, with the way back to the original.
type rewrittenText struct {
	Text   string
	pieces []keptPiece
}

// keptPiece is a run of the original.
type keptPiece struct{ at, origin, size int }

// applySplices applies the splices, ordered and without overlap.
func applySplices(s string, splices []splice) rewrittenText {
	var b strings.Builder
	var r rewrittenText
	from := 0
	keep := func(to int) {
		if to > from {
			r.pieces = append(r.pieces, keptPiece{b.Len(), from, to - from})
			b.WriteString(s[from:to])
		}
	}
	for _, p := range splices {
		if p.Start < from || p.End < p.Start || p.End > len(s) {
			continue
		}
		keep(p.Start)
		b.WriteString(p.Text)
		from = p.End
	}
	keep(len(s))
	r.Text = b.String()
	return r
}

// originOf returns the range of the original that the range of the new text comes from; ok is false if none does.
func (r *rewrittenText) originOf(start, end int) (from, to int, ok bool) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].at+r.pieces[i].size > start })
	for ; i < len(r.pieces) && r.pieces[i].at < end; i++ {
		p := r.pieces[i]
		low, high := p.origin+max(0, start-p.at), p.origin+min(p.size, end-p.at)
		if !ok {
			from = low
		}
		to, ok = high, true
	}
	return from, to, ok
}

// keptAt reports whether the byte of the original is in the new text, and where.
func (r *rewrittenText) keptAt(origin int) (at int, ok bool) {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].origin+r.pieces[i].size > origin })
	if i == len(r.pieces) || r.pieces[i].origin > origin {
		return 0, false
	}
	return r.pieces[i].at + origin - r.pieces[i].origin, true
}
