package redact

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// view is a text as the matchers read it: full-width forms are ASCII, every space and hyphen is the ASCII one, and characters
// without width are left out.
type view struct {
	text string
	at   []int32 // the place in the source of each byte of text, and of its end; nil where text is the source
}

func viewOf(s string) view {
	i := firstWideByte(s)
	for i < len(s) && !beginsWideForm(s, i) {
		i++
	}
	if i == len(s) {
		return view{text: s}
	}
	out, at := append(make([]byte, 0, len(s)), s[:i]...), make([]int32, i, len(s)+1)
	for k := range at {
		at[k] = int32(k)
	}
	for i < len(s) {
		r, size := rune(s[i]), 1
		if beginsWideForm(s, i) {
			r, size = utf8.DecodeRuneInString(s[i:])
			r = foldWide(r)
		}
		if r >= 0 {
			out, at = append(out, byte(r)), append(at, int32(i))
		}
		i += size
	}
	return view{text: string(out), at: append(at, int32(len(s)))}
}

// firstWideByte is the first byte with which a wide form may begin; the end of s if there is none.
func firstWideByte(s string) int {
	first := len(s)
	for _, b := range [...]byte{0xC2, 0xE2, 0xE3, 0xEF} {
		if i := strings.IndexByte(s[:first], b); i >= 0 {
			first = i
		}
	}
	return first
}

// source is where the place of the view is in the source.
func (v view) source(i int) int {
	if v.at == nil {
		return i
	}
	return int(v.at[i])
}

// place is where the place of the source, or what follows it, is in the view.
func (v view) place(i int) int {
	if v.at == nil {
		return i
	}
	return sort.Search(len(v.text), func(k int) bool { return int(v.at[k]) >= i })
}

// sourceOf is a match of the view in the source.
func (v view) sourceOf(m match) match { return match{v.source(m.start), v.source(m.end), m.label} }

// beginsWideForm reports whether a character that a view folds or leaves out begins at i.
func beginsWideForm(s string, i int) bool {
	if s[i] < 0xC2 {
		return false
	}
	next, third := byte(0), byte(0)
	if i+1 < len(s) {
		next = s[i+1]
	}
	if i+2 < len(s) {
		third = s[i+2]
	}
	switch s[i] {
	case 0xC2:
		return next == 0xA0 || next == 0xAD
	case 0xE2:
		return next == 0x80 && (0x80 <= third && third <= 0x91 || 0xAA <= third && third <= 0xAF) ||
			next == 0x81 && 0x9F <= third && third <= 0xAF || next == 0x88 && third == 0x92
	case 0xE3:
		return next == 0x80 && third == 0x80
	case 0xEF:
		return next == 0xBB && third == 0xBF || next == 0xBC && third >= 0x81 || next == 0xBD && third >= 0x80 && third <= 0x9E
	}
	return false
}

// foldWide is the byte that a character of a wide form is read as; negative where it is left out.
func foldWide(r rune) rune {
	const fullWidth = 0xFEE0
	switch {
	case '\uff01' <= r && r <= '\uff5e':
		return r - fullWidth
	case r == '\u2010' || r == '\u2011' || r == '\u2212':
		return '-'
	case r == '\u00a0', '\u2000' <= r && r <= '\u200a', r == '\u202f', r == '\u205f', r == '\u3000':
		return ' '
	}
	return -1
}
