package markup

import (
	"html"
	"strings"
	"unicode/utf8"
)

const (
	maxTag    = 500 // bytes of a tag, of the text or of the address of a link
	maxEntity = 10  // bytes of a character reference
	rowWindow = 400 // bytes that are searched for the kind of a table row's cells
)

// Blank blanks HTML tags, the content of script and style elements, the addresses of Markdown links and images, and task boxes,
// and replaces character references and the escapes of JSON ([Unescape]). Tags of blocks become line breaks,
// cells of tables "|" and headings "#", as in Markdown. Sentences in what it blanks stay: a description of an image, a title,
// an attribute.
func Blank(s string) string {
	s = Unescape(s)
	if !mayHaveMarkup(s) {
		return s
	}
	p := htmlReader{s: s}
	for p.at < len(s) {
		next := strings.IndexAny(s[p.at:], "<&[`\n")
		if next < 0 {
			break
		}
		p.at += next
		switch s[p.at] {
		case '<':
			p.readTag()
		case '&':
			p.readEntity()
		case '[':
			p.readLink()
		case '\n':
			p.readLineBreak()
		default:
			p.at = skipInlineCode(s, p.at)
		}
	}
	return p.text(s)
}

// mayHaveMarkup reports a text with anything that Blank reads. Brackets alone are citations.
func mayHaveMarkup(s string) bool {
	if strings.IndexByte(s, '<') >= 0 || strings.IndexByte(s, '&') >= 0 {
		return true
	}
	return strings.Contains(s, "](") || strings.Contains(s, "[x] ") || strings.Contains(s, "[X] ")
}

// htmlReader reads markup from the start to the end of a text.
type htmlReader struct {
	blanker
	s     string
	at    int
	row   bool // inside a table row
	cells int  // of the row so far
	shut  bool // the text has no further closing tag of a script or style element
}

// readLineBreak joins the lines of an HTML table row.
func (p *htmlReader) readLineBreak() {
	if p.row {
		p.copied[p.at] = ' ' // p.row implies a tag
	}
	p.at++
}

// readTag blanks the tag at the reader's place.
func (p *htmlReader) readTag() {
	s := p.s[p.at:]
	name, end := tagAt(s)
	if end == 0 || !isMarkup(name) {
		p.at++
		return
	}
	from := p.at
	p.at += end
	closing := s[1] == '/'
	if !closing && (name == "script" || name == "style") && !p.shut {
		n := strings.Index(p.s[p.at:], "</"+name)
		p.shut = n < 0
		p.at += max(0, n)
	}
	p.blank(p.s, from, p.at)
	if end > minKept {
		p.keepQuoted(from, from+end)
	}
	if p.at-from > end {
		p.keepLines(from+end, p.at)
	}
	switch {
	case name == "tr":
		p.row, p.cells = !closing, 0
		p.set(from, '\n')
	case name == "table", name == "tbody", name == "thead":
		p.row = false
		p.set(from, '\n')
	case name == "td" || name == "th":
		if !closing {
			p.readCell(from, name)
		}
	case len(name) == 2 && name[0] == 'h' && '1' <= name[1] && name[1] <= '6':
		p.set(from, '\n')
		if !closing {
			p.set(from+1, '#')
		}
	case strings.Contains(blockTags, " "+name+" "):
		p.set(from, '\n')
		p.row = false
	}
}

// readCell writes the mark of a table cell: "#" for the first of a row of headings.
func (p *htmlReader) readCell(from int, name string) {
	p.cells++
	mark := byte('|')
	if name == "th" && p.cells == 1 {
		rest := p.s[p.at:min(len(p.s), p.at+rowWindow)]
		end := strings.Index(rest, "</tr")
		if end < 0 {
			end = len(rest)
		}
		if !strings.Contains(rest[:end], "<td") {
			mark = '#'
		}
	}
	p.set(from, mark)
}

// readEntity replaces the character reference at the reader's place. Soft hyphens fill up its length: they are part of a
// word and no letters.
func (p *htmlReader) readEntity() {
	head := p.s[p.at:min(len(p.s), p.at+maxEntity)]
	end := strings.IndexByte(head, ';') + 1
	if end < 3 {
		p.at++
		return
	}
	char := html.UnescapeString(head[:end])
	if char == head[:end] || len(char) > end {
		p.at++
		return
	}
	p.blank(p.s, p.at, p.at+end)
	r, _ := utf8.DecodeRuneInString(char)
	if r == '\'' {
		char = "\u2019"
	}
	if isWordPart(r) && (end-len(char))%2 == 0 {
		for i := p.at; i < p.at+end-len(char); i += 2 {
			copy(p.copied[i:], "\u00ad")
		}
		copy(p.copied[p.at+end-len(char):], char)
	} else if r != 0xA0 && len(char) <= end {
		copy(p.copied[p.at:], char)
	}
	p.at += end
}

func isWordPart(r rune) bool { return r == '\'' || r == '\u2019' || r >= 0xC0 && r < 0x250 }

// readLink blanks the address of the link or image at the reader's place, and the mark in a task box.
func (p *htmlReader) readLink() {
	s := p.s[p.at:]
	if (strings.HasPrefix(s, "[x] ") || strings.HasPrefix(s, "[X] ")) && p.at > 1 && strings.HasSuffix(strings.TrimRight(p.s[:p.at], " "), "-") {
		p.blank(p.s, p.at, p.at+3)
		p.at += 3
		return
	}
	head := s[:min(len(s), maxTag)]
	end := strings.IndexAny(head[1:], "]\n[") + 1
	if end < 1 || head[end] != ']' || !strings.HasPrefix(head[end:], "](") {
		p.at++
		return
	}
	address := head[end+1:]
	shut := strings.IndexAny(address, ")\n")
	if shut < 0 || address[shut] != ')' || !looksLikeAddress(address[1:shut]) {
		p.at++
		return
	}
	if p.at > 0 && p.s[p.at-1] == '!' && !isProse(s[1:end]) {
		p.blank(p.s, p.at-1, p.at+end+1) // the description of an image
	}
	from := p.at + end + 1
	p.at = from + shut + 1
	p.blank(p.s, from, p.at)
	p.keepQuoted(from, p.at)
}

// minKept is the least length of a tag or an address in which a sentence is looked for.
const minKept = 20

// keepQuoted restores the sentences between quotation marks in the blanked part s[from:to].
func (p *htmlReader) keepQuoted(from, to int) {
	for at := from; at < to; at++ {
		if p.s[at] != '"' && p.s[at] != '\'' {
			continue
		}
		n := strings.IndexByte(p.s[at+1:to], p.s[at])
		if n < 0 {
			return
		}
		if isProse(p.s[at+1 : at+1+n]) {
			p.set(at, '\n')
			copy(p.copied[at+1:], p.s[at+1:at+1+n])
			p.set(at+1+n, '\n')
		}
		at += n + 1
	}
}

// keepLines restores the sentences among the lines of the blanked part s[from:to].
func (p *htmlReader) keepLines(from, to int) {
	for at := from; at < to; at = lineEnd(p.s, at) {
		if line := p.s[at:min(to, lineEnd(p.s, at))]; isProse(line) {
			copy(p.copied[at:], line)
		}
	}
}

// looksLikeAddress reports an address with an optional title: [text](https://… "title").
func looksLikeAddress(s string) bool {
	address, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.ContainsAny(address, "/.#:") || address == ""
}
