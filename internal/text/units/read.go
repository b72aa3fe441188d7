package units

import (
	"strings"

	"confab/internal/text"
)

// Prose of a source of more tokens than maxProse is cut into pieces of pieceTokens.
const (
	maxProse    = 150
	pieceTokens = 100
)

// reader splits one text, line by line.
type reader struct {
	*List
	s         string
	prose     string // s without code; of an answer
	sentences []text.Span
	ranges    []text.Range
	tokens    []text.Token
	answer    bool

	at             int        // what is before it has been read
	token          int32      // the first one that was not looked at
	lead, sub      text.Range // tokens of the lead-in, heading or caption above; of a list item that is a lead-in
	indent         int        // of that item
	table          byte       // separator of the cells of the table so far, 0 outside of one
	listed, tagged bool       // inside a list of sources; of one in tags
}

// read reads all sentences.
func (p *reader) read() {
	for i := range p.sentences {
		for p.next(i) {
		}
	}
}

// next reads the next part of the i-th sentence, and reports whether there may be more of it.
func (p *reader) next(i int) bool {
	span, r := p.sentences[i], p.ranges[i]
	start, end := max(int(span.Start), p.at), int(span.End)
	for start < end && isBlank(p.s[start]) {
		start++
	}
	if start >= end {
		return false
	}
	r.First = p.after(r.First, r.Last, start)
	first := p.startsLine(start)
	switch {
	case p.answer && p.prose != p.s && strings.TrimSpace(p.prose[start:end]) == "":
		p.at = end
		p.add(Unit{Start: int32(start), End: int32(end), Kind: Code}, r)
		return false
	case first && p.readBlock(start):
		return true
	}
	if p.at = p.proseEnd(start, end); p.at < end {
		end = p.at
		r.Last = p.after(r.First, r.Last, end)
	}
	p.readSentence(start, end, r, first)
	return end < int(span.End)
}

// readBlock reads the row of a table or the JSON at the start of a line, and reports whether there was one.
func (p *reader) readBlock(start int) bool {
	if p.listed || p.tagged {
		return false
	}
	if c := p.s[start]; (c == '{' || c == '[') && beginsJSON(p.s[start:]) {
		p.at = p.readJSON(start)
		return true
	}
	return p.readRow(start)
}

// proseEnd is the end of the sentence at start, or of its line before the first row of a table in it.
func (p *reader) proseEnd(start, end int) int {
	for n := strings.IndexByte(p.s[start:end], '\n'); n >= 0; n = strings.IndexByte(p.s[start:end], '\n') {
		start += n + 1
		if stop := p.lineEnd(start); p.separator(p.s[start:stop], stop) != 0 {
			return start - 1
		}
	}
	return end
}

// startsLine reports a byte before which its line has only white space.
func (p *reader) startsLine(i int) bool {
	for i--; i >= 0 && isBlank(p.s[i]); i-- {
		if p.s[i] == '\n' || p.s[i] == '\r' {
			return true
		}
	}
	return i < 0
}

func isBlank(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// lineEnd is the end of the line at i, without its line break.
func (p *reader) lineEnd(i int) int {
	if n := strings.IndexByte(p.s[i:], '\n'); n >= 0 {
		return i + n
	}
	return len(p.s)
}

// after is the first token of [first, last) that starts at or after the byte.
func (p *reader) after(first, last int32, at int) int32 {
	for first < last && int(p.tokens[first].Start) < at {
		first++
	}
	return first
}

// tokensIn is the range of the tokens that start in [start, end). A later call has no smaller start.
func (p *reader) tokensIn(start, end int) text.Range {
	last := int32(len(p.tokens))
	p.token = p.after(p.token, last, start)
	return text.Range{First: p.token, Last: p.after(p.token, last, end)}
}

// addProse adds the tokens as one unit, in a source as several if there are very many.
func (p *reader) addProse(u Unit, r text.Range) {
	for !p.answer && r.Len() > maxProse {
		cut := r.First + pieceTokens
		piece := u
		piece.End, u.Start = p.tokens[cut-1].End, p.tokens[cut].Start
		p.add(piece, text.Range{First: r.First, Last: cut})
		r.First = cut
	}
	p.add(u, r)
}
