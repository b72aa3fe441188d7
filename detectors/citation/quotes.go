package citation

import (
	"strings"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/text"
)

const (
	maxQuotes    = 32  // quotations that are compared
	maxQuote     = 600 // bytes of one
	minWords     = 4   // fewer are a title or a term
	maxPieces    = 64  // pieces of quotations that are searched
	tokensByUnit = 4   // source tokens searched per unit of work
	openCost     = 10  // units of work per mark that may open a quotation
)

// Fault is a quotation that no source supports.
type Fault struct {
	Start, End int // bytes of the answer, without the marks

	// Speaker is who says it in the source, where that is somebody else; "" if no source has the words.
	Speaker                        string
	Source, SourceStart, SourceEnd int // the words there; Source is -1 without a place
}

// checker holds the buffers of one document.
type checker struct {
	doc    *detectors.Document
	faults []Fault
	pieces []text.Range // of the quotation, in tokens of the answer
	prompt []text.Token
	read   bool // prompt holds the tokens of the messages
	left   int  // pieces that may still be searched
}

// marks are the pairs of quotation marks.
//
//nolint:gochecknoglobals // a read-only table
var marks = [...][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"„", "”"}, {"«", "»"}, {"「", "」"}}

// Faults returns the quotations of the answer that it attributes to somebody or cites, and that no source and no message has
// word by word, or that a source attributes to somebody else. Case, punctuation, omissions (…) and insertions in brackets
// are allowed. It returns nothing if part of the sources was cut off.
func Faults(d *detectors.Document) []Fault {
	answer := d.Prose()
	d.Work().Spend(1 + len(answer)/1024)
	quoted := false
	for i := range marks {
		quoted = quoted || strings.Contains(answer, marks[i][0])
	}
	if !quoted || isRecord(answer) {
		return nil
	}
	c, _ := detectors.Scratch[checker](d)
	c.doc, c.faults, c.read, c.left = d, c.faults[:0], false, maxPieces
	if len(d.AllSourceSentences()) == 0 || !d.Comparable() || d.Truncated() {
		return nil
	}
	c.checkAll(answer)
	return c.faults
}

// isRecord reports an answer that is JSON, in which marks delimit strings.
func isRecord(s string) bool {
	s = strings.TrimLeft(s, " \r\n\t`jsonJSON")
	return s != "" && (s[0] == '{' || s[0] == '[')
}

func (c *checker) checkAll(answer string) {
	token := 0
	for i, n := 0, 0; i < len(answer) && n < maxQuotes && c.doc.Work().Spend(1); {
		start, end, next := c.nextQuote(answer, i)
		if start < 0 {
			return
		}
		i = next
		if end-start < minWords {
			continue
		}
		n++
		token = c.check(start, end, token)
	}
}

// nextQuote is the next quotation from i on, without its marks, and where to go on. start is negative if there is none.
func (c *checker) nextQuote(s string, i int) (start, end, next int) {
	for i < len(s) && c.doc.Work().Spend(openCost) {
		at := nextMark(s[i:])
		if at < 0 {
			break
		}
		i += at
		for _, pair := range marks {
			if !strings.HasPrefix(s[i:], pair[0]) || pair[0] == `"` && !opens(s, i) {
				continue
			}
			inner := s[i+len(pair[0]):]
			inner = inner[:min(len(inner), maxQuote)]
			if n := strings.Index(inner, pair[1]); n >= 0 && strings.Count(inner[:n], "\n") == 0 {
				start = i + len(pair[0])
				return start, start + n, start + n + len(pair[1])
			}
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return -1, -1, len(s)
}

// nextMark is the index of the first mark that may open a quotation, -1 for none.
func nextMark(s string) int {
	for i := range len(s) {
		if s[i] == '"' || s[i] >= utf8.RuneSelf && startsWithMark(s[i:]) {
			return i
		}
	}
	return -1
}

func startsWithMark(s string) bool {
	for i := range marks {
		if strings.HasPrefix(s, marks[i][0]) {
			return true
		}
	}
	return false
}

// opens reports whether the straight mark at i opens a quotation.
func opens(s string, i int) bool {
	before := i == 0 || strings.IndexByte(" \t\n([:,-*_", s[i-1]) >= 0 || s[i-1] >= utf8.RuneSelf
	return before && i+1 < len(s) && s[i+1] != ' '
}

// check compares one quotation, and returns the first token behind it.
func (c *checker) check(start, end, token int) int {
	tokens := c.doc.Tokens()
	for token < len(tokens) && int(tokens[token].Start) < start {
		token++
	}
	last := token
	for last < len(tokens) && int(tokens[last].End) <= end {
		last++
	}
	c.doc.Work().Spend(1 + (last-token)/detectors.ScanRows)
	if c.splitPieces(token, last) < minWords {
		return last
	}
	claimed, speaker := c.attribution(start, end)
	if !claimed {
		return last
	}
	fault := Fault{Start: start, End: end, Source: -1}
	at, held := c.find(c.doc.SourceTokens())
	switch {
	case !held:
		if !c.inMessages() {
			c.faults = append(c.faults, fault)
		}
	case speaker != "":
		if c.compareSpeaker(&fault, at, speaker) {
			c.faults = append(c.faults, fault)
		}
	}
	return last
}

// splitPieces splits the tokens at omissions and insertions, and returns the number of words that are left.
func (c *checker) splitPieces(first, last int) (words int) {
	c.pieces = c.pieces[:0]
	tokens, answer := c.doc.Tokens(), c.doc.Answer()
	grams, inserted, from := 0, false, first
	flush := func(to int) {
		if to > from {
			c.pieces = append(c.pieces, text.Range{First: int32(from), Last: int32(to)})
		}
	}
	for i := first; i < last; i++ {
		if i > first {
			gap := text.Between(answer, tokens[i-1].End, tokens[i].Start)
			switch {
			case strings.ContainsAny(gap, "[("):
				flush(i)
				inserted = !strings.ContainsAny(gap[strings.LastIndexAny(gap, "[("):], "])")
				from = i
			case inserted && strings.ContainsAny(gap, "])"):
				inserted, from = false, i
			case endsPiece(gap):
				flush(i)
				from = i
			}
		}
		switch {
		case inserted || tokens[i].Has(text.Marker):
			from = i + 1
		case tokens[i].Kind == text.Gram:
			grams++
		default:
			words++
		}
	}
	flush(last)
	return words + grams/2
}

// endsPiece reports an omission, or the end of a sentence, where a speech may have been interrupted.
func endsPiece(gap string) bool {
	return strings.ContainsAny(gap, ".!?…。！？") || strings.Contains(gap, "--")
}
