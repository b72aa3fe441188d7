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
	r = p.skipOpenings(r)
	if r.Len() == 0 {
		if u.Kind = Short; p.match(all, courtesy) > 0 || all.Len() > 1 {
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
		figure = figure || p.isFigure(i) && (i+1 == r.Last || !lengthWords.Has(p.tokens[i+1].Hash))
	}
	tail, absence := p.tail(u), p.find(r, absent, silent)
	switch {
	case !figure && content <= maxCourtesy && p.match(r, courtesy) > 0:
		u.Kind = Courtesy
	case tail == '?':
		u.Kind = Question
	case !figure && content <= maxLeadIn && p.match(r, about) > 0:
		u.Kind = About
	case content <= maxAbstention && absence >= 0:
		if rest := p.beside(r, absence); rest.Len() > 0 {
			return rest
		}
		u.Kind = Abstention
	case !figure && u.Form == Sentence && content <= maxCourtesy && (p.find(r, aside, aside) >= 0 && !p.hasName(r) || p.signs(u, r, tail)):
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
	return n > 0 && p.Units[n-1].Kind == Courtesy && r.Len() <= maxSender && strings.IndexByte(".!?:;", tail) < 0 &&
		strings.Contains(p.s[p.Units[n-1].End:u.Start], "\n")
}

// tail is the last character of the unit before closing marks, of those that matter.
func (p *reader) tail(u *Unit) byte {
	s := p.s[u.Start:u.End]
	for n := len(s); n > 0 && strings.IndexByte(" *_)\"'\t\r\n", s[n-1]) >= 0 || strings.HasSuffix(s, "\u00a0"); n = len(s) {
		s = strings.TrimSuffix(s[:n-1], "\xc2")
	}
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
func (p *reader) skipOpenings(r text.Range) text.Range {
	for range maxOpenings {
		n := p.match(r, opener)
		next := p.separated(r, n, n)
		if next == r.First {
			next = p.separated(r, p.match(r, greeting), maxGreeting)
		}
		if next == r.First {
			next = p.separated(r, p.match(r, intro), maxIntro)
			if !p.namesSource(r.First, next) {
				break
			}
		}
		r.First = next
	}
	return r
}

// separated is the first token after at least n and at most limit tokens that a mark separates, or the end; r.First for none.
func (p *reader) separated(r text.Range, n, limit int32) int32 {
	for i := r.First + n; n > 0 && i <= min(r.First+limit, r.Last); i++ {
		if i == r.Last || p.marked(i, ",.:!;–—，！。") || strings.Contains(p.gap(i), " - ") {
			return i
		}
	}
	return r.First
}

// gap is what stands between token i and the one before it.
func (p *reader) gap(i int32) string { return text.Between(p.s, p.tokens[i-1].End, p.tokens[i].Start) }

// marked reports one of the marks before token i.
func (p *reader) marked(i int32, marks string) bool {
	gap := p.gap(i)
	return gap != " " && gap != "" && strings.ContainsAny(gap, marks)
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
	if p.match(r, initial) > 0 {
		return r.First
	}
	for ; r.First < r.Last; r.First++ {
		if p.match(r, wanted) > 0 {
			return r.First
		}
	}
	return -1
}

// beside is what the unit states before or after the clause of an abstention at token i: nothing, unless it has a figure or a
// "but" or "while" joins them.
func (p *reader) beside(r text.Range, i int32) text.Range {
	concession := p.tokens[r.First].Has(text.Contrast)
	first, last := r.First, r.Last
	for k := r.First + 1; k < last; k++ {
		contrast := concession || p.tokens[k].Has(text.Contrast) || onlyWords.Has(p.tokens[k].Hash)
		if p.marked(k, ";:–—；：") || contrast && p.marked(k, ",，") {
			if k <= i {
				first = k
			} else {
				last = k
			}
		}
	}
	rest := text.Range{First: last, Last: r.Last}
	if first-r.First > r.Last-last {
		rest = text.Range{First: r.First, Last: first}
	}
	joined := rest.Len() >= minContrast && (concession || p.tokens[rest.First].Has(text.Contrast))
	for k := rest.First; k < rest.Last; k++ {
		if joined || p.isFigure(k) {
			return rest
		}
	}
	return text.Range{}
}

// hasName reports an address, or two words with capitals next to each other.
func (p *reader) hasName(r text.Range) bool {
	name := false
	for i := r.First; i < r.Last; i++ {
		w, before := p.tokens[i].In(p.s), name
		name = len(w) > 1 && text.IsUpper(w[0]) && !text.IsUpper(w[1]) && text.Foreign.IsContent(&p.tokens[i])
		if name && before || i > r.First && p.marked(i, "@") {
			return true
		}
	}
	return false
}

func (p *reader) isFigure(i int32) bool {
	t := &p.tokens[i]
	return !t.Has(text.Marker) && (t.Kind == text.Number || t.Has(text.Digits) || figureWords.Has(t.Hash))
}

// match is the length of the longest phrase with the role at the start of r, 0 for none.
func (p *reader) match(r text.Range, wanted role) (longest int32) {
	if r.Len() == 0 || phrases.roles[p.tokens[r.First].Hash>>filterShift]&wanted == 0 {
		return 0
	}
	list := phrases.first[p.tokens[r.First].Hash]
	for i := range list {
		if q := &list[i]; q.roles&wanted != 0 {
			longest = max(longest, int32(matchWords(q.words, p.tokens[r.First:r.Last])))
		}
	}
	return longest
}
