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

// findChange returns the one change that reverses the part. Two changes cancel out: the part says the same in other words,
// which equal reports if the sentence has all its words. More changes are unclear.
func (c *comparison) findChange() (found change, ok bool) {
	c.equal = false
	found, flips, sure := c.compareDirections()
	if !sure {
		return change{}, false
	}
	negation, certain := c.compareNegations()
	changes := [...]change{negation, c.compareRoles()}
	for _, k := range changes {
		if k.kind != None {
			flips++
			found = k
		}
	}
	switch {
	case flips == 0:
		return c.compareClasses()
	case flips > 1 || !certain:
		c.equal = flips == 2 && certain && c.matches == c.content
		return change{}, false
	default:
		return found, true
	}
}

// compareDirections counts the opposites among the aligned words. sure is false if one of them may be about something else.
func (c *comparison) compareDirections() (found change, flips int, sure bool) {
	for i := c.first; i < c.last; i++ {
		j := int(c.aligned[i])
		if j < 0 || directionOf(&c.claim.words[i], &c.source.words[j]) > 0 {
			continue
		}
		if c.bothDirections(i) || !c.inContext(i, j) {
			return change{}, 0, false
		}
		flips++
		found = change{Opposite, i, j}
	}
	return found, flips, true
}

// inContext reports whether the words next to the aligned words agree: one of them, and for "before", "after", "if" and
// "unless" the words before and after.
func (c *comparison) inContext(i, j int) bool {
	if c.within {
		return c.claim.asserted(i) && c.source.asserted(j)
	}
	if (c.claim.words[i].kind|c.source.words[j].kind)&converseWord != 0 && !c.sameActor(i, j) {
		return false
	}
	if !c.claim.words[i].light {
		return c.surrounded(i, j) && c.flanked(j) && c.flanks(i, j)
	}
	for step := -1; step <= 1; step += 2 {
		if k := i + step; k >= c.first && k < c.last && c.aligned[k] < 0 {
			return false
		}
	}
	return true
}

// surroundings is how many words on each side of a change must agree.
const (
	surroundings = 3
	embedding    = 2
)

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
	return w.sign != 0 && (opposite(c.claim.words, w.sign) || opposite(c.source.words, -w.sign))
}

// qualifies is 1 for a negation of "all" or "only" where the other text has neither.
func qualifies(denied, other *word) int {
	if denied.before&(hasAll|hasOnly) != 0 && other.before&(hasAll|hasOnly) == 0 {
		return 1
	}
	return 0
}

// surrounded reports whether most words around the claim's word i are around the source's word j too.
func (c *comparison) surrounded(i, j int) bool {
	around, shared := 0, 0
	for k := max(c.first, i-surroundings); k < min(c.last, i+surroundings+1); k++ {
		if c.claim.words[k].light {
			continue
		}
		around++
		if n := int(c.aligned[k]); n >= 0 && n >= j-2*surroundings && n <= j+2*surroundings {
			shared++
		}
	}
	return shared >= leastMatches && 4*shared >= 3*around && (c.embedded(j) || c.copied())
}

// flanked reports whether the words directly before and after the source's word j are in the claim, within a comma.
func (c *comparison) flanked(j int) bool {
	words := c.source.words
	if j > 0 && words[j].before&(hasComma|hasBreak) == 0 && !words[j-1].light && c.claimed[j-1] < 0 {
		return false
	}
	return j+1 == len(words) || words[j+1].before&(hasComma|hasBreak) != 0 || words[j+1].light || c.claimed[j+1] >= 0
}

// flanks reports whether the words directly before and after the claim's word i are next to the source's word j, within a
// comma.
func (c *comparison) flanks(i, j int) bool {
	words := c.claim.words
	apart := func(k int) bool {
		n := int(c.aligned[k])
		return !words[k].light && (n < j-surroundings || n > j+surroundings)
	}
	if i > c.first && words[i].before&(hasComma|hasBreak) == 0 && apart(i-1) {
		return false
	}
	return i+1 >= c.last || words[i+1].before&(hasComma|hasBreak) != 0 || !apart(i+1)
}

// repeated reports whether the claim uses its word i twice.
func (c *comparison) repeated(i int) bool {
	for k := range c.claim.words {
		if k != i && c.claim.words[k].root == c.claim.words[i].root {
			return true
		}
	}
	return false
}

// embedded reports whether most words next to the source's word j are in the claim.
func (c *comparison) embedded(j int) bool {
	around, shared := 0, 0
	for k := max(0, j-embedding); k < min(len(c.source.words), j+embedding+1); k++ {
		if c.source.words[k].light {
			continue
		}
		around++
		if c.claimed[k] >= 0 {
			shared++
		}
	}
	return 2*shared >= around
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
	const marked = classesOfConflicts | hasAtLeast | hasAtMost
	if c.claim.classes&marked == 0 || c.source.classes&marked == 0 {
		return change{}, false
	}
	for i := c.first; i < c.last; i++ {
		j := int(c.aligned[i])
		if j < 0 {
			continue
		}
		claim, source := c.claim.words[i].before, c.source.words[j].before
		if (claim|source)&hasNegation != 0 || isQualified(claim, source) {
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

// isQualified reports "only" in either text, but for "only some" of what the source has all of.
func isQualified(claim, source uint32) bool {
	return (claim|source)&hasOnly != 0 && (claim&hasOnly == 0 || claim&(hasSome|hasFew) == 0 || source&hasAll == 0)
}

// exchangedDirections finds "A fell and B rose" for "A rose and B fell".
func (c *comparison) exchangedDirections() change {
	for i := c.first; i < c.last; i++ {
		w := &c.claim.words[i]
		if w.sign == 0 || w.light || c.aligned[i] < 0 {
			continue
		}
		for k := i + 1; k < c.last; k++ {
			other := &c.claim.words[k]
			if other.root == w.root && other.sign != w.sign && c.aligned[k] >= 0 && (c.crossed(i, k, -1) || c.crossed(i, k, 1)) {
				return change{Roles, i, int(c.aligned[i])}
			}
		}
	}
	return change{}
}

// crossed reports whether the neighbors of the claim's words i and k are exchanged in the source.
func (c *comparison) crossed(i, k, step int) bool {
	if i+step < 0 || k+step >= len(c.claim.words) {
		return false
	}
	a, b := int(c.aligned[i+step]), int(c.aligned[k+step])
	return a >= 0 && b >= 0 && a != b && a == int(c.aligned[k])+step && b == int(c.aligned[i])+step
}
