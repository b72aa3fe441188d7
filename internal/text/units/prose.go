package units

import (
	"strings"
	"unicode/utf8"

	"confab/internal/text"
)

// Words of a line in bold, or of a heading with the end of a sentence, above which it is a statement, and of a line about a source below which it is a citation.
const maxTitle = 8

// readSentence adds a sentence, or a part of one; first says that it starts a line.
func (p *reader) readSentence(start, end int, r text.Range, first bool) {
	u := Unit{Start: int32(start), End: int32(end)}
	if !p.answer {
		if first {
			body, _, _ := LineMark(p.s[start:end])
			r.First = p.after(r.First, r.Last, start+body)
		}
		p.lead = r
		p.addProse(u, r)
		return
	}
	if p.isListed(start, end, r, first) {
		u.Kind = Citations
		p.add(u, r)
		return
	}
	body, indent, heading := 0, 0, false
	if first {
		p.table = 0
		body, u.Form, heading = LineMark(p.s[start:end])
		r.First = p.after(r.First, r.Last, start+body)
		indent = start - 1 - strings.LastIndexByte(p.s[:start], '\n')
	}
	switch n := len(p.Units); {
	case r.Len() == 0:
		return
	case u.Form == Item && p.sub.Len() > 0 && indent > p.indent:
		u.Context = p.sub
	case u.Form == Item:
		u.Context = p.lead
	case !first && n > 0 && p.Units[n-1].Form == Item:
		u.Form, u.Context = Item, p.Units[n-1].Context
	}
	if heading && !p.isSentence(&u, r) || first && p.isBold(start+body, end, r) {
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

// LineMark is the length of the marks before the text of a line: of a list item, a heading or a quotation.
func LineMark(line string) (body int, form Form, heading bool) {
	for {
		rest, n := line[body:], 0
		c, size := utf8.DecodeRuneInString(rest)
		switch {
		case c == '#':
			n, heading = len(rest)-len(strings.TrimLeft(rest, "#")), true
		case c == '>':
			n = 1
		case strings.HasPrefix(rest, "[ ]"):
			n, form = len("[ ]"), Item
		case strings.ContainsRune("-*+•–▪◦", c) && len(rest) > size && isBlank(rest[size]):
			n, form = size, Item
		default:
			if n = listNumber(rest); n > 0 {
				form = Item
			}
		}
		if heading {
			form = Sentence
		}
		if n == 0 {
			return body, form, heading
		}
		body = len(line) - len(strings.TrimLeft(line[body+n:], " \t\r\n"))
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

// isSentence reports a heading that is a statement in large print.
func (p *reader) isSentence(u *Unit, r text.Range) bool {
	return r.Len() > maxTitle && (strings.IndexByte(".!", p.tail(u)) >= 0 || p.tokens[r.Last-1].Has(text.Marker))
}

// isBold reports a line of a few words that is bold as a whole, without a figure or the mark of a sentence.
func (p *reader) isBold(start, end int, r text.Range) bool {
	line := p.s[start:end]
	if !strings.HasPrefix(line, "**") && !strings.HasPrefix(line, "__") || strings.TrimSpace(p.s[end:p.lineEnd(end)]) != "" {
		return false
	}
	for r.Last > r.First && p.tokens[r.Last-1].Has(text.Marker) {
		r.Last--
	}
	end = strings.LastIndex(line, line[:2])
	return end > 0 && r.Len() > 0 && r.Len() <= maxTitle && int(p.tokens[r.Last-1].End) <= start+end && !strings.ContainsAny(line[2:end], "*.!?0123456789")
}

// isListed reports a part of a list of sources: in tags, below a header, or "Source: handbook.pdf".
func (p *reader) isListed(start, end int, r text.Range, first bool) bool {
	line, header := p.s[start:end], r.Len() > 0 && sourceHeaders.Has(p.tokens[r.First].Hash)
	switch {
	case !first:
		return p.tagged || p.listed && len(p.Units) > 0 && p.Units[len(p.Units)-1].Kind == Citations
	case p.tagged || line[0] == '<' && header:
		p.tagged = !strings.Contains(line, "</")
	case header && r.Len() == 1:
		p.listed = true
	case header && r.Len() <= maxTitle && p.marked(r.First+1, ":"):
	case p.listed:
		body, form, heading := LineMark(line)
		p.listed = !heading && (form == Item || strings.HasPrefix(line[body:], "[") || strings.Contains(line, "://"))
		return p.listed
	default:
		return false
	}
	return true
}
