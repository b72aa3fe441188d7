package claims

import (
	"strings"

	"confab/internal/text"
	"confab/internal/text/markup"
)

// Claim is a sentence, or its part without lead-in and abstention, that states something a source could support.
type Claim struct {
	Sentence    int32 // index of its sentence
	Start, End  int32 // bytes of the text
	First, Last int32 // its tokens, half open
}

// MinWords is the smallest number of words of a claim.
const MinWords = 5

// Append appends the claims among the sentences of s with the token ranges of [text.AppendTokenRanges]. It skips text of
// fewer than MinWords words (rows of a table: two), questions, courtesies, advice, code, headings that only name what follows,
// announcements ("here is a summary in 78 words") and abstentions ("the passages do not mention it"), and cuts off lead-ins
// ("according to passage 2, …"). A question with facts that a fragment answers ("What costs 30 euros? The lamp.") is a claim,
// and so is the fragment if it has a fact.
func Append(dst []Claim, s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) []Claim {
	return statements{s, sentences, ranges, tokens}.appendClaims(dst, MinWords)
}

// AppendShort is Append with a minimum of one word ("New Orleans Saints"), for answers without longer claims.
func AppendShort(dst []Claim, s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) []Claim {
	return statements{s, sentences, ranges, tokens}.appendClaims(dst, 1)
}

// statements are the sentences of a text.
type statements struct {
	s         string
	sentences []text.Span
	ranges    []text.Range // of the sentences' tokens
	tokens    []text.Token
}

func (t statements) appendClaims(dst []Claim, least int) []Claim {
	prose := markup.OpenFences(t.s)
	for i, span := range t.sentences {
		line := span.In(t.s)
		if isBlank(span.In(prose)) {
			continue // code
		}
		if isQuestion(line) {
			if t.isAnswered(i) {
				dst = t.appendQuestion(dst, i)
			}
			continue
		}
		if line[0] == '#' && !t.isStatement(i, least) || t.isTableHead(i) || t.isBoldHeading(i) {
			continue
		}
		r := t.ranges[i]
		p := newParser(t.s, span, t.tokens[r.First:r.Last])
		first, last := p.claimTokens()
		words := countWords(p.tokens[first:last])
		if words < least && (line[0] != '|' || words < minRowWords) && (words == 0 || !t.answers(i)) {
			continue
		}
		c := Claim{Sentence: int32(i), Start: span.Start, End: span.End, First: r.First + int32(first), Last: r.First + int32(last)}
		if first > 0 {
			c.Start = p.tokens[first].Start
		}
		if last < len(p.tokens) {
			c.End = p.tokens[last-1].End
		}
		dst = append(dst, c)
	}
	return dst
}

// maxTitle is the length, in words, above which a heading without a full stop is read as a statement.
const maxTitle = 10

// isStatement reports a heading that states something: it ends as a sentence does, is very long, or is read because the
// answer has nothing longer than least words.
func (t statements) isStatement(i, least int) bool {
	line := strings.TrimRight(t.sentences[i].In(t.s), " #*_")
	if n := strings.LastIndexByte(line, '['); n > 0 && strings.HasSuffix(line, "]") {
		line = strings.TrimRight(line[:n], " ")
	}
	r := t.ranges[i]
	return least < MinWords || strings.HasSuffix(line, ".") || strings.HasSuffix(line, "!") || strings.HasSuffix(line, "。") ||
		countWords(t.tokens[r.First:r.Last]) > maxTitle
}

// HasCode reports whether sentences of s are code, in which no claims are read. prose is s of [markup.OpenFences].
func HasCode(s, prose string, sentences []text.Span) bool {
	for _, span := range sentences {
		if line := span.In(s); isBlank(span.In(prose)) && !strings.Contains(line, "```") && !strings.Contains(line, "~~~") {
			return true
		}
	}
	return false
}

// isBlank reports a sentence that was blanked.
func isBlank(line string) bool { return line[0] == ' ' && strings.TrimSpace(line) == "" }

