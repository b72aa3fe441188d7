package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
	"confab/detectors/figureindex"
	"confab/detectors/support"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/internal/text/figures"
)

// nameCost is the cost of a possible name, in units of [detectors.Work].
const nameCost = 10

// Weights of names in neither sources nor prompt.
const (
	weightName     = 0.4
	weightFullName = 0.5 // two or more words, all missing
)

// maxNameScans is the maximum of scans of all source words per answer.
const maxNameScans = 100

// checkNames checks the names of the claim: capitalized words that do not just start a sentence.
func (x *Check) checkNames(d *detectors.Document, c *textclaims.Claim, found []figures.Figure) {
	tokens, s := d.Tokens(), d.Text()
	x.work.Spend(int(c.Last-c.First) / 2)
	if x.findCapitals(s, tokens, c) {
		return
	}
	cost := 1 + len(found)/detectors.ScanRows // of a word
	t := c.First
	for _, start := range x.capitals {
		if start < t || !isName(s, tokens, start, found) {
			continue
		}
		if !x.work.Spend(int(start-t+1) * cost) {
			return
		}
		last := start + 1
		for last < c.Last && joinsName(text.Between(s, tokens[last-1].End, tokens[last].Start)) && isName(s, tokens, last, found) {
			last++
		}
		x.checkName(d, start, last)
		t = last
	}
	x.work.Spend(int(c.Last-t) * cost)
}

// findCapitals lists the words of the claim that may be names by their first byte, and reports a title or heading, in which
// capitals do not mark names.
func (x *Check) findCapitals(s string, tokens []text.Token, c *textclaims.Claim) (isTitle bool) {
	x.capitals = x.capitals[:0]
	upper, words := 0, 0
	for i := c.First; i < c.Last; i++ {
		t := &tokens[i]
		if t.Kind != text.Word || t.Stop() {
			continue
		}
		words++
		switch first := s[t.Start]; {
		case text.IsUpper(first):
			upper++
			x.capitals = append(x.capitals, i)
		case first >= utf8.RuneSelf:
			x.capitals = append(x.capitals, i)
		}
	}
	return words > 3 && upper*4 > words*3
}

func joinsName(gap string) bool { return gap == " " || gap == "-" || gap == ". " || gap == "'" }

// isName reports a capitalized word that is not a stop word, a title or part of a figure.
func isName(s string, tokens []text.Token, i int32, found []figures.Figure) bool {
	t := &tokens[i]
	if t.Kind != text.Word || t.Stop() || t.Has(text.Marker) || t.End-t.Start < 2 || !startsUpper(s[t.Start:]) {
		return false
	}
	for k := range found {
		if i >= found[k].First && i < found[k].Last {
			return false
		}
	}
	return !courtesyTitles.Has(t.Hash)
}

