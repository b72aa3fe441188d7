package contradiction

import (
	"strings"

	"confab/internal/text"
)

//nolint:gochecknoglobals // read-only
var (
	hashNot, hashNo, hashNor      = text.Hash("not"), text.Hash("no"), text.Hash("nor")
	hashLonger, hashAt, hashTo    = text.Hash("longer"), text.Hash("at"), text.Hash("to")
	hashLeast, hashMost, hashMore = text.Hash("least"), text.Hash("most"), text.Hash("more")
	hashLess, hashFewer, hashThan = text.Hash("less"), text.Hash("fewer"), text.Hash("than")
	hashUp, hashOver, hashUnder   = text.Hash("up"), text.Hash("over"), text.Hash("under")
	hashAbove, hashBelow          = text.Hash("above"), text.Hash("below")
	hashOr, hashWithout, hashThat = text.Hash("or"), text.Hash("without"), text.Hash("that")
	reminders, hashShould         = text.HashSet("note remember mind aware recall important"), text.Hash("should")
	reminderParts                 = text.HashSet("please also do keep in be it is to should you but however and")
	softDenials                   = text.HashSet("hardly barely scarcely n't")
	subjects                      = text.HashSet("i we you he she it they this that there but and")
	assertedAfter                 = text.HashSet("only just merely simply wonder doubt surprise matter")
	obligedBefore                 = text.HashSet("have has had required obliged need needs needed")
	allowedBefore                 = text.HashSet("able allowed permitted")
	failedBefore                  = text.HashSet("fail fails failed failing refuse refuses refused refusing decline declines declined neglect neglected neglects")
)

// readExpression reads an expression of several words at t and returns its number of tokens, 0 for none.
func (p *phrase) readExpression(t int32) int32 {
	h, one := p.tokens[t].Hash, p.next(t, 1)
	switch h {
	case hashNot, hashNo:
		return p.readNegated(t)
	case hashOr:
		if one.Hash == hashNot || one.Hash == hashWithout {
			return 2 // "whether or not", "with or without"
		}
	case hashAt:
		if one.Hash == hashLeast || one.Hash == hashMost {
			return p.addBound(one.Hash == hashLeast, 2)
		}
	case hashMore, hashLess, hashFewer, hashOver, hashAbove, hashUnder, hashBelow, hashUp:
		return p.readBound(t)
	default:
		if one.Hash == hashTo {
			return p.readInfinitive(t)
		}
	}
	return 0
}

// readBound reads "more than", "over" and the like before a number.
func (p *phrase) readBound(t int32) int32 {
	h, one := p.tokens[t].Hash, p.next(t, 1)
	switch h {
	case hashMore, hashLess, hashFewer:
		if one.Hash == hashThan && p.isNumber(p.next(t, 2)) {
			return p.addBound(h == hashMore, 2)
		}
	case hashOver, hashAbove, hashUnder, hashBelow:
		if p.isNumber(one) {
			return p.addBound(h == hashOver || h == hashAbove, 1)
		}
	case hashUp:
		if one.Hash == hashTo && p.isNumber(p.next(t, 2)) {
			return p.addBound(false, 2)
		}
	}
	return 0
}

// readNegated reads an expression with "not" or "no" that is no plain negation.
func (p *phrase) readNegated(t int32) int32 {
	isNo, one := p.tokens[t].Hash == hashNo, p.next(t, 1)
	switch {
	case assertedAfter.Has(one.Hash):
		return 2 // "not only … but also", "no wonder": they deny nothing
	case isDegree(one.Hash) && p.next(t, 2).Hash == hashThan:
		return p.addBound(one.Hash != hashMore, 3)
	case isNo && one.Hash == hashLonger:
		p.addDenial(t)
		return 2
	case isNo && (p.endsAt(t, ".:,") || len(p.words) == 0 && subjects.Has(one.Hash)):
		return 1 // "No. 5", "No, …"
	default:
		return 0
	}
}

// readInfinitive reads "have to", "able to", "failed to".
func (p *phrase) readInfinitive(t int32) int32 {
	h := p.tokens[t].Hash
	switch {
	case obligedBefore.Has(h):
		p.before |= isObliged
	case allowedBefore.Has(h):
		p.before |= isAllowed
	case failedBefore.Has(h):
		p.addDenial(t)
	default:
		return 0
	}
	return 2
}

func isDegree(hash uint64) bool { return hash == hashMore || hash == hashLess || hash == hashFewer }

func (p *phrase) addBound(atLeast bool, tokens int32) int32 {
	if atLeast {
		p.before |= hasAtLeast
	} else {
		p.before |= hasAtMost
	}
	return tokens
}

// endsAt reports whether one of the characters follows the token.
func (p *phrase) endsAt(t int32, chars string) bool {
	end := int(p.tokens[t].End)
	return end < len(p.text) && strings.IndexByte(chars, p.text[end]) >= 0
}

func (p *phrase) isNumber(t *text.Token) bool {
	if t.Kind == text.Number {
		return true
	}
	e := knownWords.find(t.Stem)
	return e != nil && e.kind&numberWord != 0
}
