package units

import (
	"strings"

	"confab/internal/text"
)

// readRow reads the row of a table at the start of a line, and reports whether there was one: of Markdown, and in sources
// also of tab-separated, CSV and semicolon text.
func (p *reader) readRow(start int) bool {
	end := p.lineEnd(start)
	line := p.s[start:end]
	sep := p.separator(line, end)
	if sep == 0 {
		p.table = 0
		return false
	}
	p.at = end
	if isRule(line) {
		return true
	}
	p.splitCells(start, end, sep)
	next := p.nextLine(end)
	head := isRule(next) || p.table != sep && (line[0] == '#' || !p.answer && strings.IndexByte(next, sep) >= 0)
	u := Unit{Start: int32(start), End: int32(end), Form: Row, Context: p.lead}
	switch {
	case head && p.answer:
		u.Kind = Heading
		p.addRow(u, nil)
	case !head && p.table == sep && len(p.cells) == len(p.head):
		p.addRow(u, p.head)
	case !head:
		p.addRow(u, nil)
	}
	if head || p.table != sep {
		p.table, p.head = sep, append(p.head[:0], p.cells...)
	}
	return true
}

// nextLine is the line after the one that ends at end.
func (p *reader) nextLine(end int) string {
	if end >= len(p.s) {
		return ""
	}
	return p.s[end+1 : p.lineEnd(end+1)]
}

// separator is the byte between the cells of the line, 0 if it is no row of a table.
func (p *reader) separator(line string, end int) byte {
	if n := strings.Count(line, "|"); n >= 2 || n == 1 && (line[0] == '|' || line[0] == '#' || p.table == '|' || isRule(p.nextLine(end))) {
		return '|'
	}
	if p.answer {
		return 0
	}
	for _, sep := range [...]byte{'\t', ';', ','} {
		n := strings.Count(line, string(sep))
		if n == 0 || n == 1 && sep != '\t' && p.table != sep {
			continue
		}
		if p.table == sep && countCells(line, sep) == len(p.head) {
			return sep
		}
		if sep == ',' && strings.Contains(line, ", ") {
			continue
		}
		if next := p.nextLine(end); next != "" && countCells(next, sep) == countCells(line, sep) {
			return sep
		}
	}
	return 0
}

// isRule reports the line between head and body of a table: "|---|:---:|".
func isRule(line string) bool {
	return strings.Contains(line, "-") && strings.Contains(line, "|") && strings.Trim(line, "|-: =\r\t") == ""
}

// cellEnd is the end of the cell at i, before its separator or at the end of the line. A separator in quotes is text.
func cellEnd(s string, i, end int, sep byte) int {
	if sep != '|' && i < end && s[i] == '"' {
		if n := strings.IndexByte(s[i+1:end], '"'); n >= 0 {
			i += n + 2
		}
	}
	if n := strings.IndexByte(s[i:end], sep); n >= 0 {
		return i + n
	}
	return end
}

func countCells(line string, sep byte) int {
	n := 1
	for i := cellEnd(line, 0, len(line), sep); i < len(line); i = cellEnd(line, i+1, len(line), sep) {
		n++
	}
	return n
}

// splitCells finds the cells of a row.
func (p *reader) splitCells(start, end int, sep byte) {
	for end > start && isBlank(p.s[end-1]) && p.s[end-1] != sep {
		end--
	}
	if sep == '|' {
		if p.s[start] == '|' || p.s[start] == '#' {
			start++
		}
		if end > start && p.s[end-1] == '|' {
			end--
		}
	}
	p.cells = p.cells[:0]
	next := p.tokensIn(start, end).First
	for i, stop := start, 0; stop < end; i = stop + 1 {
		stop = cellEnd(p.s, i, end, sep)
		last := p.after(next, int32(len(p.tokens)), stop)
		p.cells = append(p.cells, text.Range{First: next, Last: last})
		next = last
	}
}

// addRow adds the cells as a unit, each after its header. A row without tokens is none.
func (p *reader) addRow(u Unit, head []text.Range) {
	first := len(p.Runs)
	for i, c := range p.cells {
		if c.Len() == 0 {
			continue
		}
		if head != nil && head[i].Len() > 0 {
			p.Runs = append(p.Runs, Run{First: head[i].First, Last: head[i].Last, Head: true})
		}
		p.Runs = append(p.Runs, Run{First: c.First, Last: c.Last})
	}
	p.close(u, first)
}

// TabCells returns the text with tabs for the commas between the cells of CSV tables: a number would run on into the next cell.
// A table begins with names of columns.
func TabCells(s string) string {
	var out []byte
	cells := 0
	for start := 0; start < len(s); {
		end := len(s)
		if n := strings.IndexByte(s[start:], '\n'); n >= 0 {
			end = start + n
		}
		line := s[start:end]
		if cells > 0 && countCells(line, ',') != cells {
			cells = 0
		}
		if cells == 0 && namesColumns(line) {
			cells = countCells(line, ',')
		}
		if cells > 0 {
			if out == nil {
				out = []byte(s)
			}
			for i := cellEnd(s, start, end, ','); i < end; i = cellEnd(s, i+1, end, ',') {
				out[i] = '\t'
			}
		}
		start = end + 1
	}
	if out == nil {
		return s
	}
	return string(out)
}

// namesColumns reports a line of three or more names, with commas and without spaces between.
func namesColumns(line string) bool {
	commas := 0
	for i := range len(line) {
		if line[i] != ',' {
			continue
		}
		commas++
		if i+1 == len(line) || !isLetter(line[i+1]) {
			return false
		}
	}
	return commas >= 2 && isLetter(line[0]) && strings.IndexByte(line, '|') < 0
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 || c == '_' }
