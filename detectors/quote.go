package detectors

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// maxExcerptRead is how many bytes are redacted to find MaxExcerpt characters.
const maxExcerptRead = 1000

// excerpt quotes bytes of the answer. Offsets outside of it are clamped.
func (e *Evaluation) excerpt(start, end int) string {
	answer := e.doc.in.Answer
	start = min(max(start, 0), len(answer))
	end = min(max(end, start), len(answer))
	return e.quote(answer[start:end], MaxExcerpt)
}

// quote redacts s, then shortens it to limit characters and dots: in this order, so that the cut does not hide half of a
// secret from the redactor. Line breaks become spaces, control characters are removed. The mask removes secrets that s
// contains only in part.
func (e *Evaluation) quote(s string, limit int) string {
	if s == "" {
		return ""
	}
	s, long := text.Cut(s, maxExcerptRead)
	s = e.suite.opts.Redact(strings.Clone(s))
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r):
			return -1
		default:
			return r
		}
	}, strings.ToValidUTF8(s, "\uFFFD"))
	n := 0
	for i := range s {
		if n == limit {
			s, long = s[:i], true
			break
		}
		n++
	}
	s = e.mask.apply(s)
	if long {
		s += "..."
	}
	return s
}

// maskedWord replaces a masked word.
const maskedWord = "[redacted]"

// minMaskedWord is the length of the shortest word that is masked.
const minMaskedWord = 3

// redactionMask removes parts of secrets that the redactor cannot recognize in a quote, such as half of a key or a phone
// number without its punctuation. A word is secret if a text contains it and no redacted text does. A nil mask removes
// nothing.
type redactionMask struct {
	texts, redacted []string        // in lower case, runs of padding shortened
	redactedWords   map[string]bool // words of the redacted texts
	secretWords     map[string]bool // results of isSecret by word
}

// maskMargin is how many bytes around a quoted place are searched for secrets that overlap it.
const maskMargin = 512

// newRedactionMask reads the texts that evidence quotes. It returns nil in the common case that nothing in them is secret.
func (e *Evaluation) newRedactionMask() *redactionMask {
	if !e.AnyFired() && !e.suite.opts.Explain {
		return nil
	}
	var v redactionMask
	secret := v.addText(e.doc.RawAnswer(), e.suite.opts.Redact)
	for at, span := range e.quotedSources() {
		s := e.doc.in.Sources[at].Text
		from, to := min(max(0, span[0]-maskMargin), len(s)), min(max(0, span[1]+maskMargin), len(s))
		if v.addText(s[from:max(from, to)], e.suite.opts.Redact) {
			secret = true
		}
	}
	if !secret {
		return nil
	}
	v.redactedWords, v.secretWords = map[string]bool{}, map[string]bool{}
	for i := range v.texts {
		v.texts[i], v.redacted[i] = strings.ToLower(withoutPadding(v.texts[i])), strings.ToLower(withoutPadding(v.redacted[i]))
		for s := v.redacted[i]; s != ""; {
			n := wordLength(s)
			if n >= minMaskedWord {
				v.redactedWords[s[:n]] = true
			}
			_, size := utf8.DecodeRuneInString(s[n:])
			s = s[n+size:]
		}
	}
	return &v
}

// withoutPadding shortens each run of padding in s to its first character.
func withoutPadding(s string) string {
	var b strings.Builder
	inside := false
	for s != "" {
		n, pad := paddingAt(s)
		if !pad || !inside {
			b.WriteString(s[:n])
		}
		inside, s = pad, s[n:]
	}
	return b.String()
}

// isSecret reports whether a text contains the lower-case word and no redacted text does.
func (v *redactionMask) isSecret(word string) bool {
	if len(word) < minMaskedWord || v.redactedWords[word] {
		return false
	}
	secret, known := v.secretWords[word]
	if !known {
		secret = anyContains(v.texts, word) && !anyContains(v.redacted, word)
		v.secretWords[word] = secret
	}
	return secret
}

// addText adds s and reports whether it contains a secret.
func (v *redactionMask) addText(s string, redact func(string) string) bool {
	r := redact(s)
	v.texts, v.redacted = append(v.texts, s), append(v.redacted, r)
	return r != s
}

// quotedSources maps source indexes to the byte range that notes may quote; nil if there is none.
func (e *Evaluation) quotedSources() map[int][2]int {
	var quoted map[int][2]int
	for i := range e.readings {
		r := &e.readings[i]
		if !e.shows(r) {
			continue
		}
		for _, row := range r.Finding.Evidence[:min(len(r.Finding.Evidence), MaxEvidence)] {
			if row.Note == "" || row.Source < 0 || row.Source >= len(e.doc.in.Sources) {
				continue // only notes quote sources
			}
			if quoted == nil {
				quoted = make(map[int][2]int, 2)
			}
			span, known := quoted[row.Source]
			if !known {
				span = [2]int{row.SourceStart, row.SourceEnd}
			}
			quoted[row.Source] = [2]int{min(span[0], row.SourceStart), max(span[1], row.SourceEnd)}
		}
	}
	return quoted
}

// apply returns s with secret words replaced.
func (v *redactionMask) apply(s string) string {
	if v == nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := wordLength(s)
		if n > 0 && v.isSecret(strings.ToLower(s[:n])) {
			b.WriteString(maskedWord)
		} else {
			_, size := utf8.DecodeRuneInString(s)
			n = max(n, size)
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// wordLength is the length of the run of letters and digits at the start of s.
func wordLength(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }))
}

func anyContains(texts []string, word string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, word) })
}
