package knownfalse

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"confab/internal/text"
)

const (
	minWords    = 4       // fewer words say too little without their context
	maxClaim    = 2 << 10 // bytes; a longer sentence is not compared
	namedWithin = 4       // words at the start of a claim that may name its subject
)

// ClaimKey identifies a claim in its normal form. Equal keys are equal claims, in every release.
type ClaimKey [sha256.Size]byte

// Normalizer makes keys of claims and reuses its storage. The zero value is ready. It is not safe for concurrent use.
type Normalizer struct {
	tokens       []text.Token
	form, source []byte // of the last claim and source: words and signs, a space behind each
	words        int    // of the last text
	named        bool
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
	n.form = n.appendForm(n.form[:0], claim)
	if n.words < minWords || !selfContained(n.form) {
		return key, false
	}
	return sha256.Sum256(n.form), true
}

// Named reports whether the last claim that had a key names its subject, as "The Eiffel Tower is" does: a word behind the first
// begins with a capital letter. "The tower is" speaks of whatever its answer is about.
func (n *Normalizer) Named() bool { return n.named }

// StatedBy reports whether the source has the words of the last claim that had a key, in their order and normal form.
// Call Named before it.
func (n *Normalizer) StatedBy(source string) bool {
	n.source = n.appendForm(append(n.source[:0], ' '), source)
	n.form = append([]byte{' '}, n.form...)
	found := bytes.Contains(n.source, n.form)
	n.form = n.form[1:]
	return found
}

// appendForm appends the normal form of a text: its words in lower case but for acronyms, without citation markers, and the signs
// beside figures.
func (n *Normalizer) appendForm(dst []byte, s string) []byte {
	if norm.NFC.QuickSpanString(s) < len(s) {
		s = norm.NFC.String(s)
	}
	n.tokens, n.words, n.named = text.AppendTokens(n.tokens[:0], s), 0, false
	end, figure := int32(0), false // of the word before
	for i := range n.tokens {
		t := &n.tokens[i]
		if t.Kind == text.Number && t.Has(text.Marker) {
			end = max(end, t.End)
			continue
		}
		isFigure := t.Kind == text.Number || t.Has(text.Digits)
		if figure || isFigure {
			dst = appendSigns(dst, text.Between(s, end, t.Start), figure)
		}
		word := t.In(s)
		if n.words++; n.words > 1 && n.words <= namedWithin {
			first, _ := utf8.DecodeRuneInString(word)
			n.named = n.named || unicode.IsUpper(first)
		}
		dst = appendWord(dst, word)
		end, figure = t.End, isFigure
	}
	if figure {
		dst = appendSigns(dst, s[end:], true)
	}
	return dst
}

// appendSigns appends what stands between two words, one of which is a figure, without what ends a clause there, quotation marks and
// emphasis. behind says that the figure is before it.
func appendSigns(dst []byte, gap string, behind bool) []byte {
	first := len(dst)
	for i, r := range gap {
		rest := gap[i+utf8.RuneLen(r):]
		ends := behind && (rest == "" || rest[0] == ' ') && strings.ContainsRune(".;!。；！", r)
		switch {
		case r == '–', r == '−':
			r = '-'
		case ends, unicode.IsSpace(r), strings.ContainsRune("*_`\"“”„‘’«»[]^\u00AD\u200B\u2060\uFEFF", r):
			continue
		}
		dst = utf8.AppendRune(dst, r)
	}
	if len(dst) > first {
		dst = append(dst, ' ')
	}
	return dst
}

// appendWord appends a word in lower case, unless it is an acronym: "US" is not "us".
func appendWord(dst []byte, word string) []byte {
	acronym := len(word) > 1 && strings.IndexFunc(word, unicode.IsUpper) >= 0 && strings.IndexFunc(word, unicode.IsLower) < 0 && utf8.RuneCountInString(word) > 1
	for _, r := range word {
		switch {
		case strings.ContainsRune("\u00AD\u200B\u2060\uFEFF", r):
			continue
		case r == '’':
			r = '\''
		case !acronym:
			r = unicode.ToLower(r)
		}
		dst = utf8.AppendRune(dst, r)
	}
	return append(dst, ' ')
}

// selfContained reports whether the first word of a normal form is no pronoun, so that the claim names what it is about.
func selfContained(form []byte) bool {
	first, _, _ := bytes.Cut(form, []byte(" "))
	first, _, _ = bytes.Cut(first, []byte("'"))
	switch string(first) {
	case "he", "she", "it", "they", "we", "you", "i", "I", "this", "that", "these", "those", "his", "her", "its", "their",
		"there", "here", "er", "sie", "es", "dies", "diese", "il", "elle", "ils", "elles", "ce", "cela", "él", "ella", "ellos", "esto":
		return false
	}
	return true
}
