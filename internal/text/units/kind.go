package units

import (
	"strings"

	"confab/internal/text"
)

const (
	maxCourtesy   = 9  // content words of a courtesy
	maxAbstention = 22 // content words of an abstention
	maxLeadIn     = 10 // content words of a lead-in
	maxOpenings   = 4  // that are cut off a sentence
	maxGreeting   = 4  // words of a greeting
	maxIntro      = 9  // words of "according to the passages, "
)

// classify sets the kind of the unit, whose tokens are r, and returns r without short openings.
func (p *reader) classify(u *Unit, r text.Range) text.Range {
	all := r
	r = p.skipOpenings(r, int(u.End))
	if r.Len() == 0 {
		if u.Kind = Short; p.matchAt(all, courtesy) || all.Len() > 1 {
			u.Kind = Courtesy
		}
		return all
	}
	content, figure := 0, false
	for i := r.First; i < r.Last; i++ {
		t := &p.tokens[i]
		if t.Has(text.Marker) {
			continue
		}
		if !t.Stop() || t.Has(text.Negation) {
			content++
		}
		figure = figure || t.Kind == text.Number || t.Has(text.Digits) || figureWords.Has(t.Hash)
	}
	tail := p.tail(u)
	switch {
	case tail == '?':
		u.Kind = Question
	case !figure && content <= maxCourtesy && (p.matchAt(r, courtesy) || p.matchAt(all, courtesy)):
		u.Kind = Courtesy
	case !figure && content <= maxLeadIn && p.matchAt(r, about):
		u.Kind = About
	case content <= maxAbstention && p.abstains(r):
		u.Kind = Abstention
	case tail == ':' && content <= maxLeadIn && !figure:
		u.Kind = LeadIn
	case content < 2 && !figure:
		u.Kind = Short
	}
	return r
}

// tail is the last character of the unit before closing marks, of those that matter.
func (p *reader) tail(u *Unit) byte {
	s := strings.TrimRight(p.s[u.Start:u.End], " *_)\"'\u00a0\t\r\n")
	switch {
	case s == "":
		return 0
	case strings.HasSuffix(s, "？") || strings.HasSuffix(s, "؟"):
		return '?'
	case strings.HasSuffix(s, "："):
		return ':'
	default:
		return s[len(s)-1]
	}
}

// skipOpenings drops "No,", "Hi Anna,", "According to the passages," and the like before a statement.
func (p *reader) skipOpenings(r text.Range, end int) text.Range {
	for range maxOpenings {
		next := p.opening(r, end)
		if next == r.First {
			break
		}
		r.First = next
	}
	return r
}

// opening is the token after the opening at the start of r, r.First for none.
func (p *reader) opening(r text.Range, end int) int32 {
	if r.Len() == 0 {
		return r.First
	}
	roles := phrases.rolesOf(p.tokens[r.First].Hash)
	if roles&(opener|greeting|intro) == 0 {
		return r.First
	}
	if n := p.match(r, opener); n > 0 && p.separates(r, r.First+n, end) {
		return r.First + n
	}
	if n := p.match(r, greeting); n > 0 {
		return p.separated(r, n, maxGreeting, end)
	}
	if n := p.match(r, intro); n > 0 {
		if next := p.separated(r, n, maxIntro, end); next > r.First && p.namesSource(r.First, next) {
			return next
		}
	}
	return r.First
}

// separated is the first token after at least n and at most limit tokens that a mark separates, r.First for none.
func (p *reader) separated(r text.Range, n, limit int32, end int) int32 {
	for ; n <= limit && n <= int32(r.Len()); n++ {
		if p.separates(r, r.First+n, end) {
			return r.First + n
		}
	}
	return r.First
}

// separates reports a mark between the token before i and the i-th, or that the unit ends there.
func (p *reader) separates(r text.Range, i int32, end int) bool {
	if i == r.Last {
		return true
	}
	gap := text.Between(p.s, p.tokens[i-1].End, p.tokens[i].Start)
	return gap != " " && gap != "" && (strings.ContainsAny(gap, ",.:!;") || strings.Contains(gap, " - ") ||
		strings.Contains(gap, "–") || strings.Contains(gap, "—") || strings.Contains(gap, "，") || strings.Contains(gap, "！") || strings.Contains(gap, "。"))
}

// namesSource reports a word for the sources, or a citation, among the tokens.
func (p *reader) namesSource(first, last int32) bool {
	found := false
	for i := first; i < last; i++ {
		t := &p.tokens[i]
		switch {
		case t.Has(text.SourceNoun|text.DocumentNoun|text.Marker) || sourceHeaders.Has(t.Hash):
			found = true
		case t.Kind == text.Number && !p.tokens[i-1].Has(text.SourceNoun):
			return false
		}
	}
	return found
}

// abstains reports that the sentence says that the sources or the speaker do not know.
func (p *reader) abstains(r text.Range) bool {
	for ; r.First < r.Last; r.First++ {
		if phrases.rolesOf(p.tokens[r.First].Hash)&absent != 0 && p.match(r, absent) > 0 {
			return true
		}
	}
	return false
}

// matchAt reports a phrase with the role at the start of r.
func (p *reader) matchAt(r text.Range, wanted role) bool {
	return r.Len() > 0 && phrases.rolesOf(p.tokens[r.First].Hash)&wanted != 0 && p.match(r, wanted) > 0
}

// match is the length of the longest phrase with the role at the start of r, 0 for none.
func (p *reader) match(r text.Range, wanted role) (longest int32) {
	list := phrases.first[p.tokens[r.First].Hash]
	for i := range list {
		if q := &list[i]; q.roles&wanted != 0 {
			longest = max(longest, q.length(p.tokens[r.First:r.Last]))
		}
	}
	return longest
}
