package citations

import (
	"unicode"

	"confab/internal/text"
)

// FlagTokens gives the tokens in markers the flag [text.Marker].
func (c *Markers) FlagTokens(tokens []text.Token) {
	list := c.List
	for i := 0; i < len(tokens) && len(list) > 0; {
		t := &tokens[i]
		if int(t.Start) >= list[0].End {
			list = list[1:]
			continue
		}
		if int(t.Start) >= list[0].Start {
			t.Flags |= text.Marker
		}
		i++
	}
}

// JoinSentences moves the ends of sentences in place: a marker after a full stop belongs to the sentence before it, and no
// sentence ends within a marker.
func (c *Markers) JoinSentences(sentences []text.Span) []text.Span {
	if len(c.List) == 0 || len(sentences) < 2 {
		return sentences
	}
	list, kept := c.List, sentences[:1]
	for _, s := range sentences[1:] {
		last := &kept[len(kept)-1]
		for len(list) > 0 && list[0].End <= int(last.End) {
			list = list[1:]
		}
		if len(list) > 0 && list[0].Start < int(last.End) && list[0].End > int(s.Start) {
			last.End = s.End // the marker crosses the end
			continue
		}
		for len(list) > 0 && list[0].Start == int(s.Start) && s.Start < s.End && c.belongsBefore(*last, list[0]) {
			last.End = int32(list[0].End)
			s.Start = c.nextWord(last.End, s.End)
			list = list[1:]
		}
		if s.Start < s.End {
			kept = append(kept, s)
		}
	}
	return kept
}

// belongsBefore reports whether the marker, which starts a sentence, cites for the sentence before it: it stands on the
// same line and is not the subject of what follows.
func (c *Markers) belongsBefore(before text.Span, m Marker) bool {
	s := c.in.Answer
	if m.Form == FormProse || m.Form == FormAuthor && s[m.Start] != '(' && s[m.Start] != '[' {
		return false
	}
	for i := int(before.End); i < m.Start; i++ {
		if s[i] == '\n' {
			return false
		}
	}
	next := c.after(int(c.nextWord(int32(m.End), int32(len(s)))))
	return !unicode.IsLower(next) && !unicode.IsDigit(next) && next != ',' && next != ';'
}

// nextWord is the position of the next character that is neither a space nor the punctuation after a marker.
func (c *Markers) nextWord(at, end int32) int32 {
	s := c.in.Answer
	for at < end && (s[at] == ' ' || s[at] == '.' || s[at] == '\t') {
		at++
	}
	return at
}
