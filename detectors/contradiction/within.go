package contradiction

import (
	"math/bits"
	"strings"

	"confab/detectors"
	"confab/internal/text"
)

const (
	maxSentences = 64 // of an answer that are compared with each other
	maxReminder  = 7  // tokens
	yearDigits   = 4
)

// WithinAnswer returns the first sentence that contradicts an earlier one of the same answer: both have the same subject,
// one has all words of the other, and one word is negated, opposite, or another figure. Sentences that report, suppose or
// list options are not compared.
func (x *Check) WithinAnswer(d *detectors.Document) (found Finding, ok bool) {
	sentences := d.Sentences()
	if len(sentences) < 2 || d.MatchMode() == text.Foreign {
		return Finding{}, false
	}
	n := min(len(sentences), maxSentences)
	if !d.Work().Spend(len(d.Tokens())/detectors.ScanRows + n*n/detectors.ScanRows) {
		return Finding{}, false
	}
	x.later = 0
	for i := range n {
		x.signatures[i] = signatureOf(d, i)
		for k := range i {
			if !alike(x.signatures[k], x.signatures[i]) {
				continue
			}
			if found, ok = x.comparePair(d, k, i); ok {
				return found, true
			}
		}
	}
	return Finding{}, false
}

// signatureOf is a set of the content words of the i-th sentence, by hash; 0 unless it ends in a full stop: questions, list
// items and lines of code are not compared.
func signatureOf(d *detectors.Document, i int) (set uint64) {
	r, span := statementOf(d, i), d.Sentences()[i]
	if end := d.Answer()[span.End-1]; end != '.' && end != '!' || r.Len() > maxTokens {
		return 0
	}
	tokens := d.Tokens()
	for t := r.First; t < r.Last; t++ {
		if !tokens[t].Stop() && tokens[t].Kind != text.Gram {
			set |= presenceBit(tokens[t].Stem)
		}
	}
	return set
}

// alike reports sentences that share all words of the shorter one but one.
func alike(a, b uint64) bool {
	shared := bits.OnesCount64(a & b)
	return shared > 0 && shared >= min(bits.OnesCount64(a), bits.OnesCount64(b))-1
}

// comparePair compares the later sentence with the earlier one.
func (x *Check) comparePair(d *detectors.Document, earlier, later int) (found Finding, ok bool) {
	if !x.readSentences(d, earlier, later) {
		return Finding{}, false
	}
	d.Work().Spend(len(x.claim.words) * len(x.source.words) / detectors.ScanRows)
	x.alignWords()
	x.selectPart(0, len(x.claim.words))
	if x.matches < leastMatches || !x.sameSubject() {
		return Finding{}, false
	}
	k, ok := x.otherFigure()
	if !ok {
		k, ok = x.findDenial()
	}
	if !ok {
		return Finding{}, false
	}
	a, b := d.Sentences()[earlier], d.Sentences()[later]
	found = Finding{
		Kind: k.kind, Start: int(b.Start), End: int(b.End),
		Source: -1, SourceStart: int(a.Start), SourceEnd: int(a.End),
	}
	x.setQuote(&found, k)
	return found, true
}

// readSentences reads two sentences of the answer and reports whether both assert something.
func (x *Check) readSentences(d *detectors.Document, earlier, later int) bool {
	a, b := statementOf(d, earlier), statementOf(d, later)
	answer := d.Answer()
	if !d.Work().Spend(tokenCost * (a.Len() + b.Len())) {
		return false
	}
	x.within = true
	if x.later != later { // it is compared with many
		x.claim.readTokens(answer, d.Tokens(), b.First, b.Last)
		x.later, x.states = later, !x.claim.ended && x.claim.states() && !hasQuotation(d.Sentences()[later].In(answer))
	}
	if !x.states || hasQuotation(d.Sentences()[earlier].In(answer)) {
		return false
	}
	x.source.readTokens(answer, d.Tokens(), a.First, a.Last)
	return !x.source.ended && x.source.states()
}

// hasQuotation reports quotation marks in a sentence, a row of a table, or words after a colon.
func hasQuotation(sentence string) bool {
	for _, mark := range [...]string{`"`, "“", "”", "«", "»", "|", ": ", ":\n"} {
		if strings.Contains(sentence, mark) { // one search for all characters decodes each of the sentence
			return true
		}
	}
	return strings.HasSuffix(sentence, ":")
}

// findDenial returns the change between two sentences of which one has all words of the other.
func (x *Check) findDenial() (k change, ok bool) {
	if x.otherTime() || x.matches < x.content && !x.sourceShared() {
		return change{}, false
	}
	k, ok = x.findChange()
	return k, ok && (k.kind != Negation || x.deniesAll(k))
}

