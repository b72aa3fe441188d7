package units

import (
	"strings"

	"confab/internal/text"
)

// reader splits one text, line by line.
type reader struct {
	*List
	s         string
	prose     string // s without code, of an answer
	sentences []text.Span
	ranges    []text.Range
	tokens    []text.Token
	answer    bool

	at      int        // what is before it has been read
	lead    text.Range // tokens of the lead-in or heading above
	sub     text.Range // of a list item that is a lead-in itself
	indent  int        // of that item
	table   byte       // separator of the cells of the table so far, 0 outside of one
	listed  bool       // inside a list of sources
	hint    int32      // a token near the place
	closing string     // tag that ends it, "" for none
}

// read reads all sentences.
func (p *reader) read() {
	for i := 0; i < len(p.sentences); i++ {
		for p.next(i) {
		}
	}
}

// next reads the next part of the i-th sentence, and reports whether there may be more of it.
func (p *reader) next(i int) bool {
	span := p.sentences[i]
	start := max(int(span.Start), p.at)
	for start < int(span.End) && isBlank(p.s[start]) {
		start++
	}
	if start >= int(span.End) {
		return false
	}
	r := p.ranges[i]
	if start > int(span.Start) {
		r = p.tokensIn(start, int(span.End))
	}
	first, end := p.startsLine(start), int(span.End)
	switch {
	case p.answer && p.blanked(start, end):
		p.at = end
		p.add(Unit{Start: int32(start), End: int32(end), Kind: Code}, r)
		return false
	case first && p.readBlock(start):
		return true
	case r.Len() == 0:
		return false
	}
	p.at = end
	if p.answer {
		p.readSentence(start, end, r, first)
	} else {
		p.cutProse(Sentence, start, end, r)
	}
	return false
}

// readBlock reads the row of a table or the JSON at the start of a line, and reports whether there was one.
func (p *reader) readBlock(start int) bool {
	switch c := p.s[start]; {
	case !p.answer && (c == '{' || c == '[') && beginsJSON(p.s[start:]):
		p.at = p.readJSON(start)
		return true
	case p.listed:
		return false
	default:
		return p.readRow(start)
	}
}

// blanked reports a part of the text that is code.
func (p *reader) blanked(start, end int) bool {
	return p.prose != p.s && strings.TrimSpace(p.prose[start:end]) == ""
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

// tokensIn is the range of the tokens that start in [start, end).
func (p *reader) tokensIn(start, end int) text.Range {
	low := p.hint
	if int(low) < len(p.tokens) && int(p.tokens[low].Start) > start {
		low = 0
	}
	first := p.tokenAt(low, start)
	p.hint = max(first-1, 0)
	return text.Range{First: first, Last: p.tokenAt(first, end)}
}

// tokenAt is the first token from low on that starts at or after the byte.
func (p *reader) tokenAt(low int32, at int) int32 {
	step := int32(1)
	high := low
	for int(high) < len(p.tokens) && int(p.tokens[high].Start) < at { // gallop: most parts are short
		low = high + 1
		high += step
		step *= 2
	}
	high = min(high, int32(len(p.tokens)))
	for low < high {
		if mid := (low + high) / 2; int(p.tokens[mid].Start) < at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// Prose of more tokens than maxProse is cut into pieces of pieceTokens.
const (
	maxProse    = 150
	pieceTokens = 100
)

// cutProse adds the tokens as one unit, or as several if there are very many.
func (p *reader) cutProse(form Form, start, end int, r text.Range) {
	for r.Len() > maxProse {
		cut := r.First + pieceTokens
		to := int(p.tokens[cut-1].End)
		p.add(Unit{Start: int32(start), End: int32(to), Form: form}, text.Range{First: r.First, Last: cut})
		r.First, start = cut, int(p.tokens[cut].Start)
	}
	p.add(Unit{Start: int32(start), End: int32(end), Form: form}, r)
}
