package cells

import (
	"strings"

	"confab/internal/text"
	"confab/internal/text/jsonscan"
)

// Limits of tables.
const (
	maxTableColumns = 64
	maxHeaderWords  = 5
	maxHeaderBytes  = 2000 // of the first line
)

// tableReader reads the tables of one source.
type tableReader struct {
	index  *Index
	s      string
	source int32
	header [maxTableColumns]byteSpan
	n      int // columns of the table that is read, 0 for none
	key    uint64
}

type byteSpan struct{ start, end int }

func (p byteSpan) in(s string) string { return s[p.start:p.end] }

// readTables reads Markdown tables anywhere in the text, or the whole text as separated values. It reports whether the text
// is nothing but a table.
func (x *Index) readTables(s string, source int32) bool {
	p := tableReader{index: x, s: s, source: source}
	if delimiter := p.delimiter(); delimiter != 0 {
		return p.separated(delimiter)
	}
	if strings.IndexByte(s, '|') < 0 || !strings.Contains(s, "|--") && !strings.Contains(s, "| --") && !strings.Contains(s, "|:--") {
		return false
	}
	return p.markdown()
}

// line returns the line at i without its end, and where the next one starts.
func (p *tableReader) line(i int) (line byteSpan, next int) {
	end := strings.IndexByte(p.s[i:], '\n')
	if end < 0 {
		return byteSpan{i, len(p.s)}, len(p.s)
	}
	return byteSpan{i, i + end}, i + end + 1
}

// delimiter returns the byte that separates the values of every line equally often; 0 if the text is no such table. A last
// line that is cut off, as by a limit of the text, is dropped.
func (p *tableReader) delimiter() byte {
	if end := strings.IndexByte(strings.TrimSpace(p.s), '\n'); end < 0 || end > maxHeaderBytes {
		return 0
	}
	for _, c := range [...]byte{'\t', ';', '|', ','} {
		if end := p.evenLines(c); end > 0 {
			p.s = p.s[:end]
			return c
		}
	}
	return 0
}

// evenLines returns the end of the lines that have the header's number of values; 0 if fewer than two, or another one than a
// cut last one, have not.
func (p *tableReader) evenLines(delimiter byte) (end int) {
	lines, count := 0, 0
	if !p.isHeader(delimiter) {
		return 0
	}
	for i := 0; i < len(p.s); {
		var l byteSpan
		l, i = p.line(i)
		line := strings.TrimSpace(l.in(p.s))
		if line == "" {
			continue
		}
		n := p.split(l, delimiter, nil)
		switch isCut := lines > 1 && n < count && l.end == len(p.s); {
		case isCut:
			return l.start
		case n < 2 || lines > 0 && n != count || line[0] == '|':
			return 0
		}
		count = n
		lines++
	}
	if lines < 2 {
		return 0
	}
	return len(p.s)
}

// isHeader reports whether the first line names columns: short texts that are no numbers.
func (p *tableReader) isHeader(delimiter byte) bool {
	first, _ := p.line(jsonscan.SkipSpace(p.s, 0))
	if strings.IndexByte(first.in(p.s), delimiter) < 0 {
		return false
	}
	var parts [maxTableColumns]byteSpan
	n := p.split(first, delimiter, &parts)
	if n < 2 {
		return false
	}
	for _, part := range parts[:min(n, maxTableColumns)] {
		name := part.in(p.s)
		if name == "" || strings.Count(name, " ") >= maxHeaderWords || name[0] >= '0' && name[0] <= '9' || strings.HasSuffix(name, ".") {
			return false
		}
	}
	return true
}

// split cuts a line into trimmed values and returns their number. Delimiters within quotes do not count.
func (p *tableReader) split(l byteSpan, delimiter byte, into *[maxTableColumns]byteSpan) int {
	n, from, quoted := 0, l.start, false
	for i := l.start; i <= l.end; i++ {
		if i < l.end && (p.s[i] != delimiter || quoted) {
			quoted = quoted != (p.s[i] == '"')
			continue
		}
		if into != nil && n < maxTableColumns {
			into[n] = p.trim(byteSpan{from, i})
		}
		n++
		from = i + 1
	}
	return n
}

func (p *tableReader) trim(v byteSpan) byteSpan {
	for v.start < v.end && strings.IndexByte(" \t\r\"*`", p.s[v.start]) >= 0 {
		v.start++
	}
	for v.end > v.start && strings.IndexByte(" \t\r\"*`", p.s[v.end-1]) >= 0 {
		v.end--
	}
	return v
}

// separated reads the whole text as a table.
func (p *tableReader) separated(delimiter byte) bool {
	for i := 0; i < len(p.s); {
		var l byteSpan
		l, i = p.line(i)
		if strings.TrimSpace(l.in(p.s)) == "" {
			continue
		}
		if p.n == 0 {
			p.begin(p.split(l, delimiter, &p.header))
			continue
		}
		var values [maxTableColumns]byteSpan
		if !p.row(values[:min(p.split(l, delimiter, &values), p.n)]) {
			return true
		}
	}
	return true
}

// begin starts a table with the header and n columns.
func (p *tableReader) begin(n int) {
	p.n = min(n, maxTableColumns)
	p.key = text.Hash(p.header[0].in(p.s)) + uint64(p.header[0].start)
}

// markdown reads the Markdown tables and reports whether there is no other text than headings.
func (p *tableReader) markdown() bool {
	only, header := true, byteSpan{}
	for i := 0; i < len(p.s); {
		var l byteSpan
		l, i = p.line(i)
		line := strings.TrimSpace(l.in(p.s))
		switch {
		case line == "":
			p.n = 0
		case line[0] != '|':
			p.n = 0
			only = only && strings.Count(line, " ") < maxHeaderWords
		case strings.Trim(line, "|-: ") == "":
			p.begin(p.cellsOf(header, &p.header))
		case p.n == 0:
			header = l
		default:
			var values [maxTableColumns]byteSpan
			n := p.cellsOf(l, &values)
			if !p.row(values[:min(n, p.n)]) {
				return only
			}
		}
	}
	return only
}

// cellsOf splits a line of a Markdown table.
func (p *tableReader) cellsOf(l byteSpan, into *[maxTableColumns]byteSpan) int {
	l = p.trim(l)
	if l.start < l.end && p.s[l.start] == '|' {
		l.start++
	}
	if l.end > l.start && p.s[l.end-1] == '|' {
		l.end--
	}
	return min(p.split(l, '|', into), maxTableColumns)
}

// row adds a row of the table as a record; false at a cap.
func (p *tableReader) row(values []byteSpan) bool {
	own := p.index.addRecord(-1, p.key, "")
	if own < 0 {
		return false
	}
	for i, v := range values {
		name := p.header[i].in(p.s)
		if name == "" {
			continue
		}
		ok := p.index.addCell(Cell{
			Record: own, Column: p.index.columnOf(own, name), Next: -1, Source: p.source,
			KeyStart: int32(p.header[i].start), KeyEnd: int32(p.header[i].end), Start: int32(v.start), End: int32(v.end),
		}, v.in(p.s), nil)
		if !ok {
			return false
		}
	}
	return true
}