// countWords counts words and numbers outside of citation markers. Two character pairs count as one word.
func countWords(tokens []text.Token) int {
	n := 0
	for i := range tokens {
		switch {
		case tokens[i].Has(text.Marker):
		case tokens[i].Kind == text.Gram:
			n++
		default:
			n += 2
		}
	}
	return n / 2
}

func isQuestion(sentence string) bool {
	if sentence[len(sentence)-1] == '.' {
		return false // nearly every one
	}
	sentence = strings.TrimRight(sentence, " *_)")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "؟")
}

// claimParser finds the claim of one sentence.
type claimParser struct {
	s      string // the text of the tokens
	end    int    // of the sentence
	tokens []text.Token
	flags  text.Flags // of any token
	roles  role       // of phrases that may begin with one of the tokens

	abstains           bool     // reading an abstention: any document counts as a source
	documents, sources presence // of words for them in the sentence
}

func newParser(s string, sentence text.Span, tokens []text.Token) claimParser {
	p := claimParser{s: s, end: int(sentence.End), tokens: tokens}
	for i := range tokens {
		p.flags |= tokens[i].Flags
		p.roles |= knownPhrases.rolesOf(tokens[i].Hash)
	}
	return p
}

// presence is whether something occurs in a sentence.
type presence uint8

const (
	unread presence = iota
	missing
	present
)

// claimTokens returns the tokens of the claim, half open; the range is empty without a claim.
func (p *claimParser) claimTokens() (first, last int) {
	n := len(p.tokens)
	if n == 0 {
		return 0, 0
	}
	first, ok := p.skipOpenings(p.listNumber())
	if !ok || p.hasAside(first) || p.advises(first) {
		return 0, 0
	}
	first = p.announcementEnd(first)
	for first < n {
		from, to := p.abstention(first)
		if from < 0 {
			break
		}
		if before := p.contrastBefore(first, from); before > first && countWords(p.tokens[first:before]) >= MinWords {
			return first, before
		}
		first = p.contrastAfter(first, to)
	}
	return first, n
}

// contrastBefore is the index of a "but" before the abstention at i, -1 for none. In English it stands next to it.
func (p *claimParser) contrastBefore(first, i int) int {
	reach := 3
	if p.startsWith(i, absent) > 0 {
		reach = maxContrast
	}
	for k := i - 1; k > first && k >= i-reach; k-- {
		if p.isContrast(k) {
			return k
		}
	}
	return -1
}

// maxContrast is the largest distance, in words, of a "but" before an abstention.
const maxContrast = 16

// contrastAfter is the index after the first "but" or semicolon at or after i, or after the comma if the sentence starts
// with "although"; the end of the sentence for none.
func (p *claimParser) contrastAfter(first, i int) int {
	concession := p.has(first, text.Contrast) && !p.is(first, hashBut)
	for k := i; k < len(p.tokens); k++ {
		if p.isContrast(k) || concession && k > i && strings.HasPrefix(p.s[p.tokens[k-1].End:p.end], ",") {
			if p.isContrast(k) {
				return k + 1
			}
			return k
		}
		if k > i && strings.HasPrefix(p.s[p.tokens[k-1].End:p.end], ";") {
			return k
		}
	}
	return len(p.tokens)
}

// isContrast reports "but", in several languages.
func (p *claimParser) isContrast(i int) bool {
	return p.has(i, text.Contrast) || i < len(p.tokens) && p.tokens[i].Kind == text.Gram && strings.HasPrefix(p.s[p.tokens[i].Start:], "但")
}

// has reports whether the i-th token exists and has any of the flags.
func (p *claimParser) has(i int, f text.Flags) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].Has(f)
}

// is reports whether the i-th token exists and has the hash.
func (p *claimParser) is(i int, hash uint64) bool {
	return i >= 0 && i < len(p.tokens) && p.tokens[i].Hash == hash
}

// nextChar is the first character after the i-th token that is neither space nor emphasis, 0 at the end of the sentence.
func (p *claimParser) nextChar(i int) byte {
	for k := int(p.tokens[i].End); k < p.end; k++ {
		if c := p.s[k]; c != ' ' && c != '*' && c != '_' {
			return c
		}
	}
	return 0
}
