package redact

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// MaxRead is how many bytes of a text are redacted to quote it.
const MaxRead = 1000

const dots = "..."

// Writer quotes texts in one flag.
type Writer struct {
	redact func(string) string
	mask   *Mask
	line   []byte // scratch of quote
	spans  []text.Span
}

// Begin begins the quotes of a flag.
func (w *Writer) Begin(redact func(string) string, hidden *Mask) {
	w.redact, w.mask = redact, hidden
}

// Short redacts s, then shortens it to limit characters and dots: in this order, so that the cut does not hide half of a
// secret from the redactor. Line breaks become spaces, control characters are removed. The mask removes secrets that s
// contains only in part.
func (w *Writer) Short(s string, limit int) string { return w.quote(s, limit, false) }

// Words is Short, but ends the quote between two words, without space around it.
func (w *Writer) Words(s string, limit int) string {
	return strings.TrimSpace(w.quote(s, limit, true))
}

// quote shortens s to limit characters, with words between two words.
func (w *Writer) quote(s string, limit int, words bool) string {
	if s == "" {
		return ""
	}
	s, long := text.Cut(s, MaxRead)
	line, cut := appendLine(w.line[:0], w.redact(s), limit)
	if cut {
		_, last := utf8.DecodeLastRune(line) // the first character that is too much
		end := len(line) - last
		if space := bytes.LastIndexByte(line[:end+1], ' '); words && space > end/2 {
			end = space
		}
		line, long = line[:end], true
	}
	if w.mask != nil {
		line = append(line[:0], w.mask.Apply(string(line))...)
	}
	if long {
		line = append(line, dots...)
	}
	w.line = line
	return string(line)
}

// appendLine appends up to limit characters of s on one line, and one more if there are more. A run of bytes that are not UTF-8 is
// one sign.
func appendLine(dst []byte, s string, limit int) (_ []byte, cut bool) {
	n, bad := 0, false
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		wasBad := bad
		bad = r == utf8.RuneError && size == 1
		switch {
		case bad && wasBad, unicode.IsControl(r) && !unicode.IsSpace(r):
			continue
		case unicode.IsSpace(r):
			r = ' '
		}
		dst = utf8.AppendRune(dst, r)
		if n++; n > limit {
			return dst, true
		}
	}
	return dst, false
}

// Limits of the part of a text that is shown around a place, in bytes.
const (
	shownBefore = 60
	shownAfter  = MaxRead
)

// Around widens the place from start to end of s to the sentences around it, which a place as short as a figure needs. It is
// empty where the place is.
func (w *Writer) Around(s string, start, end int) (from, to int) {
	start = min(max(start, 0), len(s))
	end = min(max(end, start), len(s), start+shownAfter)
	if start == end {
		return start, start
	}
	low, high := startOfWord(s, max(0, start-shownBefore), start), min(len(s), start+shownAfter)
	for high > end && high < len(s) && !utf8.RuneStart(s[high]) {
		high--
	}
	from, to = start, end
	w.spans = text.AppendSentencesBefore(w.spans[:0], s[low:high], end-low)
	for _, sentence := range w.spans {
		if first, last := low+int(sentence.Start), low+int(sentence.End); first < end && start < last {
			from, to = min(from, first), max(to, last)
		}
	}
	return from, to
}

// startOfWord is the start of the first word of s that begins at or after low, at most high.
func startOfWord(s string, low, high int) int {
	if low == 0 {
		return 0
	}
	if space := strings.IndexFunc(s[low:high], unicode.IsSpace); space >= 0 {
		return low + space
	}
	for low < high && !utf8.RuneStart(s[low]) {
		low++
	}
	return low
}
