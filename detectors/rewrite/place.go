package rewrite

import "strings"

// textStart is where a phrase goes in front of the i-th unit: behind the label of a footnote, and in the cell of a row that the
// place at lies in.
func (a *answerLayout) textStart(i, at int) int {
	u := &a.Units[i]
	l := &a.lines[u.line]
	switch {
	case u.Row:
		start, end := a.cell(u, at)
		for start < end && a.Text[start] == ' ' {
			start++
		}
		return start
	case l.kind == definitionLine && u.Start == l.content:
		return l.content + len(definedLabel(a.Text[l.content:l.end])) + len(": ")
	}
	return u.Start
}

// textEnd is where a mark goes behind the i-th unit: in a row, at the end of the cell that the place at lies in.
func (a *answerLayout) textEnd(i, at int) int {
	u := &a.Units[i]
	if !u.Row {
		return u.End
	}
	_, end := a.cell(u, at)
	return trimSpace(a.Text, end)
}

// cell is the cell of the row that holds the place at, without its borders.
func (a *answerLayout) cell(u *unit, at int) (start, end int) {
	at = min(max(at, u.Start), u.End)
	start = u.Start + strings.LastIndexByte(a.Text[u.Start:at], '|') + 1
	for start > u.Start+1 && a.Text[start-2] == '\\' {
		start = u.Start + strings.LastIndexByte(a.Text[u.Start:start-1], '|') + 1
	}
	if start < u.End && a.Text[start] == '|' {
		start++
	}
	end = u.End
	for k := max(at, start); k < u.End; k++ {
		if a.Text[k] == '|' && a.Text[k-1] != '\\' {
			end = k
			break
		}
	}
	return start, end
}
