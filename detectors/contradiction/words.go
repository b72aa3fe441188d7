package contradiction

import (
	"confab/internal/text"
)

// maxWords is the largest number of content words of a text that are compared; the rest is not read.
const maxWords = 64

// word is one content word with the function words before it.
type word struct {
	root   uint64 // number of its scale, otherwise its stem
	alt    uint64 // stem without a negating prefix, 0 for none
	token  int32
	before uint32 // classes of the function words since the previous content word
	sign   int8   // direction on its scale, 0 for other words
	light  bool
	weak   bool
	figure bool
	name   bool  // starts with a capital
	opens  bool  // the first token of the text
	owner  bool  // ends in 's
	adverb bool  // ends in "ly"
	past   bool  // looks like a verb in the past
	kind   uint8 // as in wordEntry
	denial int32 // token of the negation in before
}

// phrase is a text as content words.
type phrase struct {
	text    string
	tokens  []text.Token
	words   []word
	ended   bool // not all words fit
	unclear bool // a negation after the last content word

	before  uint32 // classes since the last content word
	denial  int32
	opens   int32 // the first token
	negated bool  // a negation since the last break
	none    text.Token
	prefix  []text.Token // scratch
}

// readTokens reads the tokens from first to last.
func (p *phrase) readTokens(s string, tokens []text.Token, from, to int32) {
	p.text, p.tokens, p.words = s, tokens[:to], p.words[:0]
	p.before, p.denial, p.opens, p.negated, p.ended, p.unclear = 0, -1, from, false, false, false
	for t := from; t < to; {
		if len(p.words) == maxWords {
			p.ended = true
			return
		}
		if t > from {
			p.readGap(text.Between(s, tokens[t-1].End, tokens[t].Start))
		}
		t = p.readToken(t)
	}
	p.unclear = p.before&(hasNegation|hasWeak) != 0
}

// readGap reads the punctuation before a token.
func (p *phrase) readGap(gap string) {
	if len(gap) == 1 && (gap[0] == ' ' || gap[0] == '-') {
		return
	}
	for i := range len(gap) {
		switch gap[i] {
		case ',', '(', ')', '"':
			p.before |= hasComma
		case '.':
			p.before |= hasComma
		case ';', ':', '\n', '!', '?':
			p.before |= hasComma | hasBreak
			p.negated = false
		case 0xE2: // dashes and curly quotes
			p.before |= hasComma
		}
	}
}

// next returns the i-th token after t, an empty one beyond the end.
func (p *phrase) next(t int32, i int32) *text.Token {
	if int(t+i) < len(p.tokens) {
		return &p.tokens[t+i]
	}
	return &p.none
}

// readToken reads the token and returns the next one to read.
func (p *phrase) readToken(t int32) int32 {
	token := &p.tokens[t]
	if token.Has(text.Marker) {
		return t + 1
	}
	if token.Has(text.Stop) || p.next(t, 1).Hash == hashTo { // a pair starts with a stop word, or ends with "to"
		if n := p.readPair(t); n > 0 {
			return t + n
		}
	}
	e := knownWords.find(token.Stem)
	if token.Has(text.Negation) {
		p.addDenial(t)
	}
	if e != nil {
		if e.class&(hasJoint|hasBreak) != 0 {
			p.endDenial()
		}
		p.addClasses(e.class, t)
		if e.class&hasBreak != 0 {
			p.negated = false
		}
	}
	if (token.Stop() || token.Has(text.Negation) || e != nil && e.class != 0 && e.class&(hasDoubt|hasWeak) == 0) && (e == nil || e.root == 0) {
		p.before |= hasOther
		return t + 1
	}
	p.addWord(t, e)
	return t + 1
}

func (p *phrase) addClasses(class uint32, t int32) {
	if class&hasNegation != 0 && softDenials[p.tokens[t].Hash] { // "hardly", not "hard"
		p.addDenial(t)
	}
	p.before |= class &^ hasNegation
}

// endDenial makes a negation without a word of its own uncertain.
func (p *phrase) endDenial() {
	if p.before&hasNegation != 0 {
		p.before = p.before&^hasNegation | hasWeak
	}
}

// addDenial records a negation. "nor" continues the negation of its sentence.
func (p *phrase) addDenial(t int32) {
	if p.negated && p.tokens[t].Hash == hashNor {
		p.before |= hasJoint
		return
	}
	p.before ^= hasNegation
	p.denial, p.negated = t, true
}

