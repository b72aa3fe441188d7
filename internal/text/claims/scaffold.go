package claims

import "confab/internal/text"

// Phrases that are not part of a claim, matched at the start of a sentence or after a lead-in.
//
//nolint:gochecknoglobals // read-only tables
var (
	courtesies = text.HashPhrases(`i hope this|let me know|please let me|feel free to|if you have any|if you need|i'd be happy|i would be
happy|i am happy|i'm happy|happy to help|thank you for|thanks for|i'm sorry|i am sorry|sorry but|i apologize|as an ai|i don't
know|i do not know|i'm not sure|i am not sure|i don't have|i do not have|is there anything|hello|hi there|good morning|good
afternoon|please provide|could you please|i can help|i'll help|i will help|glad to|you're welcome|hope this|hope that helps`)

	unsureOpeners = text.HashPhrases(`i'm not sure|i am not sure|not sure|i don't know|i do not know`)

	openers = text.HashPhrases(`sure|certainly|okay|ok|absolutely|overall|yes|of course|in summary|in conclusion|in short|in brief|to
summarize|to conclude|to sum up|in general|please note that|note that|it is important to note that|it's important to note
that|it is worth noting that|it's worth noting that|it should be noted that|to answer your question|additionally it is
mentioned that|it is mentioned that|it is stated that`)

	announcers = text.HashPhrases(`here is|here are|here's|below is|below are|the following is|the following are|this is|these are|i have
provided|i've provided|i have written|i will provide|i'll provide`)

	sourceIntros = text.HashPhrases(`based on|based upon|according to|depending on|judging from|judging by|drawing on|as per|as stated|as
mentioned|as noted|as described|as discussed|as explained|as indicated|using|looking at|from reading`)
	announcedWords = text.HashPhrases(`as follows|the following`)

	hashThat, hashWord, hashWords = text.Hash("that"), text.Hash("word"), text.Hash("words")
	hashSearch, hashResults       = text.Hash("search"), text.Hash("results")
	hashEnough, hashInsufficient  = text.Hash("enough"), text.Hash("insufficient")
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
	if n := p.matchAt(i, openers); n > 0 {
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
	switch {
	case p.has(k, text.SourceNoun):
		k++
	case p.is(k, hashSearch) && p.is(k+1, hashResults):
		k += 2
	default:
		return i
	}
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
	announced, last := p.matchAt(i, announcers) > 0, len(p.tokens)-1
	colon := p.nextChar(last) == ':'
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
	case colon && (output || p.mentions(i, announcedWords)):
		return len(p.tokens)
	default:
		return i
	}
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
