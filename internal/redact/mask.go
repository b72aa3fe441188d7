package redact

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maskedWord replaces a masked word.
const maskedWord = "[redacted]"

// minMaskedWord is the length of the shortest word that is masked.
const minMaskedWord = 3

// Mask removes parts of secrets that the redactor cannot recognize in a quote, such as half of a key or a phone number
// without its punctuation. A word is secret if a text contains it and no redacted text does. A nil mask removes nothing.
type Mask struct {
	texts, redacted []string        // in lower case
	redactedWords   map[string]bool // words of the redacted texts
	secretWords     map[string]bool // results of isSecret by word
}

// Of returns the mask of the texts, nil in the common case that redact finds nothing secret in them.
func Of(texts []string, redact func(string) string) *Mask {
	var redacted []string
	for i, s := range texts {
		r := redact(s)
		if redacted == nil && r != s {
			redacted = slices.Clone(texts)
		}
		if redacted != nil {
			redacted[i] = r
		}
	}
	if redacted == nil {
		return nil
	}
	v := Mask{texts: slices.Clone(texts), redacted: redacted}
	v.redactedWords, v.secretWords = map[string]bool{}, map[string]bool{}
	for i := range v.texts {
		v.texts[i], v.redacted[i] = strings.ToLower(v.texts[i]), strings.ToLower(v.redacted[i])
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

// isSecret reports whether a text contains the lower-case word and no redacted text does.
func (v *Mask) isSecret(word string) bool {
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

// Apply returns s with secret words replaced.
func (v *Mask) Apply(s string) string {
	if v == nil {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for s != "" {
		n := wordLength(s)
		if groups := groupsLength(s); groups > n && v.isSecret(s[:groups]) {
			n = groups
			b.WriteString(maskedWord)
		} else if n > 0 && v.isSecret(strings.ToLower(s[:n])) {
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

// groupsLength is the length of the groups of digits at the start of s, such as those of a phone number.
func groupsLength(s string) (n int) {
	between := 0
	for i, r := range s {
		switch between++; {
		case unicode.IsDigit(r):
			n, between = i+utf8.RuneLen(r), 0
		case n == 0 || between > 2 || !strings.ContainsRune(" \u00a0\u202f.-/()", r):
			return n
		}
	}
	return n
}

func anyContains(texts []string, word string) bool {
	return slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, word) })
}
