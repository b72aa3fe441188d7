package records

import (
	"slices"
	"strings"

	"confab/detectors"
	"confab/internal/text"
	textclaims "confab/internal/text/claims"
)

// Polarities of a word.
const (
	denied   int8 = -1
	asserted int8 = 1
)

const (
	denialWords = `not never cannot can't don't doesn't didn't isn't aren't wasn't weren't won't wouldn't couldn't
shouldn't hasn't haven't neither nor lacks lack lacking unavailable without`
	silenceWords = `information mention mentions mentioned specified specify specifies indicate indicated unclear
stated state listed details unknown data noted known`
)

//nolint:gochecknoglobals // read-only tables
var (
	clauseVerbs = text.HashSet(`is are was were be has have had offers offer offering provides provide providing accepts accept
accepting takes take taking allows allow features feature featuring includes include including serves serve does do can
enjoy boasts boast supports operates operate closes close opens open making makes make described known considered comes
come located rated received praised available lacks lack lacking caters`)
	clauseBreaks = text.HashSet(`but however while although though whereas despite yet which who where because since making
other another`)
	clauseJoints              = text.HashSet("and or nor with as plus")
	denials                   = text.HashSet(denialWords)
	forwardDenials            = text.HashSet("no without lacks lack lacking neither nor")
	hashTakeWord, hashOutWord = text.Hash("take"), text.Hash("out")
)

// clause is a part of a sentence between commas, conjunctions and the like.
type clause struct {
	first, last int32 // tokens, half open
	hard        bool  // polarity does not carry over from the previous clause
	labeled     bool  // after a colon
	headless    bool  // starts with a verb: the subject is in the previous clause
	verb        bool
	denial      bool  // contains a negation of the whole clause
	forward     int32 // first token of a negation of the rest, such as "no"; -1 for none
}

// polarityReader reads the clauses of a claim in order.
type polarityReader struct {
	index   *Index
	first   int32 // first token of the claim
	carried int8  // polarity of the previous clause
	open    int32 // start of words that have no verb yet
	waiting bool  // no verb yet since open
}

// Polarity returns the polarity of each token of the claim. A negation applies to its clause. A clause without a verb has
// the polarity of the previous one ("offers no WiFi, music or parking") or, at the start, of the next one ("WiFi and music
// are not available").
func (r *Index) Polarity(d *detectors.Document, c *textclaims.Claim) []int8 {
	r.polarity = slices.Grow(r.polarity[:0], int(c.Last-c.First))[:c.Last-c.First]
	p := polarityReader{index: r, first: c.First, carried: asserted, open: c.First, waiting: true}
	for t := c.First; t < c.Last; {
		k := clauseAt(d, c, t)
		p.clause(&k)
		t = k.last
	}
	return r.polarity
}

func (p *polarityReader) clause(k *clause) {
	labeled := k.labeled && p.waiting // "Outdoor seating: no"
	if k.hard && !labeled {
		p.open, p.waiting = k.first, true
	}
	from := k.first
	if p.waiting && k.hasPredicate(labeled) {
		if !k.headless {
			from = p.open
		}
		p.waiting = false
	}
	switch {
	case k.denial:
		p.carried = denied
	case k.verb || k.hard:
		p.carried = asserted
	}
	p.setPolarity(from, k.last)
	if k.forward >= 0 {
		from = k.forward
		if labeled {
			from = p.open
		}
		p.carried, p.waiting = denied, false
		p.setPolarity(from, k.last)
	}
}

// hasPredicate reports a clause that says something about the words before it.
func (k *clause) hasPredicate(labeled bool) bool { return k.verb || k.denial || labeled }

func (p *polarityReader) setPolarity(first, last int32) {
	for t := first; t < last; t++ {
		p.index.polarity[t-p.first] = p.carried
	}
}

// clauseAt reads the clause that starts at token t.
func clauseAt(d *detectors.Document, c *textclaims.Claim, t int32) clause {
	tokens := d.Tokens()
	k := clause{first: t, last: t + 1, forward: -1, hard: t == c.First || clauseBreaks.Has(tokens[t].Hash)}
	if t > c.First {
		gap := text.Between(d.Text(), tokens[t-1].End, tokens[t].Start)
		k.hard = k.hard || strings.ContainsAny(gap, ";:.—")
		k.labeled = strings.Contains(gap, ":")
	}
	for k.last < c.Last && !clauseBreaks.Has(tokens[k.last].Hash) && !jointAt(d, k.last) {
		k.last++
	}
	head := t
	if clauseJoints.Has(tokens[t].Hash) && t+1 < c.Last {
		head++
	}
	k.headless = clauseVerbs.Has(tokens[head].Hash) || denials.Has(tokens[head].Hash)
	for i := t; i < k.last; i++ {
		k.readWord(tokens[:c.Last], i)
	}
	return k
}

// readWord updates the clause with the word at token i.
func (k *clause) readWord(tokens []text.Token, i int32) {
	h := tokens[i].Hash
	switch {
	case forwardDenials.Has(h):
		if k.forward < 0 {
			k.forward = i
		}
		k.verb = k.verb || clauseVerbs.Has(h)
	case denials.Has(h):
		k.denial = true
	case h == hashTakeWord && int(i)+1 < len(tokens) && tokens[i+1].Hash == hashOutWord:
	case clauseVerbs.Has(h):
		k.verb = true
	}
}

// jointAt reports whether punctuation or a conjunction separates token i from the previous one.
func jointAt(d *detectors.Document, i int32) bool {
	tokens := d.Tokens()
	if gap := text.Between(d.Text(), tokens[i-1].End, tokens[i].Start); gap != " " && strings.ContainsAny(gap, ",;:.(—") {
		return true
	}
	return clauseJoints.Has(tokens[i].Hash)
}
