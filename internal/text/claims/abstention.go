package claims

import "confab/internal/text"

// OnlyAbstains reports a text that has no claim and says in a sentence that the sources or the speaker do not know.
func OnlyAbstains(s string) bool {
	sentences, tokens := text.AppendSentences(nil, s), text.AppendTokens(nil, s)
	ranges := text.AppendTokenRanges(nil, sentences, tokens)
	if len(Append(nil, s, sentences, ranges, tokens)) > 0 {
		return false
	}
	for i, span := range sentences {
		p := newParser(s, span, tokens[ranges[i].First:ranges[i].Last])
		for k := range p.tokens {
			if p.startsWith(k, silent) > 0 {
				return true
			}
		}
		if from, _ := p.abstention(0); from >= 0 {
			return true
		}
	}
	return false
}

// abstention returns the tokens, from i on, that say that the sources or the speaker do not know, half open; -1 for none. With
// another subject the sentence is a claim: "the company does not provide refunds".
func (p *claimParser) abstention(i int) (from, to int) {
	p.abstains = true
	from, to = p.findAbstention(i)
	p.abstains = false
	return from, to
}

func (p *claimParser) findAbstention(i int) (from, to int) {
	if p.flags&text.Negation == 0 && p.roles&(absent|silence) == 0 {
		return -1, -1
	}
	for k := i; k < len(p.tokens); k++ {
		if n := p.startsWith(k, absent); n > 0 && p.mentionsDocument() {
			return k, k + n
		}
		if end := p.sourcesSilent(k); end > k {
			return k, end
		}
		if end := p.absentFromSources(k); end > k {
			return k, end
		}
	}
	if end := p.unableToAnswer(i); end > i {
		return i, end
	}
	return -1, -1
}

// sourcesSilent matches "the passages do not mention", "the context provides no information". Like absentFromSources and
// unableToAnswer it returns the end of the match at i, i itself for none.
func (p *claimParser) sourcesSilent(i int) int {
	k := p.sourcesEnd(i)
	if k == i {
		return i
	}
	if p.is(k, hashSilent) || p.is(k+1, hashSilent) {
		return k + 2
	}
	given := p.givenReach(k)
	for n := k; n < k+3+given && (n < k+given || !p.has(n, text.ReportingVerb)); n++ {
		if !p.has(n, text.Negation) {
			continue
		}
		if n == k+1 && p.detailEnd(n+1) > 0 {
			return p.detailEnd(n + 1) // "the report makes no mention"
		}
		if p.is(n+1, hashGo) && p.is(n+2, hashInto) {
			return n + 3
		}
		for v := n + 1; v <= n+3; v++ {
			if p.has(v, text.ReportingVerb) && p.isSilence(i, k, v) {
				return v + 1
			}
		}
		return i
	}
	if p.has(k-1, text.ReportingVerb) && p.has(k, text.Negation) {
		k-- // "the information provided no …": sourcesEnd has read the verb
	}
	if p.has(k, text.ReportingVerb) && p.has(k+1, text.Negation) {
		if p.is(k+1, hashNothing) {
			return k + 2
		}
		if end := p.detailEnd(k + 2); end > 0 {
			return end
		}
	}
	return i
}

// isSilence reports that a document at [i, k) "does not" do the verb at v because it is silent. A policy or contract that
// does not cover or include something is no silence.
func (p *claimParser) isSilence(i, k, v int) bool {
	for n := k - 1; n >= i; n-- {
		if p.has(n, text.DocumentNoun|text.SourceNoun) {
			return !normativeWords.Has(p.tokens[n].Hash) || !grantVerbs.Has(p.tokens[v].Hash) || p.detailEnd(v+1) > 0
		}
	}
	return true
}

// Documents that grant something, and verbs for it.
//
//nolint:gochecknoglobals // read-only tables
var (
	normativeWords = text.HashSet("policy policies contract lease agreement terms rules bylaws regulations section sections guidelines")
	grantVerbs     = text.HashSet(`provide provides provided offer offers offered include includes included cover covers covered give gives
given contain contains contained list lists show shows confirm confirms`)
)

