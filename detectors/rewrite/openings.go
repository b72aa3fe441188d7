package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// depend cuts sentences that cannot be understood without the sentence before them: those that begin with a pronoun, and
// those that follow from it.
func (c *cutSet) depend() {
	a := c.answer
	words := openingsOf(a.language)
	for i := 1; i < len(a.Units); i++ {
		if c.Causes[i] != keptUnit || c.Causes[i-1] == keptUnit || !a.follows(i) && !c.followsGoneList(i) {
			continue
		}
		s := a.Text[a.Units[i].Start:a.Units[i].End]
		if beginsWith(s, words.causal) || words.refers(s) && !c.keepsAntecedent(words, i) {
			c.cut(i, dependentUnit)
		}
	}
}

// follows reports that the i-th unit continues the text of the unit before it.
func (a *answerLayout) follows(i int) bool {
	u, before := &a.Units[i], &a.Units[i-1]
	if u.Row || u.Code || before.Row || before.Code {
		return false
	}
	if u.block == before.block {
		return true
	}
	return u.block == before.block+1 && a.blocks[u.block].kind == proseLine && a.blocks[before.block].kind == proseLine
}

// followsGoneList reports that the i-th unit is the first one behind a list or table of which nothing is left.
func (c *cutSet) followsGoneList(i int) bool {
	a := c.answer
	k := a.Units[i].block
	if k == 0 || a.blocks[k].kind != proseLine || a.blocks[k].units != i {
		return false
	}
	n := k - 1
	for n >= 0 && (a.blocks[n].kind == itemLine || a.blocks[n].kind == tableLine) && c.isGone(&a.blocks[n]) {
		n--
	}
	return n < k-1 && (n < 0 || a.blocks[n].kind != itemLine && a.blocks[n].kind != tableLine)
}

// keepsAntecedent reports that what the i-th unit refers to stands before the cut units, which refer to it, too.
func (c *cutSet) keepsAntecedent(words openingWords, i int) bool {
	a := c.answer
	k := i - 1
	for k > 0 && c.Causes[k] != keptUnit && a.follows(k) {
		if !words.refers(a.Text[a.Units[k].Start:a.Units[k].End]) {
			return false
		}
		k--
	}
	return k < i-1 && c.Causes[k] == keptUnit
}

// maxOpening is how many bytes of a sentence are read for its first words.
const maxOpening = 60

// refers reports a sentence that begins with a pronoun, or has a personal one behind its first comma: "However, it …".
func (o openingWords) refers(s string) bool {
	if beginsWith(s, o.standing) {
		return false
	}
	if s, _ = text.Cut(s, maxOpening); beginsWith(s, o.pronouns) {
		return true
	}
	_, behind, _ := strings.Cut(strings.ReplaceAll(s, "，", ","), ",")
	return beginsWith(behind, o.personal) && !beginsWith(behind, o.standing)
}

// beginsWith reports that s begins with one of the words, which are separated by "|".
func beginsWith(s, words string) bool {
	s, _ = text.Cut(strings.TrimLeft(s, "*_\"“ "), maxOpening)
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	for word := range strings.SplitSeq(words, "|") {
		if word != "" && hasWord(s, word) {
			return true
		}
	}
	return false
}

// hasWord reports that s begins with the word. Ideographs need no space between words.
func hasWord(s, word string) bool {
	rest, ok := strings.CutPrefix(s, word)
	last, _ := utf8.DecodeLastRuneInString(word)
	after, _ := utf8.DecodeRuneInString(rest)
	return ok && (unicode.Is(unicode.Han, last) || rest == "" || !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '\'' && after != '-')
}
