package contradiction

// Kind is what a contradicting claim changes.
type Kind uint8

// The kinds of a contradiction.
const (
	None       Kind = iota
	Negation        // a negation is added or dropped
	Opposite        // a word is replaced by its opposite
	Roles           // two parties or places exchange their roles
	Obligation      // what is allowed becomes required, or the reverse
	Quantity        // "all" for "some", "at most" for "at least"
	Figures         // another figure for the same attribute; within an answer only
	kinds
)

// change is one difference between the part and the sentence.
type change struct {
	kind         Kind
	claim, other int // the words that differ: of the claim, of the source
}

// findChange returns the one change that reverses the part. Two changes cancel out or are unclear: none is returned.
func (c *comparison) findChange() (found change, ok bool) {
	flips := 0
	add := func(k change) {
		flips++
		found = k
	}
	for i := c.first; i < c.last; i++ {
		if j := int(c.aligned[i]); j >= 0 && directionOf(&c.claim.words[i], &c.source.words[j]) < 0 {
			if c.bothDirections(i) || !c.inContext(i, j) {
				return change{}, false
			}
			add(change{Opposite, i, j})
		}
	}
	negation, certain := c.compareNegations()
	if negation.kind != None {
		add(negation)
	}
	if roles := c.compareRoles(); roles.kind != None {
		add(roles)
	}
	switch {
	case flips > 1 || flips == 1 && !certain:
		return change{}, false
	case flips == 1:
		return found, true
	}
	return c.compareClasses()
}

// inContext reports whether the words next to the aligned words agree: one of them, and for "before", "after", "if" and
// "unless" the words before and after.
func (c *comparison) inContext(i, j int) bool {
	if !c.claim.words[i].light {
		return c.agreement(i, j, -2) > 1
	}
	for step := -1; step <= 1; step += 2 {
		if k := i + step; k >= c.first && k < c.last && c.aligned[k] < 0 {
			return false
		}
	}
	return true
}

// bothDirections reports whether either text has both directions of the scale of the claim's word i.
func (c *comparison) bothDirections(i int) bool {
	w := &c.claim.words[i]
	opposite := func(words []word, sign int8) bool {
		for k := range words {
			if words[k].root == w.root && words[k].sign*sign < 0 {
				return true
			}
		}
		return false
	}
	return w.sign != 0 && (opposite(c.claim.words[c.first:c.last], w.sign) || opposite(c.source.words, -w.sign))
}

// deniedReach is how many content words after a negation it applies to.
const deniedReach = 3

// denied returns the first word after the negation before word at that the other text shares, -1 for none.
func (p *phrase) denied(at, last int, shared []int8) int {
	for k := at; k < min(at+deniedReach, last); k++ {
		if k > at && p.words[k].before&(hasComma|hasBreak|hasJoint|hasNegation) != 0 {
			return -1
		}
		if shared[k] >= 0 {
			return k
		}
	}
	return -1
}

// compareNegations counts the negations of shared words. certain is false if other words may deny what is compared.
func (c *comparison) compareNegations() (found change, certain bool) {
	inClaim, inSource, weak := 0, 0, 0
	for i := c.first; i < c.last; i++ {
		w := &c.claim.words[i]
		if w.before&hasNegation != 0 {
			if k := c.claim.denied(i, c.last, c.aligned[:]); k >= 0 {
				inClaim++
				found = change{Negation, i, int(c.aligned[k])}
			} else {
				weak++
			}
		}
		if w.weak && c.aligned[i] < 0 {
			weak++
		}
	}
	for j := range c.source.words {
		w := &c.source.words[j]
		near := c.nearShared(j)
		if w.before&hasNegation != 0 {
			if k := c.source.denied(j, len(c.source.words), c.claimed[:]); k >= 0 {
				if i := c.inPart(k); i >= 0 {
					inSource++
					found = change{Negation, i, j}
				}
			} else if near {
				weak++
			}
		}
		if w.weak && c.claimed[j] < 0 && near {
			weak++
		}
	}
	if (inClaim+inSource)%2 == 0 {
		return change{}, weak == 0
	}
	return found, weak == 0 && inClaim*inSource == 0
}

// nearShared reports whether a shared word is near the source's word j.
func (c *comparison) nearShared(j int) bool {
	for k := max(0, j-deniedReach); k < min(len(c.source.words), j+deniedReach+1); k++ {
		if c.inPart(k) >= 0 {
			return true
		}
	}
	return false
}

// conflicts lists pairs of classes before the same word that exclude each other, claim first.
//
//nolint:gochecknoglobals // a read-only table
var conflicts = [...]struct {
	claim, source uint32
	kind          Kind
}{
	{isObliged, isAllowed, Obligation},
	{isAllowed, isObliged, Obligation},
	{hasAll, hasSome | hasMost | hasFew | hasMany, Quantity},
	{hasSome, hasAll, Quantity},
	{hasMost, hasFew | hasLeast, Quantity},
	{hasLeast, hasMost, Quantity},
	{hasMany, hasFew, Quantity},
	{hasFew, hasAll | hasMost | hasMany, Quantity},
	{hasAtLeast, hasAtMost, Quantity},
	{hasAtMost, hasAtLeast, Quantity},
}

// compareClasses compares the function words before shared words.
func (c *comparison) compareClasses() (found change, ok bool) {
	for i := c.first; i < c.last; i++ {
		j := int(c.aligned[i])
		if j < 0 {
			continue
		}
		claim, source := c.claim.words[i].before, c.source.words[j].before
		if (claim|source)&(hasNegation|hasOnly) != 0 {
			continue
		}
		for k := range conflicts {
			f := &conflicts[k]
			if claim&f.claim != 0 && source&f.source != 0 && claim&f.source == 0 && source&f.claim == 0 {
				return change{f.kind, i, j}, true
			}
		}
	}
	return change{}, false
}
