package claims

import (
	"strings"

	"confab/internal/text"
)

// Phrases that are not part of a claim, matched at the start of a sentence or after a lead-in.
//
//nolint:gochecknoglobals // read-only tables
var (
	sourceIntros = text.HashPhrases(`based on|based upon|according to|depending on|judging from|judging by|drawing on|as per|as stated|as
mentioned|as noted|as described|as discussed|as explained|as indicated|using|looking at|from reading`)
	announcedWords = text.HashPhrases(`as follows|the following`)

	hashThat, hashWord, hashWords = text.Hash("that"), text.Hash("word"), text.Hash("words")
	hashSearch, hashResults       = text.Hash("search"), text.Hash("results")
	hashEnough, hashInsufficient  = text.Hash("enough"), text.Hash("insufficient")
	hashBut, hashNothing, hashGo  = text.Hash("but"), text.Hash("nothing"), text.Hash("go")
	hashInto, hashYou, hashI      = text.Hash("into"), text.Hash("you"), text.Hash("i")
	hashWe, hashAvailable, hashTo = text.Hash("we"), text.Hash("available"), text.Hash("to")
	hashWhich, hashSilent         = text.Hash("which"), text.Hash("silent")
	hashPossible, hashNone        = text.Hash("possible"), text.Hash("none")
	hashLet, hashMe, hashTalk     = text.Hash("let"), text.Hash("me"), text.Hash("talk")
	hashUnclear, hashClear        = text.Hash("unclear"), text.Hash("clear")
	hashAnd, hashOr, hashBe       = text.Hash("and"), text.Hash("or"), text.Hash("be")
)

// matchAt is the length of the longest phrase at i, 0 for none.
func (p *claimParser) matchAt(i int, list [][]uint64) int {
	best := 0
	for _, q := range list {
		if len(q) <= best || i+len(q) > len(p.tokens) || p.tokens[i].Hash != q[0] {
			continue
		}
		k := 1
		for k < len(q) && p.tokens[i+k].Hash == q[k] {
			k++
		}
		if k == len(q) {
			best = k
		}
	}
	return best
}

// listNumber is 1 if the first token is a list number, else 0.
func (p *claimParser) listNumber() int {
	t := &p.tokens[0]
	word := t.In(p.s)
	if c := p.nextChar(0); (c == '.' || c == ')') && len(word) <= 4 && text.IsListNumber(word) && (t.Kind == text.Number || len(word) == 1) {
		return 1
	}
	return 0
}

// leadInEnd is the end of the lead-in at i, i itself for none: an opener, a reference to the sources with or without a
// reporting verb, or a label.
func (p *claimParser) leadInEnd(i int) int {
	if i >= len(p.tokens) {
		return i
	}
	if n := p.startsWith(i, opener); n > 0 {
		return i + n
	}
	if n := p.matchAt(i, sourceIntros); n > 0 {
		k := i + n
		if p.has(k, text.Preposition) {
			k++
		}
		if end := p.sourcesEnd(k); end > k {
			return end
		}
		return i
	}
	if p.has(i, text.Preposition) {
		if end := p.sourcesEnd(i + 1); end > i+1 && p.nextChar(end-1) == ',' {
			return end
		}
		return i
	}
	if end := p.sourcesEnd(i); end > i && p.has(end, text.ReportingVerb) && !p.has(end+1, text.Negation) {
		if p.is(end+1, hashThat) {
			return end + 2
		}
		return end + 1
	}
	if p.has(i, text.OutputNoun) && p.nextChar(i) == ':' {
		return i + 1
	}
	return i
}

// sourcesEnd is the end of a mention of the sources at i ("the provided passages", "passages 1 and 2", "the information
// given in the text"), i itself for none.
func (p *claimParser) sourcesEnd(i int) int {
	k := i
	for k < i+4 && p.has(k, text.Determiner|text.GivenWord) && !p.has(k, text.SourceNoun) {
		k++
	}
	if p.abstains && k > i {
		for n := k; n < k+3; n++ { // "the fire instructions", "the club's information"
			if p.has(n, text.DocumentNoun|text.SourceNoun) && !p.has(n+1, text.DocumentNoun|text.SourceNoun) {
				return p.givenEnd(n + 1)
			}
		}
	}
	switch {
	case p.has(k, text.SourceNoun):
		k++
	case p.is(k, hashSearch) && p.is(k+1, hashResults):
		k += 2
	default:
		return i
	}
	return p.givenEnd(k)
}

// givenEnd is the end of the numbers, the "provided" and the "in the text" after a word for the sources that ends at k.
func (p *claimParser) givenEnd(k int) int {
	for p.isNumber(k) || (p.is(k, hashAnd) || p.is(k, hashOr)) && p.isNumber(k+1) {
		k++
	}
	if p.has(k, text.GivenWord) && !p.has(k+1, text.Negation|text.Determiner) {
		k++
	}
	if p.has(k, text.Preposition) && p.has(k+1, text.Determiner|text.GivenWord|text.SourceNoun) {
		if end := p.sourcesEndOnce(k + 1); end > k+1 {
			return end
		}
	}
	return k
}

// sourcesEndOnce is sourcesEnd without a further "in the …".
func (p *claimParser) sourcesEndOnce(i int) int {
	k := i
	for k < i+4 && p.has(k, text.Determiner|text.GivenWord) && !p.has(k, text.SourceNoun) {
		k++
	}
	if !p.has(k, text.SourceNoun) {
		return i
	}
	k++
	for p.isNumber(k) {
		k++
	}
	return k
}

func (p *claimParser) isNumber(i int) bool {
	return i < len(p.tokens) && p.tokens[i].Kind == text.Number
}

// announcementEnd is the end of an announcement at i ("here is a summary in 78 words:"): after its colon, or the end of the
// sentence. It is i if there is none.
func (p *claimParser) announcementEnd(i int) int {
	if i >= len(p.tokens) {
		return i
	}
	announced, last := p.startsWith(i, announcer) > 0, len(p.tokens)-1
	colon := p.endsInColon(last)
	if !announced && !colon && p.flags&text.OutputNoun == 0 {
		return i
	}
	output, limited := false, false
	for k := i; k < len(p.tokens) && k < i+12; k++ {
		output = output || p.has(k, text.OutputNoun)
		limited = limited || p.isNumber(k) && (p.is(k+1, hashWord) || p.is(k+1, hashWords))
	}
	switch {
	case announced && (output || limited || colon), output && limited:
		for k := i; k < last; k++ {
			if p.nextChar(k) == ':' {
				return k + 1
			}
		}
		return len(p.tokens)
	case colon && (output || p.mentions(i, announcedWords) || len(p.tokens)-i <= maxIntroduction && !p.isFactual(i)):
		return len(p.tokens)
	default:
		return i
	}
}

// maxIntroduction is the length, in words, of a sentence before a list that states nothing of its own.
const maxIntroduction = 8

// endsInColon reports a colon after the last token, ASCII or full width.
func (p *claimParser) endsInColon(last int) bool {
	rest := p.s[p.tokens[last].End:p.end]
	if rest == "" || rest[0] == '.' {
		return false // nearly every sentence
	}
	rest = strings.TrimLeft(rest, " *_\u00a0")
	return strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, "：")
}

// mentions reports whether one of the phrases occurs at or after i.
func (p *claimParser) mentions(i int, list [][]uint64) bool {
	for ; i < len(p.tokens); i++ {
		if p.matchAt(i, list) > 0 {
			return true
		}
	}
	return false
}
