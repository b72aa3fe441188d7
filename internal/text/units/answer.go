package units

import (
	"strings"

	"confab/internal/text"
)

// maxTitle is the length, in words, above which a line in bold is read as a statement.
const maxTitle = 8

// readSentence adds a sentence of an answer, or a part of one that starts a line.
func (p *reader) readSentence(start, end int, r text.Range, first bool) {
	line := p.s[start:end]
	form, body, indent := Sentence, 0, 0
	heading := false
	if first {
		p.table = 0
		if p.readListed(start, end, r) {
			return
		}
		indent = p.indentOf(start)
		body, form, heading = lineMark(line)
		if body > 0 {
			r = p.after(start+body, r)
		}
		if form != Item && p.blankBefore(start) && !heading {
			p.lead, p.sub = text.Range{}, text.Range{}
		}
	}
	if r.Len() == 0 {
		return
	}
	u := Unit{Start: int32(start), End: int32(end), Form: form}
	if form == Item {
		u.Context = p.lead
		if p.sub.Len() > 0 && indent > p.indent {
			u.Context = p.sub
		}
	} else if !first && len(p.Units) > 0 && p.Units[len(p.Units)-1].Form == Item {
		u.Form, u.Context = Item, p.Units[len(p.Units)-1].Context
	}
	if heading || first && p.isBold(start+body, end, r) {
		u.Kind = Heading
	} else {
		r = p.classify(&u, r)
	}
	p.add(u, r)
	switch {
	case u.Form != Item:
		p.lead, p.sub = r, text.Range{}
	case first && (u.Kind == LeadIn || u.Kind == Heading):
		p.sub, p.indent = r, indent
	case first && indent <= p.indent:
		p.sub = text.Range{}
	}
}

// after drops the tokens before the byte.
func (p *reader) after(at int, r text.Range) text.Range {
	for r.First < r.Last && int(p.tokens[r.First].Start) < at {
		r.First++
	}
	return r
}

func (p *reader) indentOf(start int) int {
	n := 0
	for start-n > 0 && (p.s[start-n-1] == ' ' || p.s[start-n-1] == '\t') {
		n++
	}
	return n
}

// blankBefore reports an empty line before the line of the byte.
func (p *reader) blankBefore(start int) bool {
	breaks := 0
	for i := start - 1; i >= 0 && isBlank(p.s[i]); i-- {
		if p.s[i] == '\n' {
			breaks++
		}
	}
	return breaks > 1
}

// lineMark is the length of the marks before the text of a line: of a list item, a heading or a quotation.
func lineMark(line string) (body int, form Form, heading bool) {
	for {
		rest := line[body:]
		n := 0
		switch c := rest[:min(1, len(rest))]; {
		case c == "#":
			n, heading = len(rest)-len(strings.TrimLeft(rest, "#")), true
		case c == ">":
			n = 1
		case c == "-" || c == "*" || c == "+":
			if len(rest) > 1 && isBlank(rest[1]) {
				n, form = 1, Item
			}
		case strings.HasPrefix(rest, "•") || strings.HasPrefix(rest, "–") || strings.HasPrefix(rest, "▪") || strings.HasPrefix(rest, "◦"):
			n, form = len("•"), Item
			if rest[n-1] == 0x93 {
				n = len("–")
			}
		case strings.HasPrefix(rest, "[ ]"), strings.HasPrefix(rest, "[x]"):
			n, form = 3, Item
		default:
			if n = listNumber(rest); n > 0 {
				form = Item
			}
		}
		if n == 0 {
			return body, form, heading
		}
		for body += n; body < len(line) && isBlank(line[body]); body++ {
		}
		if heading && form == Item {
			form = Sentence
		}
	}
}

// listNumber is the length of "1.", "2)", "a)" before white space, 0 for none.
func listNumber(s string) int {
	n := 0
	for n < len(s) && n < 3 && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	if n == 0 && len(s) > 1 && s[1] == ')' && 'a' <= s[0]|0x20 && s[0]|0x20 <= 'z' {
		n = 1
	}
	if n == 0 || n+1 >= len(s) || s[n] != '.' && s[n] != ')' || !isBlank(s[n+1]) {
		return 0
	}
	return n + 1
}

// isBold reports a line of a few words that is bold as a whole, without a figure or the mark of a sentence.
func (p *reader) isBold(start, end int, r text.Range) bool {
	line := p.s[start:end]
	if !strings.HasPrefix(line, "**") && !strings.HasPrefix(line, "__") || p.lineEnd(end) != end && strings.TrimSpace(p.s[end:p.lineEnd(end)]) != "" {
		return false
	}
	inner, found := strings.CutSuffix(strings.TrimRight(line[2:], ": "), line[:2])
	return found && r.Len() <= maxTitle && !strings.ContainsAny(inner, "*.!?0123456789")
}

// readListed adds a line of a list of sources, and reports whether it is one.
func (p *reader) readListed(start, end int, r text.Range) bool {
	line := p.s[start:end]
	switch tag := sourceTag(line); {
	case p.closing != "":
		if strings.Contains(line, p.closing) {
			p.closing, p.listed = "", false
		}
	case tag != "":
		if p.closing = "</" + tag; strings.Contains(line, p.closing) {
			p.closing = ""
		}
		p.listed = p.closing != ""
	case isSourceHeader(line, p.tokens[r.First:r.Last]):
		p.listed = true
	case p.listed && p.isReference(line, r):
	default:
		p.listed = false
		return false
	}
	p.add(Unit{Start: int32(start), End: int32(end), Kind: Citations}, r)
	return true
}

// sourceTag is the name of the tag of a list of sources at the start of the line.
func sourceTag(line string) string {
	if line[0] != '<' {
		return ""
	}
	end := strings.IndexByte(line[:min(len(line), 16)], '>')
	if end < 2 || !sourceHeaders.Has(text.Hash(line[1:end])) {
		return ""
	}
	return line[1:end]
}

// isSourceHeader reports "Sources:", "**References**", "Source: handbook.pdf".
func isSourceHeader(line string, tokens []text.Token) bool {
	if len(tokens) == 0 || !sourceHeaders.Has(tokens[0].Hash) {
		return false
	}
	if len(tokens) == 1 {
		return true
	}
	rest := strings.TrimLeft(line[tokens[0].End-tokens[0].Start+int32(strings.IndexByte(line, line[0])):], "*_ ")
	return strings.Contains(rest[:min(len(rest), 24)], ":") && len(tokens) < 2+maxTitle
}

// isReference reports a line that names a source: an item, a marker, an address.
func (p *reader) isReference(line string, r text.Range) bool {
	body, form, heading := lineMark(line)
	return !heading && (form == Item || line[body] == '[' || r.Len() > 0 && p.tokens[r.First].Has(text.Marker) || strings.Contains(line, "://"))
}