// givenReach is the number of further words of "the report (that) you shared", "the excerpts I was given" at k.
func (p *claimParser) givenReach(k int) int {
	if p.is(k, hashThat) || p.is(k, hashWhich) {
		k++
	}
	if p.is(k, hashYou) || p.is(k, hashI) || p.is(k, hashWe) || p.is(k, hashAvailable) || p.is(k, hashTo) {
		return 4
	}
	return 0
}

// mentionsDocument reports a word for a source or the speaker in the sentence.
func (p *claimParser) mentionsDocument() bool {
	if p.documents == unread {
		p.documents = missing
		for i := range p.tokens {
			if p.startsWith(i, document) > 0 {
				p.documents = present
				break
			}
		}
	}
	return p.documents == present
}

// absentFromSources matches "not mentioned in the passages", "no information is given", "not enough information".
func (p *claimParser) absentFromSources(i int) int {
	if p.is(i, hashUnclear) || p.is(i, hashClear) && p.has(i-1, text.Negation) {
		if p.has(i+1, text.Preposition) && p.sourcesEnd(i+2) > i+2 {
			return p.sourcesEnd(i + 2)
		}
	}
	if p.is(i, hashInsufficient) || p.is(i, hashEnough) && p.negatedBefore(i) {
		if end := p.detailEnd(i + 1); end > 0 {
			return end
		}
	}
	if !p.has(i, text.Negation) {
		return i
	}
	if p.is(i, hashNone) && p.has(i+1, text.Preposition) {
		if end := p.sourcesEnd(i + 2); end > i+2 && (p.has(end, text.ReportingVerb) || p.is(end, hashTalk)) {
			return end + 1
		}
	}
	for v := i + 1; v <= i+3; v++ {
		if p.has(v, text.ReportingVerb|text.GivenWord|text.FindingVerb) && p.has(v+1, text.Preposition) {
			if end := p.sourcesEnd(v + 2); end > v+2 {
				return end
			}
		}
		if p.is(v, hashPossible) && p.has(v+2, text.FindingVerb|text.ReportingVerb) && p.mentionsSources() {
			return v + 3
		}
	}
	if end := p.detailEnd(i + 1); end > 0 {
		for k := end; k < len(p.tokens) && k < end+12; k++ {
			if p.has(k, text.GivenWord) || k > end && p.has(k-1, text.Determiner|text.Preposition) && p.sourcesEnd(k) > k {
				return k + 1
			}
		}
	}
	return i
}

// unableToAnswer matches "I cannot determine", "unable to answer based on …", "it cannot be determined from the passages" at
// the start.
func (p *claimParser) unableToAnswer(i int) int {
	for k := i; k < i+6; k++ {
		if !p.has(k, text.Negation) {
			continue
		}
		for v := k + 1; v <= k+4; v++ {
			if p.has(v, text.FindingVerb) && (p.has(i, text.SelfReference) || p.has(k, text.SelfReference) || p.is(v-1, hashBe) && p.laterSources(v+1)) {
				return v + 1
			}
		}
	}
	return i
}

// detailEnd is the end of "information", "any specific details" and the like at i, 0 for none.
func (p *claimParser) detailEnd(i int) int {
	for k := i; k < i+3; k++ {
		if p.has(k, text.DetailNoun) {
			return k + 1
		}
	}
	return 0
}

func (p *claimParser) negatedBefore(i int) bool {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if p.has(k, text.Negation) {
			return true
		}
	}
	return false
}

// mentionsSources reports a mention of the sources in the sentence.
func (p *claimParser) mentionsSources() bool {
	if p.sources == unread {
		p.sources = missing
		if p.laterSources(0) {
			p.sources = present
		}
	}
	return p.sources == present
}

func (p *claimParser) laterSources(i int) bool {
	for ; i < len(p.tokens); i++ {
		if p.sourcesEnd(i) > i {
			return true
		}
	}
	return false
}
