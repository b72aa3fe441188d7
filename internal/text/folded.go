package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Folded is a text reduced to its letters and digits in lower case, in which quotes are found whatever their white space, case,
// punctuation and markup.
type Folded struct {
	Text string
	at   []int32 // by byte of Text: the byte of the original that it comes from
	end  []int32 // by byte of Text: where that rune of the original ends
}

// Fold reduces a text.
func Fold(s string) Folded {
	f := Folded{at: make([]int32, 0, len(s)), end: make([]int32, 0, len(s))}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			continue
		}
		n, _ := b.WriteRune(unicode.ToLower(r))
		for range n {
			f.at, f.end = append(f.at, int32(i)), append(f.end, int32(i+utf8.RuneLen(r)))
		}
	}
	f.Text = b.String()
	return f
}

// gaps are what a quote has in place of words: an ellipsis, or a redacted value.
var gaps = regexp.MustCompile(`…|\.\.\.+|\[[0-9-]*[a-z][a-z0-9-]*\]`)

// Find returns the bytes of the original that hold the quote. The parts around an ellipsis stand in their order. A quote without
// letters and digits is nowhere, and a word is not found inside of another.
func (f *Folded) Find(quote string) (start, end int, ok bool) {
	from := 0
	for _, part := range gaps.Split(quote, -1) {
		part = Fold(part).Text
		if part == "" {
			continue
		}
		at := f.word(part, from)
		if at < 0 {
			return 0, 0, false
		}
		from = at + len(part)
		if !ok {
			start, ok = int(f.at[at]), true
		}
		end = int(f.end[from-1])
	}
	return start, end, ok
}

// word is where the part stands from that byte on, not within a word; -1 if it does not.
func (f *Folded) word(part string, from int) int {
	for {
		i := strings.Index(f.Text[from:], part)
		if i < 0 {
			return -1
		}
		i += from
		if !f.isJoined(i) && !f.isJoined(i+len(part)) {
			return i
		}
		_, size := utf8.DecodeRuneInString(f.Text[i:])
		from = i + size
	}
}

// isJoined reports whether the bytes before and after i belong to one word of a script with spaces.
func (f *Folded) isJoined(i int) bool {
	if i == 0 || i == len(f.Text) || f.end[i-1] != f.at[i] {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(f.Text[:i])
	after, _ := utf8.DecodeRuneInString(f.Text[i:])
	return isSpaced(before) && isSpaced(after) && unicode.IsDigit(before) == unicode.IsDigit(after)
}

func isSpaced(r rune) bool {
	return !unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}
