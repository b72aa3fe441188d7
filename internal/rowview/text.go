package rowview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"confab/internal/redact"
	"confab/internal/text"
)

// redactMargin is the text on each side of an excerpt that is redacted with it, so that no pattern is cut in half.
const redactMargin = 8 << 10

// Text is a part of a text in pieces, redacted.
type Text struct {
	Pieces        []Piece
	Before, After int // bytes of the original that are left out
}

// Piece is a run of text with the same marks.
type Piece struct {
	Text  string
	Marks []int // ascending; none for plain text
}

// Span is a half-open range of bytes of a text, and its mark.
type Span struct{ Start, End, Mark int }

// String returns the text without its marks.
func (t Text) String() string {
	var b strings.Builder
	for _, p := range t.Pieces {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Narrow returns the text with at most about bytes before its first mark and after its last one, cut between words.
func (t Text) Narrow(about int) Text {
	if len(t.Pieces) == 0 {
		return t
	}
	t.Pieces = slices.Clone(t.Pieces)
	if first := &t.Pieces[0]; len(first.Marks) == 0 && len(t.Pieces) > 1 && len(first.Text) > about {
		at := runeStart(first.Text, len(first.Text)-about)
		if space := strings.IndexByte(first.Text[at:], ' '); space >= 0 {
			at += space + 1
		}
		t.Before += at
		first.Text = first.Text[at:]
	}
	if last := &t.Pieces[len(t.Pieces)-1]; len(last.Marks) == 0 && len(last.Text) > about {
		at := runeStart(last.Text, about)
		if space := strings.LastIndexByte(last.Text[:at], ' '); space >= 0 {
			at = space
		}
		t.After += len(last.Text) - at
		last.Text = last.Text[:at]
	}
	return t
}

// markText returns a range of s, redacted, with the spans marked. Spans may overlap; what is outside of the range is
// dropped.
func markText(hide *redact.Redactor, s string, spans []Span, from, to int) Text {
	from, to = runeStart(s, from), runeStart(s, to)
	low, high := runeStart(s, max(0, from-redactMargin)), runeStart(s, min(len(s), to+redactMargin))
	ranges := []redact.Range{{Start: from - low, End: to - low}}
	var marks []text.Mark[int]
	for _, p := range spans {
		start, end := runeStart(s, max(p.Start, from)), runeStart(s, min(p.End, to))
		if start < end {
			ranges = append(ranges, redact.Range{Start: start - low, End: end - low})
			marks = append(marks, text.Mark[int]{Class: p.Mark})
		}
	}
	clean := hide.Ranges(s[low:high], ranges)
	all := ranges[0]
	for i, r := range ranges[1:] {
		marks[i].Start, marks[i].End = r.Start-all.Start, r.End-all.Start
	}
	t := Text{Before: from, After: len(s) - to}
	for _, p := range text.SplitMarked(clean[all.Start:all.End], marks) {
		t.Pieces = append(t.Pieces, Piece{strings.Clone(p.Text), p.Classes})
	}
	return t
}

// runeStart is the last start of a character at or before i.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}

// shortenAround shortens the range from from to to to at most limit bytes, if need be, so that it holds the beginning of s
// and about as much on each side.
func shortenAround(from, to int, s Span, limit int) (int, int) {
	if to-from <= limit {
		return from, to
	}
	side := max(0, limit-(s.End-s.Start)) / 2
	start := max(from, s.Start-side)
	end := min(to, start+limit)
	return max(from, end-limit), end
}

func nameSource(hide *redact.Redactor, id string, position int) string {
	return excerpt(hide, cmp.Or(id, strconv.Itoa(position+1)), maxField)
}
