package layout

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberSequence is a list of ordered items, or of numbered headings.
type numberSequence struct{ quote, indent, level, last, shift int }

// maxOpenLists bounds the lists that are numbered at the same time.
const maxOpenLists = 32

// renumber returns the new numbers of ordered items behind removed ones. Where the text refers to a number, none changes.
func (c *Cut) renumber(gone []bool) (splices []Splice) {
	a := c.answer
	var open []numberSequence
	for i := range a.lines {
		l := &a.lines[i]
		if l.numberAt == l.numberEnd || l.kind == codeLine {
			continue
		}
		var q *numberSequence
		open, q = sequenceOf(open, l)
		if l.number != q.last+1 {
			q.shift = 0
		}
		q.last = l.number
		switch {
		case gone[i]:
			q.shift++
		case q.shift > 0:
			splices = append(splices, Splice{l.numberAt, l.numberEnd, strconv.Itoa(l.number - q.shift)})
		}
	}
	if len(splices) > 0 && c.mentionsNumber() {
		return nil
	}
	return splices
}

// numberedWords are followed by the number of an item in a text that refers to it.
const numberedWords = ` step steps item items point points option number no schritt punkt paso punto étape 步骤 第 `

// sequenceOf returns the sequence that the line continues or begins, and those that are open: deeper ones end.
func sequenceOf(open []numberSequence, l *textLine) ([]numberSequence, *numberSequence) {
	open = slices.DeleteFunc(open, func(q numberSequence) bool { return q.level == 0 && l.level == 0 && q.indent > l.indent })
	k := slices.IndexFunc(open, func(q numberSequence) bool {
		return q.quote == l.quote && q.indent == l.indent && q.level == l.level
	})
	if k < 0 {
		open = append(open[:min(len(open), maxOpenLists)], numberSequence{l.quote, l.indent, l.level, l.number - 1, 0})
		k = len(open) - 1
	}
	return open, &open[k]
}

// maxNumbered is how many bytes before a number are read.
const maxNumbered = 24

// mentionsNumber reports that a kept sentence refers to an item by its number: "repeat step 3".
func (c *Cut) mentionsNumber() bool {
	a := c.answer
	for i := range a.Units {
		if c.Causes[i] != Kept {
			continue
		}
		s := a.Text[a.Units[i].Start:a.Units[i].End]
		for at := 0; at < len(s); at++ {
			if s[at] < '0' || s[at] > '9' {
				continue
			}
			before := strings.TrimRight(s[max(0, at-maxNumbered):at], " .")
			word := strings.ToLower(before[strings.LastIndexByte(before, ' ')+1:])
			if len(word) > 0 && len(word) < 12 && strings.Contains(numberedWords, " "+strings.Trim(word, "([*_")+" ") {
				return true
			}
			for at+1 < len(s) && '0' <= s[at+1] && s[at+1] <= '9' {
				at++
			}
		}
	}
	return false
}

// readNumber reads the number of an ordered item at the byte at: digits before a full stop or a closing parenthesis.
func (r *lineReader) readNumber(l *textLine, at int) {
	end := at
	number := 0
	for end < l.end && end-at < 6 && '0' <= r.s[end] && r.s[end] <= '9' {
		number = 10*number + int(r.s[end]-'0')
		end++
	}
	l.numberAt, l.numberEnd = at, at
	if mark := numberMark(r.s[end:l.end]); end > at && mark > 0 {
		l.numberEnd, l.number, l.numberMark = end, number, mark
	}
}

// numberMark is the length of the mark behind the number of an item, 0 for none. Before ideographs it needs no space.
func numberMark(s string) int {
	mark, size := utf8.DecodeRuneInString(s)
	next, _ := utf8.DecodeRuneInString(s[size:])
	switch {
	case mark == '、' || mark == '．' || mark == '）':
		return size
	case (mark == '.' || mark == ')') && (size == len(s) || next == ' ' || next == '\t' || unicode.Is(unicode.Han, next)):
		return size
	default:
		return 0
	}
}
