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
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return e.quote(answer[start:end], MaxExcerpt)
}

// quote redacts s, then shortens it to limit characters and dots: in this order, so that the cut does not hide half of a
// secret from the redactor. Line breaks become spaces, control characters are removed. The mask removes secrets that s
// contains only in part.
func (e *Evaluation) quote(s string, limit int) string { return e.shorten(s, limit, false) }

// quoteWords quotes up to MaxSourceExcerpt characters and ends the quote between two words.
func (e *Evaluation) quoteWords(s string) string {
	if e.suite.opts.HideExcerpts {
		return ""
	}
	return strings.TrimSpace(e.shorten(s, MaxSourceExcerpt, true))
}

func (e *Evaluation) shorten(s string, limit int, words bool) string {
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
			cut := i
			if space := strings.LastIndexByte(s[:i+1], ' '); words && space > i/2 {
				cut = space
			}
			s, long = s[:cut], true
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

// Limits of the part of a source that is shown around a place, in bytes.
const (
	shownBefore = 60
	shownAfter  = maxExcerptRead
)

// shownSource is the part of the row's source to show: the place with the rest of its sentences, which a place as short as a
// figure needs. It is empty without a place.
func (e *Evaluation) shownSource(row *Evidence) (from, to int) {
	s := e.doc.in.Sources[row.Source].Text
	start := min(max(row.SourceStart, 0), len(s))
	end := min(max(row.SourceEnd, start), len(s), start+shownAfter)
	if start == end {
		return start, start
	}
	low, high := startOfWord(s, max(0, start-shownBefore), start), min(len(s), start+shownAfter)
	for high > end && high < len(s) && !utf8.RuneStart(s[high]) {
		high--
	}
	from, to = start, end
	for _, sentence := range text.AppendSentences(nil, s[low:high]) {
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

// question is the user's last question, else the last message.
func (e *Evaluation) question() string {
	asked := strings.TrimSpace(e.doc.in.UserQuestion())
	if asked == "" {
		before, after := e.doc.in.Question()
		asked = strings.TrimSpace(before + after)
	}
	return asked
}

// quoteQuestion quotes the question's first line, if the flag shows any text.
func (e *Evaluation) quoteQuestion() string {
	if !e.quotesTexts() || e.suite.opts.HideExcerpts {
		return ""
	}
	line := e.question()
	if end := strings.IndexAny(line, "\r\n\u2028"); end >= 0 {
		line = line[:end]
	}
	return e.quoteWords(line)
}

// quotesTexts reports whether the flag quotes texts of the interaction.
func (e *Evaluation) quotesTexts() bool {
	return e.AnyFired() || e.suite.opts.Explain || e.isJudged()
}

// isJudged reports whether a judge gave verdicts. It has read the sources and may repeat any part of them.
func (e *Evaluation) isJudged() bool {
	return slices.ContainsFunc(e.readings, func(r Reading) bool { return len(r.Finding.Statements) > 0 })
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
	if !e.quotesTexts() {
		return nil
	}
	var v redactionMask
	secret := v.addText(e.doc.RawAnswer(), e.suite.opts.Redact)
	asked, _ := text.Cut(e.question(), maxExcerptRead+maskMargin)
	if v.addText(asked, e.suite.opts.Redact) {
		secret = true
	}
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

// quotedSources maps source indexes to the byte range that the flag may quote; nil if there is none.
func (e *Evaluation) quotedSources() map[int][2]int {
	quoted := map[int][2]int{}
	if e.isJudged() {
		for at := range e.doc.in.Sources {
			quoted[at] = [2]int{0, len(e.doc.in.Sources[at].Text)}
		}
		return quoted
	}
	for i := range e.readings {
		r := &e.readings[i]
		if !e.shows(r) {
			continue
		}
		for at := range r.Finding.Evidence[:min(len(r.Finding.Evidence), MaxEvidence)] {
			row := &r.Finding.Evidence[at]
			if row.Source < 0 || row.Source >= len(e.doc.in.Sources) {
				continue
			}
			from, to := e.shownSource(row)
			from, to = min(from, row.SourceStart), max(to, row.SourceEnd)
			if span, known := quoted[row.Source]; known {
				from, to = min(from, span[0]), max(to, span[1])
			}
			quoted[row.Source] = [2]int{from, to}
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
