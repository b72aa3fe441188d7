package detectors

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/redact/mask"
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
	s = e.mask.Apply(s)
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

// maskMargin is how many bytes around a quoted place are searched for secrets that overlap it.
const maskMargin = 512

// newRedactionMask reads the texts that evidence quotes. It returns nil in the common case that nothing in them is secret.
func (e *Evaluation) newRedactionMask() *mask.Mask {
	if !e.quotesTexts() {
		return nil
	}
	asked, _ := text.Cut(e.question(), maxExcerptRead+maskMargin)
	quoted := []string{e.doc.RawAnswer(), asked}
	for at, span := range e.quotedSources() {
		s := e.doc.in.Sources[at].Text
		from, to := min(max(0, span[0]-maskMargin), len(s)), min(max(0, span[1]+maskMargin), len(s))
		quoted = append(quoted, s[from:max(from, to)])
	}
	return mask.Of(quoted, e.suite.opts.Redact)
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
