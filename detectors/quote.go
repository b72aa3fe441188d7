package detectors

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
	"confab/schemas"
)

// maxExcerptRead is how many bytes are redacted to find MaxExcerpt characters.
const maxExcerptRead = 1000

// excerpt quotes bytes of the answer; offsets that are none are no reason to fail.
func (e *Evaluation) excerpt(start, end int) string {
	answer := e.doc.in.Answer
	start = min(max(start, 0), len(answer))
	end = min(max(end, start), len(answer))
	return e.quote(answer[start:end], MaxExcerpt)
}

// quote redacts s, then shortens it to limit characters and dots: in this order, lest the cut hide half a secret from
// the redactor. Line breaks become spaces, control characters go. Of a secret that s holds in part only, because it
// begins or ends within one, the veil takes what is left.
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

// maskedWord stands for what a veil has taken out.
const maskedWord = "[redacted]"

// minMaskedWord is how many letters and digits in a row may be part of a secret: fewer tell nothing.
const minMaskedWord = 3

// redactionMask keeps parts of a secret from being quoted: half a key is no pattern any more, and neither are the words of a note
// that names a phone number without its punctuation. What a text holds and its redacted form does not is secret, word by
// word. Nil takes nothing out.
type redactionMask struct {
	texts, redacted []string        // in lower case, runs of padding shortened
	redactedWords   map[string]bool // letters and digits in a row of the redacted texts
	secretWords     map[string]bool // by word: whether it is secret
}

// maskMargin is how many bytes around a place in a source are read for secrets that reach into it.
const maskMargin = 512

// newRedactionMask reads the texts that evidence quotes; nil where nothing in them is secret, as is the rule.
func (e *Evaluation) newRedactionMask() *redactionMask {
	if !e.AnyFired() {
		return nil
	}
	var v redactionMask
	secret := v.addText(e.doc.Answer(), e.suite.opts.Redact)
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

// withoutPadding is s with the first character only of each run of padding: words stay what they are.
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

// isSecret reports a word, in lower case, that a text holds and no redacted one does.
func (v *redactionMask) isSecret(word string) bool {
	if len(word) < minMaskedWord || v.redactedWords[word] {
		return false
	}
	is, known := v.secretWords[word]
	if !known {
		is = anyContains(v.texts, word) && !anyContains(v.redacted, word)
		v.secretWords[word] = is
	}
	return is
}

// addText says whether something in s is secret.
func (v *redactionMask) addText(s string, redact func(string) string) bool {
	r := redact(s)
	v.texts, v.redacted = append(v.texts, s), append(v.redacted, r)
	return r != s
}

// quotedSources are the stretches of sources, from and to, that notes may quote; nil where none does.
func (e *Evaluation) quotedSources() map[int][2]int {
	var quoted map[int][2]int
	for i := range e.readings {
		r := &e.readings[i]
		if r.Outcome != schemas.Fired {
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

// apply is s without parts of secrets.
func (v *redactionMask) apply(s string) string {
	if v == nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := wordLength(s)
		if n == 0 {
			_, n = utf8.DecodeRuneInString(s)
			b.WriteString(s[:n])
		} else if v.isSecret(strings.ToLower(s[:n])) {
			b.WriteString(maskedWord)
		} else {
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// wordLength is the length of the letters and digits that s begins with.
func wordLength(s string) int {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return i
		}
	}
	return len(s)
}

// anyContains says whether a text holds the word.
func anyContains(texts []string, word string) bool {
	for _, t := range texts {
		if strings.Contains(t, word) {
			return true
		}
	}
	return false
}
