package claims

import (
	"strings"

	"confab/internal/text"
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
// fewer than MinWords words, questions, courtesies, headings, code, announcements ("here is a summary in 78 words") and
// abstentions ("the passages do not mention it"), and cuts off lead-ins ("according to passage 2, …").
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
	code := false
	for i, span := range t.sentences {
		line := span.In(t.s)
		if strings.Contains(line, "```") {
			if strings.Count(line, "```")%2 == 1 {
				code = !code
			}
			continue
		}
		if code || line[0] == '#' || strings.HasPrefix(line, "|--") || isQuestion(line) {
			continue
		}
		r := t.ranges[i]
		p := claimParser{s: t.s, end: int(span.End), tokens: t.tokens[r.First:r.Last]}
		first, last := p.claimTokens()
		if countWords(p.tokens[first:last]) < least {
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
	sentence = strings.TrimRight(sentence, " *_)")
	return strings.HasSuffix(sentence, "?") || strings.HasSuffix(sentence, "？") || strings.HasSuffix(sentence, "؟")
}

// claimParser finds the claim of one sentence.
type claimParser struct {
	s      string // the text of the tokens
	end    int    // of the sentence
	tokens []text.Token
}

// claimTokens returns the tokens of the claim, half open; the range is empty without a claim.
func (p *claimParser) claimTokens() (first, last int) {
	n := len(p.tokens)
	if n == 0 {
		return 0, 0
	}
	first = p.listNumber()
	if opened := p.matchAt(0, unsureOpeners); opened > 0 {
		first = p.contrastAfter(opened)
	}
	if first == n || p.matchAt(first, courtesies) > 0 {
		return 0, 0
	}
	for skip := p.leadInEnd(first); skip > first; skip = p.leadInEnd(first) {
		first = skip
	}
	first = p.announcementEnd(first)
	for first < n {
		from, to := p.abstention(first)
		if from < 0 {
			break
		}
		if before := p.contrastBefore(from); before > first && countWords(p.tokens[first:before]) >= MinWords {
			return first, before
		}
		first = p.contrastAfter(to)
	}
	return first, n
}

// contrastBefore is the index of a "but" shortly before i, -1 for none.
func (p *claimParser) contrastBefore(i int) int {
	for k := i - 1; k >= 0 && k >= i-3; k-- {
		if p.has(k, text.Contrast) {
			return k
		}
	}
	return -1
}

// contrastAfter is the index after the first "but" at or after i, the end of the sentence for none.
func (p *claimParser) contrastAfter(i int) int {
	for k := i; k < len(p.tokens); k++ {
		if p.has(k, text.Contrast) {
			return k + 1
		}
	}
	return len(p.tokens)
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
