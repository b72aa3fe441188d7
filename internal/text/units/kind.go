package units

import (
	"strings"

	"confab/internal/text"
)

const (
	maxCourtesy   = 18 // of content, where a word counts two and a pair of characters one
	maxAbstention = 44
	maxLeadIn     = 20
	maxSender     = 5 // words of a line below a greeting or a closing
	maxOpenings   = 4 // that are cut off a sentence
	maxGreeting   = 4 // words of a greeting
	minContrast   = 5 // words of a clause behind a "but"
	maxIntro      = 9 // words of "according to the passages, "
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
	words, content, figure := 0, 0, false
	for i := r.First; i < r.Last; i++ {
		if t := &p.tokens[i]; !t.Has(text.Marker) && (!t.Stop() || t.Has(text.Negation)) {
			words += 2 - int(t.Kind/text.Gram)
			if text.Foreign.IsContent(t) {
				content += 2 - int(t.Kind/text.Gram)
			}
		}
		figure = figure || p.isFigure(i) && !(i+1 < r.Last && lengthWords.Has(p.tokens[i+1].Hash))
	}
	tail, absence := p.tail(u), p.find(r, absent, silent)
	switch {
	case tail == '?':
		u.Kind = Question
	case !figure && content <= maxCourtesy && p.matchAt(r, courtesy):
		u.Kind = Courtesy
	case !figure && content <= maxLeadIn && p.matchAt(r, about):
		u.Kind = About
	case content <= maxAbstention && absence >= 0:
		if rest := p.beside(r, absence); rest.Len() > 0 {
			return rest
		}
		u.Kind = Abstention
	case !figure && u.Form == Sentence && content <= maxCourtesy && p.find(r, aside, aside) >= 0 && !p.hasName(r):
		u.Kind = Courtesy
	case !figure && p.signs(u, r, tail):
		u.Kind = Courtesy
	case tail == ':' && content <= maxLeadIn && !figure:
		u.Kind = LeadIn
	case words < 4 && !figure:
		u.Kind = Short
	}
	return r
}

// signs reports a line of a few words below a courtesy that is no sentence: the sender of a letter.
func (p *reader) signs(u *Unit, r text.Range, tail byte) bool {
	n := len(p.Units)
	return n > 0 && p.Units[n-1].Kind == Courtesy && r.Len() <= maxSender && u.Form == Sentence && !strings.ContainsRune(".!?:;", rune(tail)) &&
		strings.Contains(p.s[p.Units[n-1].End:u.Start], "\n") && int(u.End) == p.lineEnd(int(u.End)-1)
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

// find is the place of a phrase with the role, or with the role initial at the start; -1 for none.
func (p *reader) find(r text.Range, wanted, initial role) int32 {
	if p.matchAt(r, initial) {
		return r.First
	}
	for ; r.First < r.Last; r.First++ {
		if p.matchAt(r, wanted) {
			return r.First
		}
	}
	return -1
}

// beside is what the unit states beside an abstention at token i: the longer of the parts before and after its clause, if it has
// a figure or stands behind a "but".
func (p *reader) beside(r text.Range, i int32) text.Range {
	concession := p.tokens[r.First].Has(text.Contrast)
	before, after := text.Range{First: r.First, Last: r.First}, text.Range{First: r.Last, Last: r.Last}
	for k := r.First + 1; k < r.Last; k++ {
		if !p.startsClause(k, concession) {
			continue
		}
		if k <= i {
			before.Last = k
		} else if after.First == r.Last {
			after.First = k
		}
	}
	rest := after
	if before.Len() > after.Len() {
		rest = before
	}
	for k := rest.First; k < rest.Last; k++ {
		if p.isFigure(k) || (concession || p.tokens[rest.First].Has(text.Contrast)) && rest.Len() >= minContrast {
			return rest
		}
	}
	return text.Range{}
}

// startsClause reports a semicolon, a colon or a dash before token i, or a comma before a "but" or "only" or after a "while".
func (p *reader) startsClause(i int32, concession bool) bool {
	gap := text.Between(p.s, p.tokens[i-1].End, p.tokens[i].Start)
	if len(gap) < 2 {
		return false
	}
	return strings.ContainsAny(gap, ";:") || strings.Contains(gap, "–") || strings.Contains(gap, "—") ||
		gap[0] == ',' && (p.tokens[i].Has(text.Contrast) || concession || onlyWords.Has(p.tokens[i].Hash))
}

// hasName reports an address, or two words with capitals next to each other.
func (p *reader) hasName(r text.Range) bool {
	for i := r.First + 1; i < r.Last; i++ {
		if p.s[p.tokens[i].Start-1] == '@' || p.isName(i-1) && p.isName(i) {
			return true
		}
	}
	return false
}

func (p *reader) isName(i int32) bool {
	w := p.tokens[i].In(p.s)
	return len(w) > 1 && text.IsUpper(w[0]) && !text.IsUpper(w[1])
}

func (p *reader) isFigure(i int32) bool {
	t := &p.tokens[i]
	return !t.Has(text.Marker) && (t.Kind == text.Number || t.Has(text.Digits) || figureWords.Has(t.Hash))
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