//nolint:gochecknoglobals // read-only
var (
	hashNot, hashNo, hashNor, hashOnly = text.Hash("not"), text.Hash("no"), text.Hash("nor"), text.Hash("only")
	hashLonger, hashAt, hashTo         = text.Hash("longer"), text.Hash("at"), text.Hash("to")
	hashLeast, hashMost, hashMore      = text.Hash("least"), text.Hash("most"), text.Hash("more")
	hashLess, hashFewer, hashThan      = text.Hash("less"), text.Hash("fewer"), text.Hash("than")
	hashUp, hashOver, hashUnder        = text.Hash("up"), text.Hash("over"), text.Hash("under")
	hashAbove, hashBelow               = text.Hash("above"), text.Hash("below")
	hashOr, hashWithout                = text.Hash("or"), text.Hash("without")
	softDenials                        = text.HashSet("hardly barely scarcely n't")
	subjects                           = text.HashSet("i we you he she it they this that there but and")
	assertedAfter                      = text.HashSet("only just merely simply wonder doubt surprise matter")
	obligedBefore                      = text.HashSet("have has had required obliged need needs needed")
	allowedBefore                      = text.HashSet("able allowed permitted")
	failedBefore                       = text.HashSet("fail fails failed failing refuse refuses refused refusing decline declines declined neglect neglected neglects")
)

// readPair reads an expression of several words at t and returns its number of tokens, 0 for none.
func (p *phrase) readPair(t int32) int32 {
	h, one, two := p.tokens[t].Hash, p.next(t, 1), p.next(t, 2)
	switch {
	case (h == hashNot || h == hashNo) && assertedAfter[one.Hash]:
		return 2 // "not only … but also", "no wonder": they deny nothing
	case h == hashOr && (one.Hash == hashNot || one.Hash == hashWithout):
		return 2 // "whether or not", "with or without"
	case (h == hashNot || h == hashNo) && isDegree(one.Hash) && two.Hash == hashThan:
		return p.addBound(one.Hash != hashMore, 3)
	case h == hashNo && one.Hash == hashLonger:
		p.addDenial(t)
		return 2
	case h == hashNo && (p.endsAt(t, ".:,") || len(p.words) == 0 && subjects[one.Hash]):
		return 1 // "No. 5", "No, …"
	case h == hashAt && (one.Hash == hashLeast || one.Hash == hashMost):
		return p.addBound(one.Hash == hashLeast, 2)
	case isDegree(h) && one.Hash == hashThan && p.isNumber(two):
		return p.addBound(h == hashMore, 2)
	case (h == hashOver || h == hashAbove) && p.isNumber(one):
		return p.addBound(true, 1)
	case (h == hashUnder || h == hashBelow) && p.isNumber(one):
		return p.addBound(false, 1)
	case h == hashUp && one.Hash == hashTo && p.isNumber(two):
		return p.addBound(false, 2)
	case one.Hash == hashTo:
		return p.readInfinitive(t)
	default:
		return 0
	}
}

// readInfinitive reads "have to", "able to", "failed to".
func (p *phrase) readInfinitive(t int32) int32 {
	h := p.tokens[t].Hash
	switch {
	case obligedBefore[h]:
		p.before |= isObliged
	case allowedBefore[h]:
		p.before |= isAllowed
	case failedBefore[h]:
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
	if end >= len(p.text) {
		return false
	}
	for i := range len(chars) {
		if p.text[end] == chars[i] {
			return true
		}
	}
	return false
}

func (p *phrase) isNumber(t *text.Token) bool {
	if t.Kind == text.Number {
		return true
	}
	e := knownWords.find(t.Stem)
	return e != nil && e.kind&numberWord != 0
}

// addWord appends the content word at t.
func (p *phrase) addWord(t int32, e *wordEntry) {
	token := &p.tokens[t]
	w := word{root: token.Stem, token: t, before: p.before, denial: p.denial}
	w.figure = token.Kind == text.Number
	s := token.In(p.text)
	w.name = text.IsUpper(s[0])
	w.opens = p.opens == t
	if n := len(s); n > 3 {
		w.owner = s[n-1] == 's' && (s[n-2] == '\'' || s[n-2] == 0x99)
		w.past = s[n-1] == 'd' && s[n-2] == 'e'
		w.adverb = s[n-1] == 'y' && s[n-2] == 'l'
	}
	if e != nil {
		if e.root != 0 {
			w.root, w.sign = e.root, e.sign
		}
		w.light, w.weak, w.kind = e.light || token.Stop(), e.weak, e.kind
		w.figure = w.figure || e.kind&numberWord != 0
	}
	if !w.name && w.sign == 0 && len(s) > 6 {
		p.readPrefix(&w, s)
	}
	p.words = append(p.words, w)
	p.before, p.denial = 0, -1
}

// readPrefix recognizes a word with "un" or "non" as the opposite of the rest.
func (p *phrase) readPrefix(w *word, s string) {
	switch {
	case s[0]|0x20 == 'u' && s[1] == 'n' && s[2] != 'i' && s[2] != 'd':
		s = s[2:]
	case s[0]|0x20 == 'n' && s[1] == 'o' && s[2] == 'n' && s[3] != 'e':
		s = s[3:]
	default:
		return
	}
	p.prefix = text.AppendTokens(p.prefix[:0], s)
	if len(p.prefix) != 1 {
		return
	}
	if e := knownWords.find(p.prefix[0].Stem); e != nil && e.root != 0 {
		w.root, w.sign = e.root, -e.sign
		return
	}
	w.alt, w.weak = p.prefix[0].Stem, true
}
