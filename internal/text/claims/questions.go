package claims

import (
	"strings"

	"confab/internal/text"
)

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
	t := statements{s, sentences, ranges, tokens}
	for i, span := range sentences {
		if line := span.In(s); line[0] != '#' && line[0] != '`' && isQuestion(line) {
			dst = t.appendQuestion(dst, i)
		}
	}
	return dst
}

// appendQuestion appends what the i-th sentence, a question, presupposes, unless it is a request.
func (t statements) appendQuestion(dst []Claim, i int) []Claim {
	span, r := t.sentences[i], t.ranges[i]
	p := newParser(t.s, span, t.tokens[r.First:r.Last])
	if len(p.tokens) == 0 || p.matchAt(0, requests) > 0 {
		return dst
	}
	first := p.matchAt(0, askedStatements)
	if first == len(p.tokens) || countWords(p.tokens[first:]) < minAskedWords {
		return dst
	}
	c := Claim{Sentence: int32(i), Start: span.Start, End: span.End, First: r.First + int32(first), Last: r.Last}
	if first > 0 {
		c.Start = p.tokens[first].Start
	}
	return append(dst, c)
}

// isAnswered reports a question that states facts: it begins as a statement does ("did you know that …"), or the next
// sentence is a fragment that answers it.
func (t statements) isAnswered(i int) bool {
	r := t.ranges[i]
	if !t.hasFact(i) {
		return false
	}
	p := newParser(t.s, t.sentences[i], t.tokens[r.First:r.Last])
	return p.matchAt(0, askedStatements) > 0 || i+1 < len(t.sentences) && t.isFragment(i+1)
}

// answers reports a fragment with a fact that answers the question before it.
func (t statements) answers(i int) bool {
	return i > 0 && isQuestion(t.sentences[i-1].In(t.s)) && t.isFragment(i) && t.hasFact(i)
}

// isFragment reports a sentence of a few words on the line of the sentence before it that does not ask.
func (t statements) isFragment(i int) bool {
	line, r := t.sentences[i].In(t.s), t.ranges[i]
	words := countWords(t.tokens[r.First:r.Last])
	return words > 0 && words < MinWords && !isQuestion(line) &&
		!strings.ContainsAny(t.s[t.sentences[i-1].End:t.sentences[i].Start], "\n\r")
}

// hasFact reports a number, or a capital letter behind the first word of the i-th sentence.
func (t statements) hasFact(i int) bool {
	r := t.ranges[i]
	for k := r.First; k < r.Last; k++ {
		w := &t.tokens[k]
		if !w.Has(text.Marker) && (w.Kind == text.Number || k > r.First && text.IsUpper(t.s[w.Start])) {
			return true
		}
	}
	return false
}
