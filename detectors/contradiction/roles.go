package contradiction

import "math/bits"

// compareRoles returns a verb, comparison, or relation whose two sides are exchanged.
func (c *comparison) compareRoles() change {
	if c.within {
		return change{} // both may have happened
	}
	both := c.claim.classes & c.source.classes
	for i := c.first; i < c.last; i++ {
		j := int(c.aligned[i])
		if j < 0 {
			continue
		}
		if c.isVerb(i, j) && c.exchanged(sidesOf(&c.claim, i, c.first, c.last), sidesOf(&c.source, j, 0, len(c.source.words))) {
			return change{Roles, i, j}
		}
		if both&hasOf != 0 && c.exchangedOwners(i, j) {
			return change{Roles, i, j}
		}
	}
	if k := c.exchangedEnds(both); k.kind != None {
		return k
	}
	if k := c.exchangedDirections(); k.kind != None || both&hasThan == 0 {
		return k
	}
	return c.exchangedOrder()
}

// isVerb reports whether the aligned words may be a verb between two parties.
func (c *comparison) isVerb(i, j int) bool {
	a, b := &c.claim.words[i], &c.source.words[j]
	if (a.kind|b.kind)&symmetricVerb != 0 || a.name || b.name {
		return false
	}
	return (a.kind|b.kind)&relationVerb != 0 || c.claim.isPast(a) || c.source.isPast(b)
}

// sides are the words on the two sides of a verb: who acts, and the rest.
type sides struct {
	actor, rest uint64
	ok          bool
}

const (
	actorReach = 4 // content words of one side
	agentReach = 4 // words between a verb and "by"
)

func rangeMask(first, last int) uint64 {
	if first >= last {
		return 0
	}
	return (1<<(last-first) - 1) << first
}

// sidesOf returns the sides of the verb p.words[at], as masks of words.
func sidesOf(p *phrase, at, first, last int) sides {
	verb := &p.words[at]
	passive := verb.before&hasBe != 0 && p.isPast(verb)
	from := p.clauseStart(at, max(first, at-actorReach))
	if by := p.agentOf(at, last, passive); by > 0 {
		end := by + 1
		for end < min(last, by+actorReach) && p.words[end].before == 0 {
			end++
		}
		if from == at {
			from = max(first, at-actorReach) // "X, owned by Y"
		}
		return sides{actor: rangeMask(by, end), rest: rangeMask(from, at) | rangeMask(at+1, by), ok: true}
	}
	to := p.clauseEnd(at+1, min(last, at+actorReach+2))
	ok := from < at && to > at+1 && !passive && (p.words[at+1].before&hasTo == 0 || p.words[at+1].name) // "reports to Ann"
	return sides{actor: rangeMask(from, at), rest: rangeMask(at+1, to), ok: ok}
}

// clauseStart is the first word of the clause with the word at, not before first.
func (p *phrase) clauseStart(at, first int) int {
	for at > first && p.words[at].before&(hasComma|hasBreak) == 0 {
		at--
	}
	return at
}

// clauseEnd is the end of the clause with the word at, at most last.
func (p *phrase) clauseEnd(at, last int) int {
	end := min(last, at+1)
	for end < last && p.words[end].before&(hasComma|hasBreak) == 0 {
		end++
	}
	return end
}

// agentOf is the word after "by" that names who acts, 0 for none.
func (p *phrase) agentOf(at, last int, passive bool) int {
	for by := at + 1; by < min(last, at+agentReach); by++ {
		if p.words[by].before&hasBy == 0 || p.words[by].figure {
			continue
		}
		if passive || by == at+1 && p.isPast(&p.words[at]) {
			return by
		}
		return 0
	}
	return 0
}

// isPast reports a form that may be a past participle.
func (p *phrase) isPast(w *word) bool { return w.past || pastForms.Has(p.tokens[w.token].Hash) }

// exchanged reports whether a word of the one side is on the other side in the source, and the reverse.
func (c *comparison) exchanged(a, b sides) bool {
	if !a.ok || !b.ok {
		return false
	}
	actor, rest := c.sourceMask(a.actor), c.sourceMask(a.rest)
	toRest := actor & b.rest &^ (rest | b.actor)
	toActor := rest & b.actor &^ (actor | b.rest)
	stays := actor & b.actor &^ (rest | b.rest)
	return toRest != 0 && toActor != 0 && stays == 0 && actor&^b.rest == 0 && c.sameKind(toRest, toActor)
}

// sameActor reports whether both verbs have the same actor.
func (c *comparison) sameActor(i, j int) bool {
	a, b := sidesOf(&c.claim, i, c.first, c.last), sidesOf(&c.source, j, 0, len(c.source.words))
	return a.ok && b.ok && (c.sourceMask(a.actor)&b.actor != 0 || c.exchanged(a, b))
}

// sourceMask maps a mask of the claim's words to the words of the source.
func (c *comparison) sourceMask(mask uint64) (out uint64) {
	for ; mask != 0; mask &= mask - 1 {
		if j := c.aligned[bits.TrailingZeros64(mask)]; j >= 0 {
			out |= 1 << j
		}
	}
	return out
}

