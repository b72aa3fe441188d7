package claims

import "confab/internal/text"

// minAskedWords is the smallest number of words of a question that is read as a claim.
const minAskedWords = 3

// AppendQuestions appends the questions of s, for answers without statements: a question may presuppose something that no
// source has ("did you know that …"). Code and headings are skipped.
func AppendQuestions(dst []Claim, s string, sentences []text.Span, ranges []text.Range, tokens []text.Token) []Claim {
	for i, span := range sentences {
		line, r := span.In(s), ranges[i]
		if line[0] == '#' || line[0] == '`' || !isQuestion(line) {
			continue
		}
		p := claimParser{s: s, end: int(span.End), tokens: tokens[r.First:r.Last]}
		if len(p.tokens) == 0 || p.startsWith(0, request) > 0 {
			continue
		}
		first := p.startsWith(0, asked)
		if first == len(p.tokens) || countWords(p.tokens[first:]) < minAskedWords {
			continue
		}
		c := Claim{Sentence: int32(i), Start: span.Start, End: span.End, First: r.First + int32(first), Last: r.Last}
		if first > 0 {
			c.Start = p.tokens[first].Start
		}
		dst = append(dst, c)
	}
	return dst
}
