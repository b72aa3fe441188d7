package knownfalse

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	minWords = 4       // fewer words say too little without their context
	maxClaim = 2 << 10 // bytes; a longer sentence is not compared
)

// ClaimKey identifies a claim in its normal form. Equal keys are equal claims, in every release.
type ClaimKey [sha256.Size]byte

// Normalizer makes keys of claims and reuses its storage. The zero value is ready. It is not safe for concurrent use.
type Normalizer struct {
	composed, runes []byte // of the text being read
	form            []byte // of the last claim: its words, a space behind each
	source          []byte // of the last source
}

// Key returns the key of a claim. ok is false for a text that says nothing by itself: too short, too long, or about
// somebody or something that only its context names.
func (n *Normalizer) Key(claim string) (key ClaimKey, ok bool) {
	claim = strings.TrimSpace(claim)
	if claim == "" || len(claim) > maxClaim || !utf8.ValidString(claim) {
		return key, false
	}
	if last, _ := utf8.DecodeLastRuneInString(strings.TrimRight(claim, "\"'”’»)*_ ")); strings.ContainsRune("?？:：", last) {
		return key, false // questions and lead-ins state nothing
	}
	var words int
	n.form, words = n.appendForm(n.form[:0], claim)
	if words < minWords || !selfContained(n.form) {
		return key, false
	}
	return sha256.Sum256(n.form), true
}

// namedWithin is the number of words at the start of a claim that may name its subject.
const namedWithin = 4

// Named reports whether the last claim that had a key names its subject, as "The Eiffel Tower is" does: a word behind the first
// begins with a capital letter. "The tower is" speaks of whatever its answer is about.
func (n *Normalizer) Named() bool {
	words := 0
	for rest := n.runes; len(rest) > 0 && words < namedWithin; {
		r, size := utf8.DecodeRune(rest)
		if r == ' ' {
			rest = rest[size:]
			continue
		}
		if words++; words > 1 && unicode.IsUpper(r) {
			return true
		}
		end := bytes.IndexByte(rest, ' ')
		if end < 0 {
			break
		}
		rest = rest[end:]
	}
	return false
}

// StatedBy reports whether the source has the words of the last claim that had a key, in their order and normal form.
// Call Named before it.
func (n *Normalizer) StatedBy(source string) bool {
	n.source, _ = n.appendForm(append(n.source[:0], ' '), source)
	n.form = append([]byte{' '}, n.form...)
	found := bytes.Contains(n.source, n.form)
	n.form = n.form[1:]
	return found
}

// appendForm appends the normal form of a text and returns the number of its words.
func (n *Normalizer) appendForm(dst []byte, text string) ([]byte, int) {
	if norm.NFC.QuickSpanString(text) < len(text) {
		n.composed = norm.NFC.AppendString(n.composed[:0], text)
	} else {
		n.composed = append(n.composed[:0], text...)
	}
	n.composed = withoutEmphasis(n.composed)
	n.runes = appendPlain(n.runes[:0], n.composed)
	return appendWords(dst, n.runes)
}

// withoutEmphasis removes the marks of bold text in place. Between figures they are an operator.
func withoutEmphasis(s []byte) []byte {
	kept := s[:0]
	for i := 0; i < len(s); i++ {
		double := i+1 < len(s) && s[i] == s[i+1] && (s[i] == '*' || s[i] == '_')
		operator := i > 0 && isFigure(s[i-1]) && i+2 < len(s) && isFigure(s[i+2])
		if double && !operator {
			i++
			continue
		}
		kept = append(kept, s[i])
	}
	return kept
}

func isFigure(c byte) bool { return c >= '0' && c <= '9' }

// appendPlain appends the claim without the punctuation that changes no meaning. What separates or marks figures stays.
func appendPlain(dst, s []byte) []byte {
	prev := ' '
	for i := 0; i < len(s); {
		if n := markerLength(s[i:]); n > 0 {
			i += n
			prev = ' '
			dst = append(dst, ' ')
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		i += size
		next, _ := utf8.DecodeRune(s[i:])
		if i == len(s) {
			next = ' '
		}
		plain := plainRune(prev, r, next)
		prev = r
		if plain >= 0 {
			dst = utf8.AppendRune(dst, plain)
		}
	}
	return dst
}

// markerLength is the length of the citation marker at the start of s, such as [2] or [1, 3]; 0 if there is none.
func markerLength(s []byte) int {
	if len(s) == 0 || s[0] != '[' {
		return 0
	}
	end := 1
	for end < len(s) && (isFigure(s[end]) || s[end] == ',' || s[end] == ' ' || s[end] == '^') {
		end++
	}
	if end == 1 || end == len(s) || s[end] != ']' {
		return 0
	}
	return end + 1
}

// plainRune is the normal form of r between its neighbours, negative if r is invisible.
func plainRune(prev, r, next rune) rune {
	switch {
	case strings.ContainsRune("\u00AD\u200B\u2060\uFEFF", r):
		return -1
	case unicode.IsSpace(r):
		return ' '
	case unicode.IsDigit(prev) || unicode.IsDigit(next):
		return nearDigit(prev, r, next)
	}
	return nearWord(prev, r, next)
}

// nearWord is plainRune next to no digit: apostrophes, dots and hyphens inside of words stay, other punctuation is dropped.
func nearWord(prev, r, next rune) rune {
	switch {
	case strings.ContainsRune("’'", r) && unicode.IsLetter(prev) && unicode.IsLetter(next):
		return '\''
	case strings.ContainsRune(".-", r) && inWord(prev) && inWord(next):
		return r
	case strings.ContainsRune(".,;:!*_`\"“”„‘’'«»()[]{}—–。，、；：！", r):
		return ' '
	}
	return r
}

// nearDigit is plainRune next to a digit: only what ends a clause there and emphasis are dropped.
func nearDigit(prev, r, next rune) rune {
	ends := unicode.IsSpace(next) || next == utf8.RuneError
	switch {
	case strings.ContainsRune("*_`", r) && (unicode.IsSpace(prev) || ends):
		return ' '
	case unicode.IsDigit(prev) && ends && strings.ContainsRune(".;!。；！", r):
		return ' '
	case r == '–' || r == '−':
		return '-'
	}
	return r
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
