package claims

import "confab/internal/text"

//nolint:gochecknoglobals // read-only tables
var (
	// askedStatements are phrases before what a question states.
	askedStatements = text.HashPhrases(`did you know that|did you know|do you know that|do you know|didn't you know that|have you heard that`)

	// requests are questions to the reader, which presuppose nothing that a source could have.
	requests = text.HashPhrases(`would you like|do you want|do you need|can you|could you|can i|could i|may i|shall i|should i|would you|will you|how can
i|how may i|what can i|what would you|which one|do you mean|did you mean|what do you mean|anything else|is there anything|what else|does
that|does this|is that|is this|are you`)
)

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
		p := newParser(s, span, tokens[r.First:r.Last])
		if len(p.tokens) == 0 || p.matchAt(0, requests) > 0 {
			continue
		}
		first := p.matchAt(0, askedStatements)
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
