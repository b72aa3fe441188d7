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

// maxKnown is how many quotes are remembered.
const maxKnown = 32

const dots = "..."

// Writer quotes texts in one flag. A text that is quoted in several places is read once.
type Writer struct {
	redact func(string) string
	mask   *Mask
	known  []quotation
	line   []byte // scratch of write
	spans  []text.Span
}

// quotation is a text with its quote.
type quotation struct {
	text  string // up to MaxRead bytes
	form  form
	quote string
}

// form is how to quote a text.
type form struct {
	limit int  // characters, without the dots
	words bool // end between two words
	long  bool // the text goes on
}

// Begin begins the quotes of a flag and forgets those of the last one.
func (w *Writer) Begin(redact func(string) string, hidden *Mask) {
	w.Forget()
	w.redact, w.mask = redact, hidden
}

// Forget drops all references to texts.
func (w *Writer) Forget() {
	clear(w.known)
	w.redact, w.mask, w.known = nil, nil, w.known[:0]
}

// Short redacts s, then shortens it to limit characters and dots: in this order, so that the cut does not hide half of a
// secret from the redactor. Line breaks become spaces, control characters are removed. The mask removes secrets that s
// contains only in part.
func (w *Writer) Short(s string, limit int) string { return w.quote(s, form{limit: limit}) }

// Words is Short, but ends the quote between two words, without space around it.
func (w *Writer) Words(s string, limit int) string {
	return strings.TrimSpace(w.quote(s, form{limit: limit, words: true}))
}

func (w *Writer) quote(s string, f form) string {
	if s == "" {
		return ""
	}
	s, f.long = text.Cut(s, MaxRead)
	for i := range w.known {
		if k := &w.known[i]; k.form == f && k.text == s {
			return k.quote
		}
	}
	quote := w.write(s, f)
	if len(w.known) < maxKnown {
		w.known = append(w.known, quotation{s, f, quote})
	}
	return quote
}

func (w *Writer) write(s string, f form) string {
	line, cut := appendLine(w.line[:0], w.redact(s), f.limit)
	if cut {
		_, last := utf8.DecodeLastRune(line) // the first character that is too much
		end := len(line) - last
		if space := bytes.LastIndexByte(line[:end+1], ' '); f.words && space > end/2 {
			end = space
		}
		line, f.long = line[:end], true
	}
	if w.mask != nil {
		line = append(line[:0], w.mask.Apply(string(line))...)
	}
	if f.long {
		line = append(line, dots...)
	}
	w.line = line
	return string(line)
}

// appendLine appends up to limit characters of s on one line, and one more if there are more.
func appendLine(dst []byte, s string, limit int) (_ []byte, cut bool) {
	n, bad := 0, false
	for i := 0; i < len(s); {
		plain := i
		for i < len(s) && n <= limit && ' ' <= s[i] && s[i] < 0x7f {
			i++
			n++
		}
		if plain < i {
			dst, bad = append(dst, s[plain:i]...), false
			if n > limit {
				return dst, true
			}
			continue
		}
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		i += size
		wasBad := bad
		bad = r == utf8.RuneError && size == 1
		switch {
		case bad && wasBad: // one sign for a run of bytes that are not UTF-8
			continue
		case unicode.IsSpace(r):
			r = ' '
		case unicode.IsControl(r):
			continue
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