// statementOf is the range of tokens of the sentence without a reminder before it: "Please note that", "Guests should note
// that", but not "critics note that".
func statementOf(d *detectors.Document, sentence int) text.Range {
	r, tokens, reminds := d.SentenceTokens(sentence), d.Tokens(), false
	for t := r.First; t < min(r.Last, r.First+maxReminder); t++ {
		switch {
		case reminds && tokens[t].Hash == hashThat:
			return text.Range{First: t + 1, Last: r.Last}
		case reminders.Has(tokens[t].Hash):
			reminds = true
		case !reminderParts.Has(tokens[t].Hash) && (t > r.First || t+1 == r.Last || tokens[t+1].Hash != hashShould):
			return r
		}
	}
	return r
}

// states reports a sentence that asserts something itself.
func (p *phrase) states() bool {
	for i := range p.words {
		if p.words[i].before&(hasDoubt|hasSome) != 0 && (p.words[i].before&hasDoubt != 0 || i == 0 && p.words[i].before&hasNegation == 0) {
			return p.words[i].before&hasDoubt == 0 && p.negatedAfter(i)
		}
	}
	return len(p.words) > 0
}

// negatedAfter reports a negation after word i: "Some … did not".
func (p *phrase) negatedAfter(i int) bool {
	for k := i + 1; k < len(p.words); k++ {
		if p.words[k].before&hasNegation != 0 {
			return true
		}
	}
	return false
}

// sameSubject reports whether the sentences start with the same content word.
func (c *comparison) sameSubject() bool {
	first := 0
	for first < len(c.claim.words) && c.claim.words[first].light {
		first++
	}
	if first == len(c.claim.words) {
		return false
	}
	j := int(c.aligned[first])
	if j < 0 || directionOf(&c.claim.words[first], &c.source.words[j]) < 0 {
		return false
	}
	for k := range j {
		if !c.source.words[k].light {
			return false
		}
	}
	return true
}

// sourceShared reports whether the claim has all content words of the source.
func (c *comparison) sourceShared() bool {
	for j := range c.source.words {
		if c.claimed[j] < 0 && !c.source.words[j].light {
			return false
		}
	}
	return true
}

// deniesAll reports whether the other sentence has all words of the negated one: "the plan has no phone support" says
// nothing of other support.
func (c *comparison) deniesAll(k change) bool {
	if c.claim.words[k.claim].before&hasNegation != 0 {
		return c.matches == c.content
	}
	return c.sourceShared()
}

// otherTime reports a word of time that one sentence has and the other lacks: a year, a day, "before", "if".
func (c *comparison) otherTime() bool {
	for i := range c.claim.words {
		if c.aligned[i] < 0 && c.claim.isTime(i) {
			return true
		}
	}
	for j := range c.source.words {
		if c.claimed[j] < 0 && c.source.isTime(j) {
			return true
		}
	}
	return false
}

func (p *phrase) isTime(i int) bool {
	w := &p.words[i]
	t := &p.tokens[w.token]
	return w.kind&timeWord != 0 || w.light && w.sign != 0 || t.Kind == text.Number && t.End-t.Start == yearDigits
}

// otherFigure returns the only word of the later sentence that the earlier one lacks, if it is a figure where the earlier
// one has another, in a sentence about something that has one figure.
func (c *comparison) otherFigure() (k change, ok bool) {
	i := c.onlyMissing()
	if i < 1 || c.aligned[i-1] < 0 {
		return change{}, false
	}
	j := int(c.aligned[i-1]) + 1
	if j >= len(c.source.words) || c.claimed[j] >= 0 {
		return change{}, false
	}
	a, b := &c.claim.words[i], &c.source.words[j]
	switch {
	case !a.isFigure() || a.before != b.before || a.figure != b.figure || a.kind&timeWord != b.kind&timeWord,
		a.before&(hasAtLeast|hasAtMost) != 0,
		i+1 < len(c.claim.words) && a.before&hasBe != 0 && int(c.aligned[i+1]) != j+1: // another unit
		return change{}, false
	}
	return change{Figures, i, j}, true
}

// onlyMissing is the only content word of the claim that the source lacks, in a sentence about something that has one
// figure; -1 for none.
func (c *comparison) onlyMissing() int {
	missing, unique := -1, false
	for i := range c.claim.words {
		w := &c.claim.words[i]
		unique = unique || w.kind&uniqueWord != 0
		if c.aligned[i] >= 0 || w.light {
			continue
		}
		if missing >= 0 {
			return -1
		}
		missing = i
	}
	if !unique {
		return -1
	}
	return missing
}

func (w *word) isFigure() bool { return w.figure || w.kind&timeWord != 0 }

// asserted reports whether word i is what the sentence says of its subject: a verb, or after "is".
func (p *phrase) asserted(i int) bool {
	w := &p.words[i]
	switch {
	case i == 0:
		return false
	case w.before&hasBe != 0 || p.isPast(w):
		return true
	default: // "flows north into": after a verb, not before a noun
		return w.before == 0 && (i+1 == len(p.words) || p.words[i+1].before != 0)
	}
}
