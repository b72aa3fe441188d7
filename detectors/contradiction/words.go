package contradiction

import (
	"strings"

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

	classes uint32 // before any word; hasOf, hasThan and hasWeak also for words that count as such
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
	p.classes = 0
	for t := from; t < to; {
		if len(p.words) == maxWords {
			p.ended = true
			return
		}
		if t > from && !text.IsAbbreviation(s, &tokens[t-1], &tokens[t]) {
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
		case ',', '.', '(', ')', '"', 0xE2: // 0xE2: dashes and curly quotes
			p.before |= hasComma
		case ';', ':', '\n', '!', '?':
			p.before |= hasComma | hasBreak
			p.negated = false
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
		if n := p.readExpression(t); n > 0 {
			return t + n
		}
	}
	if token.Has(text.Negation) {
		p.addDenial(t)
	}
	e := knownWords.find(token.Stem)
	if e == nil && token.Has(text.Stop) || e != nil && p.addClasses(e, t) {
		p.before |= hasOther
		return t + 1
	}
	p.addWord(t, e)
	return t + 1
}

// addClasses records the classes of a known word and reports whether it is a function word only.
func (p *phrase) addClasses(e *wordEntry, t int32) bool {
	token := &p.tokens[t]
	if e.class&(hasJoint|hasBreak) != 0 {
		p.endDenial()
	}
	if e.class&hasNegation != 0 && softDenials.Has(token.Hash) { // "hardly", not "hard"
		p.addDenial(t)
	}
	p.before |= e.class &^ hasNegation
	if e.class&hasBreak != 0 {
		p.negated = false
	}
	return e.root == 0 && (token.Has(text.Stop) || e.class != 0 && e.class&(hasDoubt|hasWeak) == 0)
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

// addWord appends the content word at t.
func (p *phrase) addWord(t int32, e *wordEntry) {
	token := &p.tokens[t]
	s := token.In(p.text)
	p.words = append(p.words, word{})
	w := &p.words[len(p.words)-1]
	w.root, w.token, w.before, w.denial = token.Stem, t, p.before, p.denial
	w.figure, w.name, w.opens = token.Kind == text.Number, text.IsUpper(s[0]), p.opens == t
	w.past, w.owner = strings.HasSuffix(s, "ed"), strings.HasSuffix(s, "'s") || strings.HasSuffix(s, "’s")
	if e != nil {
		if e.root != 0 {
			w.root, w.sign = e.root, e.sign
		}
		w.light, w.weak, w.kind = e.light || token.Has(text.Stop), e.weak, e.kind
		w.figure = w.figure || e.kind&numberWord != 0
	}
	if !w.name && w.sign == 0 && len(s) > 6 {
		p.readPrefix(w, s)
	}
	p.classes |= w.classes()
	p.before, p.denial = 0, -1
}

// classes are the classes before the word, and those that it counts as itself.
func (w *word) classes() uint32 {
	set := w.before
	if w.owner {
		set |= hasOf
	}
	if w.weak {
		set |= hasWeak
	}
	if w.light && w.root == orderRoot {
		set |= hasThan
	}
	return set
}

// readPrefix recognizes a word with "un" or "non" as the opposite of the rest.
func (p *phrase) readPrefix(w *word, s string) {
	rest, ok := strings.CutPrefix(s, "un")
	if !ok {
		rest, ok = strings.CutPrefix(s, "non")
	}
	if !ok || strings.IndexByte("ide", rest[0]) >= 0 { // "unit", "under", "none"
		return
	}
	p.prefix = text.AppendTokens(p.prefix[:0], rest)
	if len(p.prefix) != 1 {
		return
	}
	if e := knownWords.find(p.prefix[0].Stem); e != nil && e.root != 0 {
		w.root, w.sign = e.root, -e.sign
		return
	}
	w.alt, w.weak = p.prefix[0].Stem, true
}
