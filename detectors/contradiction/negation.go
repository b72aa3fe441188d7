package contradiction

// negations are the negations of one text that apply to a word of the other.
type negations struct {
	count int // of words that the other text does not negate
	weak  int // negations of other words, and words that may deny
	found change
}

// compareNegations returns a negation that only one text has. certain is false if other words may deny what is compared.
func (c *comparison) compareNegations() (found change, certain bool) {
	if (c.claim.classes|c.source.classes)&(hasNegation|hasWeak|hasAtLeast|hasAtMost) == 0 {
		return change{}, !c.claim.unclear && !c.source.unclear
	}
	return c.compareDenials()
}

// compareDenials is compareNegations of texts of which one may have a negation.
func (c *comparison) compareDenials() (found change, certain bool) {
	var claim, source negations
	for i := c.first; i < c.last; i++ {
		c.readClaimWord(&claim, i)
	}
	for j := range c.source.words {
		if c.nearShared(j) {
			c.readSourceWord(&source, j)
		}
	}
	weak := claim.weak + source.weak
	if c.claim.unclear || c.source.unclear {
		weak++
	}
	certain = weak == 0
	if (claim.count+source.count)%2 == 0 {
		return change{}, certain
	}
	found = claim.found
	if source.count > 0 {
		found = source.found
	}
	certain = certain && claim.count*source.count == 0 && !c.repeated(found.claim)
	return found, certain && (c.within || c.surrounded(found.claim, found.other))
}

func (c *comparison) readClaimWord(n *negations, i int) {
	w, j := &c.claim.words[i], int(c.aligned[i])
	switch {
	case w.before&hasNegation != 0 && (j < 0 || isWithoutName(&c.claim, w)):
		n.weak++
	case w.before&hasNegation != 0 && c.source.words[j].before&hasNegation == 0:
		n.count++
		n.found = change{Negation, i, j}
		n.weak += qualifies(w, &c.source.words[j])
	}
	if w.weak && j < 0 || w.before&hasWeak != 0 || j >= 0 && (w.before^c.source.words[j].before)&(hasAtLeast|hasAtMost) != 0 {
		n.weak++ // "may not take more than 4" is "at most 4"
	}
}

func (c *comparison) readSourceWord(n *negations, j int) {
	w, i := &c.source.words[j], c.inPart(j)
	switch {
	case w.before&hasNegation != 0 && (c.claimed[j] < 0 || isWithoutName(&c.source, w)):
		n.weak++
	case w.before&hasNegation != 0 && i >= 0 && c.claim.words[i].before&hasNegation == 0:
		n.count++
		n.found = change{Negation, i, j}
		n.weak += qualifies(w, &c.claim.words[i])
	}
	if w.weak && c.claimed[j] < 0 || w.before&hasWeak != 0 {
		n.weak++
	}
}

// isWithoutName reports "without" before a name, which denies no statement.
func isWithoutName(p *phrase, w *word) bool { return w.name && p.tokens[w.denial].Hash == hashWithout }

// deniedReach is how many content words away a negation may change a shared word.
const deniedReach = 3

// nearShared reports whether a shared word is near the source's word j.
func (c *comparison) nearShared(j int) bool {
	for k := max(0, j-deniedReach); k < min(len(c.source.words), j+deniedReach+1); k++ {
		if c.inPart(k) >= 0 {
			return true
		}
	}
	return false
}

// Shares of a copy.
const (
	leastCopied  = 5    // words
	copiedClaim  = 0.9  // of the part's words
	copiedSource = 0.75 // of the sentence's words
)

// copied reports a part that repeats the sentence nearly word by word.
func (c *comparison) copied() bool {
	if c.matches < leastCopied || float64(c.matches) < copiedClaim*float64(c.content) {
		return false
	}
	shared, content := 0, 0
	for j := range c.source.words {
		if c.source.words[j].light {
			continue
		}
		content++
		if c.claimed[j] >= 0 {
			shared++
		}
	}
	return float64(shared) >= copiedSource*float64(content)
}
