package citation

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/text"
	"confab/internal/text/citations"
)

// reach is how far from a quotation its speaker stands, in bytes.
const reach = 80

// attribution reports whether the answer presents the words as somebody's or as a source's, and the speaker if it names one.
func (c *checker) attribution(start, end int) (claimed bool, speaker string) {
	answer := c.doc.Answer()
	if isTitle(answer, start) {
		return false, ""
	}
	claimed, speaker = speakerOf(answer, start, end)
	if claimed {
		return true, speaker
	}
	list := c.doc.Markers().List
	i, _ := slices.BinarySearchFunc(list, end, func(m citations.Marker, at int) int { return m.Start - at })
	return i < len(list) && list[i].Start-end <= maxGap && !strings.Contains(answer[end:list[i].Start], "\n"), ""
}

// maxGap is the most text between a quotation and its citation, in bytes: the mark, a full stop and a space.
const maxGap = 6

// speakerOf finds a verb of speech next to the quotation in s, and the name next to the verb.
func speakerOf(s string, start, end int) (said bool, speaker string) {
	after := s[end:min(len(s), end+reach)]
	if i := strings.IndexAny(after, "\n.!?"); i > 2 {
		after = after[:i]
	}
	before := beforeQuote(s, start)
	var words [maxContext]string
	isOther := end > 0 && s[end-1] == '.' || strings.Contains(after, ":") // another sentence, or what introduces the next quotation
	if n := splitWords(after, &words); n > 0 {
		if said, speaker = nameBySaying(words[:min(n, nearAfter)]); said && !isOther {
			return true, speaker
		}
	}
	n := splitWords(before, &words)
	if strings.Contains(before, "ccording to ") || strings.Contains(after, "according to ") {
		return true, ""
	}
	saidBefore, speaker := nameBySaying(words[max(0, n-nearBefore):n])
	return said || saidBefore, speaker
}

// isTitle reports whether a word before the quotation says that it is the title of a work.
func isTitle(s string, start int) bool {
	var words [maxContext]string
	n := splitWords(beforeQuote(s, start), &words)
	return slices.ContainsFunc(words[max(0, n-nearTitle):n], func(word string) bool { return titleNouns.Has(text.Hash(word)) })
}

// beforeQuote is the text before the quotation in its sentence, up to reach.
func beforeQuote(s string, start int) string {
	low := max(0, start-reach)
	for low < start && !utf8.RuneStart(s[low]) {
		low++
	}
	before := s[low:start]
	if i := strings.LastIndexAny(before, "\n.!?”»"); i >= 0 {
		before = before[i+1:]
	}
	return before
}

const (
	nearTitle  = 2
	maxContext = 40
	nearAfter  = 8 // words after a quotation
	nearBefore = 8
)

// splitWords splits s into words of letters, hyphens and apostrophes.
func splitWords(s string, words *[maxContext]string) (n int) {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' && r != '\'' && r != '’' }) {
		if n == len(words) {
			break
		}
		words[n] = word
		n++
	}
	return n
}

// nameBySaying finds a verb of speech and the last word of the name before or after it: "said Ada Lovelace", "Lovelace said".
func nameBySaying(words []string) (said bool, name string) {
	for i, word := range words {
		if !sayings.Has(text.Hash(word)) {
			continue
		}
		said = true
		last := ""
		for _, next := range words[i+1 : min(len(words), i+1+maxName)] {
			if !isName(next) {
				break
			}
			last = next
		}
		if last != "" {
			return true, last
		}
		if i > 0 && isName(words[i-1]) {
			return true, words[i-1]
		}
		if role := roleNextTo(words, i); role != "" {
			return true, role
		}
	}
	return said, ""
}

const maxName = 4 // words

func isName(word string) bool {
	first, size := utf8.DecodeRuneInString(word)
	return unicode.IsUpper(first) && len(word) > size+1 && word != strings.ToUpper(word) && !pronouns.Has(text.Hash(word))
}

// roleNextTo returns the role before or after the verb: "the engineer said", "said the engineer"; "" for none.
func roleNextTo(words []string, verb int) string {
	if verb > 1 && isRole(words[verb-1]) && articles.Has(text.Hash(words[verb-2])) {
		return words[verb-1]
	}
	if verb+2 < len(words) && isRole(words[verb+2]) && articles.Has(text.Hash(words[verb+1])) {
		return words[verb+2]
	}
	return ""
}

// isRole reports a word that may stand for a person after an article: "the engineer said".
func isRole(word string) bool {
	first, _ := utf8.DecodeRuneInString(word)
	return unicode.IsLower(first) && len(word) >= minRole
}

const minRole = 4 // bytes

// isComparable reports whether a source can show that one speaker is not the other: both have names, or the source has both
// roles. A name and a role may be one person.
func isComparable(source, speaker, other string) bool {
	if isRole(speaker) != isRole(other) {
		return false
	}
	return !isRole(speaker) || strings.Contains(source, speaker)
}

// compareSpeaker reports whether the source names somebody else for the quotation, whose first word is the at-th token of
// the sources.
func (c *checker) compareSpeaker(f *Fault, at int, speaker string) bool {
	if at < 0 {
		return false
	}
	tokens, sentences := c.doc.SourceTokens(), c.doc.AllSourceSentences()
	c.doc.Work().Spend(reach)
	i, exact := slices.BinarySearchFunc(sentences, int32(at), func(s detectors.SourceSentence, token int32) int { return int(s.First - token) })
	if !exact {
		i--
	}
	if i < 0 {
		return false
	}
	n := int(c.pieces[0].Last - c.pieces[0].First)
	if len(c.pieces) > 1 || at+n > len(tokens) {
		return false
	}
	source := int(sentences[i].Source)
	words := c.doc.Source(source)
	start, end := int(tokens[at].Start), int(tokens[at+n-1].End)
	if end < start || end > len(words) {
		return false // it spans two sources
	}
	_, other := speakerOf(words, start, end)
	if other == "" || !isComparable(words, speaker, other) || sameName(words, other, speaker) || !isQuoted(words, start, end) {
		return false
	}
	f.Speaker, f.Source, f.SourceStart, f.SourceEnd = other, source, start, end
	return true
}

// isQuoted reports whether quotation marks stand around the words of a source, near enough to belong to them.
func isQuoted(s string, start, end int) bool {
	return strings.ContainsAny(s[max(0, start-4):start], `"“„«「`) || strings.ContainsAny(s[end:min(len(s), end+5)], `"”“»」`)
}

// sameName reports whether the words are equal, or the source has both as parts of one name: "Ada Lovelace".
func sameName(s, a, b string) bool {
	return strings.EqualFold(a, b) || strings.Contains(s, a+" "+b) || strings.Contains(s, b+" "+a) || strings.HasPrefix(a, b) || strings.HasPrefix(b, a)
}
