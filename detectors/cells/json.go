package cells

import (
	"strings"

	"confab/internal/text"
)

// jsonReader reads the values of one JSON text. It accepts a truncated text, because sources may be cut.
type jsonReader struct {
	s      string
	source int32
	at     int
	index  *Index
}

// textPlace is where a value stands: its record, and its key in it.
type textPlace struct {
	record   int32
	column   int32
	key      string
	keyStart int
	element  bool
}

func skipSpace(s string, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\n' || s[i] == '\t' || s[i] == '\r') {
		i++
	}
	return i
}

// document reads the values of the text, one or one a line, and reports whether it is nothing else.
func (p *jsonReader) document() bool {
	for {
		switch p.next() {
		case 0:
			return true
		case '{', '[':
			if !p.value(textPlace{record: -1, column: -1}, 0) {
				return p.at >= len(p.s)
			}
		default:
			return false
		}
	}
}

// next skips white space and separators and returns the byte there, 0 at the end.
func (p *jsonReader) next() byte {
	for p.at < len(p.s) {
		switch c := p.s[p.at]; c {
		case ' ', '\n', '\t', '\r', ',', ':':
			p.at++
		default:
			return c
		}
	}
	return 0
}

func (p *jsonReader) value(at textPlace, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch p.next() {
	case 0:
		return false
	case '{':
		return p.object(at, depth)
	case '[':
		return p.array(at, depth)
	case '"':
		start := p.at + 1
		s, ok := p.text()
		return p.scalar(at, start, s) && ok
	}
	start := p.at
	for p.at < len(p.s) && strings.IndexByte(" \n\r\t,}]", p.s[p.at]) < 0 {
		p.at++
	}
	return p.at > start && p.scalar(at, start, p.s[start:p.at])
}

// scalar adds a value that stands in a record. Values outside of records are skipped.
func (p *jsonReader) scalar(at textPlace, start int, value string) bool {
	if at.record < 0 || at.key == "" {
		return true
	}
	return p.index.addCell(Cell{
		Record: at.record, Column: p.index.columnOf(at.record, at.key), Next: -1, Source: p.source,
		KeyStart: int32(at.keyStart), KeyEnd: int32(at.keyStart + len(at.key)), Start: int32(start), End: int32(start + len(value)), Element: at.element,
	}, value)
}

// text reads a string and returns the raw text between its quotes.
func (p *jsonReader) text() (string, bool) {
	p.at++
	start := p.at
	for ; p.at < len(p.s); p.at++ {
		switch p.s[p.at] {
		case '\\':
			p.at++
		case '"':
			p.at++
			return p.s[start : p.at-1], true
		}
	}
	p.at = len(p.s)
	return p.s[start:], false
}

// object reads an object as a record. Elements of one array are siblings, and so are objects of one record whose first keys
// are equal: {"women": {"time": …}, "men": {"time": …}}.
func (p *jsonReader) object(at textPlace, depth int) bool {
	p.at++
	own := int32(-1)
	for {
		switch p.next() {
		case '}':
			p.at++
			return true
		case '"':
		default:
			return false
		}
		keyStart := p.at + 1
		key, ok := p.text()
		if !ok {
			return false
		}
		if own < 0 {
			group, name := text.Hash(key), at.key
			if at.element {
				group, name = text.Hash(at.key)+1, ""
			}
			if own = p.index.addRecord(at.record, group, name); own < 0 {
				return false
			}
		}
		if !p.value(textPlace{record: own, key: key, keyStart: keyStart}, depth+1) {
			return false
		}
	}
}

func (p *jsonReader) array(at textPlace, depth int) bool {
	p.at++
	at.element = true
	empty := true
	for {
		switch p.next() {
		case ']':
			p.at++
			if empty && at.record >= 0 && at.key != "" {
				return p.scalar(at, p.at, "")
			}
			return true
		case 0:
			return false
		}
		empty = false
		if !p.value(at, depth+1) {
			return false
		}
	}
}
