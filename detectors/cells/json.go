package cells

import (
	"confab/internal/text"
	"confab/internal/text/jsonscan"
)

// jsonReader reads the values of one JSON text. It accepts a truncated text, because sources may be cut.
type jsonReader struct {
	jsonscan.Scanner

	source int32
	index  *Index
	tokens []text.Token // of the text, from the last string on; nil if they are not known
}

// textPlace is where a value stands: its record, and its key in it.
type textPlace struct {
	record   int32
	column   int32
	key      string
	keyStart int
	element  bool
}

// document reads the values of the text, one or one a line, and reports whether it is nothing else.
func (p *jsonReader) document() bool {
	for {
		switch p.Next() {
		case 0:
			return true
		case '{', '[':
			if !p.value(textPlace{record: -1, column: -1}, 0) {
				return p.At >= len(p.JSON)
			}
		default:
			return false
		}
	}
}

func (p *jsonReader) value(at textPlace, depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch p.Next() {
	case 0:
		return false
	case '{':
		return p.object(at, depth)
	case '[':
		return p.array(at, depth)
	case '"':
		start := p.At + 1
		s, ok := p.Quoted()
		return p.scalar(at, start, s, p.tokensIn(start, start+len(s))) && ok
	}
	start := p.At
	bare := p.Bare()
	return bare != "" && p.scalar(at, start, bare, nil)
}

// tokensIn returns the tokens from start to end, which are behind those of the last call; nil if they are not known. The
// quotes around a string end its words, so that it has the same ones alone.
func (p *jsonReader) tokensIn(start, end int) []text.Token {
	first := 0
	for first < len(p.tokens) && int(p.tokens[first].Start) < start {
		first++
	}
	p.tokens = p.tokens[first:]
	last := 0
	for last < len(p.tokens) && int(p.tokens[last].Start) < end {
		last++
	}
	return p.tokens[:last]
}

// scalar adds a value that stands in a record. known are its tokens, nil if they are not known. Values outside of records are skipped.
func (p *jsonReader) scalar(at textPlace, start int, value string, known []text.Token) bool {
	if at.record < 0 || at.key == "" {
		return true
	}
	return p.index.addCell(Cell{
		Record: at.record, Column: p.index.columnOf(at.record, at.key), Next: -1, Source: p.source,
		KeyStart: int32(at.keyStart), KeyEnd: int32(at.keyStart + len(at.key)), Start: int32(start), End: int32(start + len(value)), Element: at.element,
	}, value, known)
}

// object reads an object as a record. Elements of one array are siblings, and so are objects of one record whose first keys
// are equal: {"women": {"time": …}, "men": {"time": …}}.
func (p *jsonReader) object(at textPlace, depth int) bool {
	p.At++
	own := int32(-1)
	for {
		switch p.Next() {
		case '}':
			p.At++
			return true
		case '"':
		default:
			return false
		}
		keyStart := p.At + 1
		key, ok := p.Quoted()
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
	p.At++
	at.element = true
	empty := true
	for {
		switch p.Next() {
		case ']':
			p.At++
			if empty && at.record >= 0 && at.key != "" {
				return p.scalar(at, p.At, "", nil)
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