func startsUpper(s string) bool {
	if s[0] < utf8.RuneSelf {
		return text.IsUpper(s[0])
	}
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

//nolint:gochecknoglobals // a read-only table
var courtesyTitles = text.HashSet("mr mrs ms miss dr sir lord lady st am pm tv tvs ok ii iii iv vi vii viii ix")

// checkName checks the words of the name first..last. The first word of a sentence counts only together with the next.
func (x *Check) checkName(d *detectors.Document, first, last int32) {
	tokens := d.Tokens()
	x.work.Spend(nameCost)
	begins := beginsLine(d.Text()[:tokens[first].Start])
	if begins && last == first+1 {
		return
	}
	x.Checked++
	missing, from := x.unknownWords(d, first, last, begins)
	if missing == 0 || x.cells.NamesKey(from) || x.abbreviated(d, first, last) || x.isKnownMissing(d, first, from) {
		return
	}
	if after := strings.TrimLeft(d.Text()[tokens[last-1].End:], "*_ "); strings.HasPrefix(after, ":") {
		return // a label before a colon
	}
	weight := float32(weightName)
	if missing > 1 && missing == last-first {
		weight = weightFullName
	}
	x.Add(figureindex.Finding{Kind: figureindex.Name, Start: tokens[from].Start, End: tokens[last-1].End, Weight: weight, Source: -1})
}

// isKnownMissing reports a name that is already a finding or that abbreviates the answer's own words ("cardiothoracic
// ratio (CTR)").
func (x *Check) isKnownMissing(d *detectors.Document, first, from int32) bool {
	tokens := d.Tokens()
	for i := range x.List {
		if !x.work.Spend(1 + int(x.List[i].End-x.List[i].Start)/detectors.SearchBytes) {
			return true
		}
		if f := &x.List[i]; f.Kind == figureindex.Name && strings.Contains(d.Text()[f.Start:f.End], tokens[from].In(d.Text())) {
			return true
		}
	}
	word := tokens[first].In(d.Text())
	n := int32(len(word))
	if n < 2 || n > 6 || first < n || !strings.HasSuffix(d.Text()[:tokens[first].Start], "(") {
		return false
	}
	for i := range n {
		if d.Text()[tokens[first-n+i].Start]|0x20 != word[i]|0x20 {
			return false
		}
	}
	return true
}

// beginsLine reports whether the text ends before the start of a sentence or list item.
func beginsLine(before string) bool {
	before = withoutOpening(before)
	return before == "" || strings.HasSuffix(before, "\u2022") || strings.IndexByte(".!?:;\n-+|>)", before[len(before)-1]) >= 0
}

// withoutOpening cuts off the spaces and signs that may stand between the end of a sentence and the next one.
func withoutOpening(s string) string {
	for s != "" {
		switch s[len(s)-1] {
		case ' ', '\t', '"', '\'', '(', '*', '_', '#':
			s = s[:len(s)-1]
			continue
		}
		opening, found := strings.CutSuffix(s, "\u201c")
		if !found {
			break
		}
		s = opening
	}
	return s
}

// unknownWords counts the unknown words of the name and returns the first of them.
func (x *Check) unknownWords(d *detectors.Document, first, last int32, begins bool) (missing, from int32) {
	from = last
	for t := last - 1; t >= first; t-- {
		if t == first && begins && missing == 0 {
			break
		}
		if x.unknownName(d, t) {
			missing++
			from = t
		}
	}
	return missing, from
}

// unknownName reports a word that is in neither sources nor prompt, not even with another ending.
func (x *Check) unknownName(d *detectors.Document, i int32) bool {
	if !support.Of(d).IsMissing(i) {
		return false
	}
	if x.scans++; x.scans > maxNameScans {
		x.Truncated = true
		return false
	}
	t := &d.Tokens()[i]
	word := t.In(d.Text())
	prompt := figureindex.PromptOf(d).Words
	x.work.Spend(len(prompt)/detectors.ScanRows + len(d.SourceTokens())/2)
	for k := range prompt {
		if w := &prompt[k]; w.Stem == t.Stem {
			return false
		}
	}
	return !x.holdsSimilar(d, word)
}

// holdsSimilar reports whether a source has the name with another ending.
func (x *Check) holdsSimilar(d *detectors.Document, name string) bool {
	if len(name) < minSimilar {
		return false
	}
	sources, sentences, first := d.SourceTokens(), d.AllSourceSentences(), name[0]|0x20
	for s := range sentences {
		sentence := &sentences[s]
		source := d.Source(int(sentence.Source))
		for k := sentence.First; k < sentence.Last; k++ {
			if w := &sources[k]; source[w.Start]|0x20 == first && similarNames(name, w.In(source)) {
				return true
			}
		}
	}
	return false
}

// minSimilar is the least length of names that may differ in an ending, and of what they share.
const minSimilar = 4

// similarNames reports words that differ in a short ending: Italy and Italian, Johnson's and Johnsons.
func similarNames(a, b string) bool {
	short := min(len(a), len(b))
	if short < minSimilar || a[0]|0x20 != b[0]|0x20 || max(len(a), len(b))-short > 4 {
		return false
	}
	n := 0
	for n < short && a[n]|0x20 == b[n]|0x20 {
		n++
	}
	return n >= minSimilar && n >= short-1
}
