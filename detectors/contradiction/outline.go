package contradiction

import "confab/internal/text"

// outline is what of a text could contradict another one, read in one pass. Most claims are no candidates: their outlines
// agree with those of their window.
type outline struct {
	plus, minus      scaleSet // scales with a word in the one and the other direction
	classes          uint32
	words, negations int32
	owners           bool // a word in 's
	prefixes         bool // a word with "un" or "non"
}

// maxScales bounds the numbers of scales.
const maxScales = 320

// scaleSet is a set of scales by number.
type scaleSet [maxScales / 64]uint64

func (s *scaleSet) add(root uint64) { s[(root>>6)%uint64(len(s))] |= 1 << (root & 63) }

func (s *scaleSet) has(root uint64) bool { return s[(root>>6)%uint64(len(s))]>>(root&63)&1 != 0 }

// meets reports whether the sets share a scale.
func (s *scaleSet) meets(other *scaleSet) bool {
	for i := range s {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// orders reports "before" or "after".
func (o *outline) orders() bool { return o.plus.has(orderRoot) || o.minus.has(orderRoot) }

// readTokens reads the tokens from first to last.
func (o *outline) readTokens(s string, tokens []text.Token, first, last int32) {
	*o = outline{words: last - first}
	for t := first; t < last; t++ {
		token := &tokens[t]
		if token.Has(text.Negation) {
			o.negations++
		}
		o.owners = o.owners || isOwner(s, token)
		if s[token.Start] == 'u' && token.End-token.Start > 6 && s[token.Start+1] == 'n' && token.Kind == text.Word {
			o.prefixes = true
		}
		if e := knownWords.find(token.Stem); e != nil {
			o.addEntry(e)
		}
	}
}

// isOwner reports a word in 's. Few words have the apostrophe, but many the letter.
func isOwner(s string, t *text.Token) bool {
	return t.End > 3 && s[t.End-2] == '\'' && s[t.End-1] == 's' && t.End-t.Start > 3 && t.Kind == text.Word
}

func (o *outline) addEntry(e *wordEntry) {
	o.classes |= e.class
	switch {
	case e.sign > 0:
		o.plus.add(e.root)
	case e.sign < 0:
		o.minus.add(e.root)
	}
	if e.kind&denialVerb != 0 {
		o.classes |= hasNegation
	}
}

// classesOfConflicts are the classes whose difference is a contradiction.
const classesOfConflicts = isObliged | isAllowed | hasAll | hasSome | hasMost | hasLeast | hasMany | hasFew

// isPlain reports a text without negations, opposites, quantities or marked roles.
func (o *outline) isPlain() bool {
	const marked = classesOfConflicts | hasNegation | hasBy | hasThan
	return o.negations == 0 && o.plus == scaleSet{} && o.minus == scaleSet{} && o.classes&marked == 0 && !o.owners && !o.prefixes
}

// shortClaim is the largest claim, in words, in which owners and agents are compared without another sign of a change.
const shortClaim = 16

// mayContradict reports whether comparing a claim with this outline and a sentence with the other one may find anything.
func (o *outline) mayContradict(s *outline) bool {
	switch {
	case o.negations != s.negations,
		o.plus.meets(&s.minus) || o.minus.meets(&s.plus) || o.plus.meets(&o.minus),
		o.prefixes != s.prefixes,
		(o.classes^s.classes)&hasNegation != 0,
		o.words <= shortClaim && (o.owners != s.owners || (o.classes^s.classes)&hasBy != 0),
		o.classes&s.classes&hasThan != 0,
		o.orders() && s.orders():
		return true
	case o.classes&classesOfConflicts != 0 && s.classes&classesOfConflicts != 0:
		return (o.classes^s.classes)&classesOfConflicts != 0
	default:
		return false
	}
}