// sameKind reports whether both masks of the source's words have a name, or neither has one and neither is a figure.
func (c *comparison) sameKind(a, b uint64) bool {
	nameA, plainA := c.kindsOf(a)
	nameB, plainB := c.kindsOf(b)
	return nameA && nameB || plainA && plainB
}

// kindsOf reports whether the words of the source may be a name, and whether they may be no name. A figure is neither.
func (c *comparison) kindsOf(mask uint64) (name, plain bool) {
	for ; mask != 0; mask &= mask - 1 {
		w := &c.source.words[bits.TrailingZeros64(mask)]
		if w.figure || w.kind&timeWord != 0 {
			return false, false
		}
		name = name || w.name
		plain = plain || !w.name || w.opens
	}
	return name, plain
}

// ownersOf are the words that name whose the word p.words[at] is: "Bob's manager", "manager of Bob".
func ownersOf(p *phrase, at, first, last int) uint64 {
	if k := at + 1; k < last && p.words[k].before&hasOf != 0 && p.words[k].before&^(hasOf|hasOther) == 0 {
		end := k + 1
		for end < min(last, k+ownerReach) && p.continuesName(end) {
			end++
		}
		return rangeMask(k, end)
	}
	k := at - 1
	if k < first || !p.words[k].owner || p.words[at].before != 0 {
		return 0
	}
	for k > max(first, at-ownerReach) && p.continuesName(k) && p.words[k-1].name {
		k--
	}
	return rangeMask(k, at)
}

// continuesName reports a name directly after another word.
func (p *phrase) continuesName(i int) bool { return p.words[i].before == 0 && p.words[i].name }

// ownerReach is how many words the name of an owner has, and one.
const ownerReach = 3

// exchangedOwners reports whether the owner and the other party of the aligned words are exchanged.
func (c *comparison) exchangedOwners(i, j int) bool {
	owners := ownersOf(&c.claim, i, c.first, c.last)
	if owners == 0 || c.claim.words[i].kind&symmetricVerb != 0 {
		return false
	}
	there := ownersOf(&c.source, j, 0, len(c.source.words))
	mapped := c.sourceMask(owners)
	if there == 0 || mapped == 0 || mapped&there != 0 {
		return false
	}
	others := c.sourceMask(rangeMask(c.first, c.last) &^ owners)
	name, _ := c.kindsOf(mapped)
	nameThere, _ := c.kindsOf(there)
	return others&there != 0 && name && nameThere
}

// exchangedEnds finds "from A to B" for "from B to A".
// both are classes that the claim and the source have.
func (c *comparison) exchangedEnds(both uint32) change {
	if both&hasFrom == 0 || both&hasTo == 0 {
		return change{}
	}
	var from, to, fromThere, toThere uint64
	at := -1
	for i := c.first; i < c.last; i++ {
		j := c.aligned[i]
		if j < 0 {
			continue
		}
		claim, source := c.claim.words[i].before, c.source.words[j].before
		if claim&hasFrom != 0 {
			from |= 1 << j
			at = i
		}
		if claim&hasTo != 0 {
			to |= 1 << j
		}
		if source&hasFrom != 0 {
			fromThere |= 1 << j
		}
		if source&hasTo != 0 {
			toThere |= 1 << j
		}
	}
	if from&toThere&^fromThere != 0 && to&fromThere&^toThere != 0 {
		return change{Roles, at, int(c.aligned[at])}
	}
	return change{}
}

// pivotOf is the first word of the second side of a comparison or order: after "than", "before" or "after"; -1 for none.
func pivotOf(p *phrase, first, last int) (at int, word bool) {
	for i := first; i < last; i++ {
		if p.words[i].before&hasThan != 0 {
			return i, false
		}
		if p.words[i].light && p.words[i].root == orderRoot {
			return i, true
		}
	}
	return -1, false
}

// exchangedOrder compares the two sides of "than", "before" and "after".
func (c *comparison) exchangedOrder() change {
	i, word := pivotOf(&c.claim, c.first, c.last)
	j, wordThere := pivotOf(&c.source, 0, len(c.source.words))
	if i < 0 || j < 0 || word != wordThere {
		return change{}
	}
	a, b := orderSides(&c.claim, i, c.first, c.last), orderSides(&c.source, j, 0, len(c.source.words))
	if !a.ok || !b.ok {
		return change{}
	}
	actor, rest := c.sourceMask(a.actor), c.sourceMask(a.rest)
	if actor&b.rest&^(rest|b.actor) == 0 || rest&b.actor&^(actor|b.rest) == 0 {
		return change{}
	}
	return change{Roles, i, j}
}

// orderReach is how many words after the pivot are its second side.
const orderReach = 4

// orderSides are the words before and after the pivot. A pivot at the start ("After the speech, …") has its first side
// after the comma.
func orderSides(p *phrase, at, first, last int) sides {
	end := at + 1
	for end < last && p.words[end].before&(hasComma|hasBreak) == 0 {
		end++
	}
	near := rangeMask(at, min(end, at+orderReach))
	if at > first {
		return sides{actor: rangeMask(first, at), rest: near, ok: true}
	}
	return sides{actor: rangeMask(end, last), rest: near, ok: end < last}
}
