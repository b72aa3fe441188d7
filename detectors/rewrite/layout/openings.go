package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// openingEdit is what to do about the first words of a kept unit behind a cut one.
type openingEdit struct {
	end  int    // bytes of words to drop, and of the space behind them; 0: the words stay as they are
	word string // that refers to the cut unit
}

// depend cuts sentences that cannot be understood without the sentence before them, and drops words such as "However,".
func (c *Cut) depend() {
	a := c.answer
	c.change = map[int]openingEdit{}
	words := openingsOf(a.language)
	if words == nil {
		return
	}
	for i := 1; i < len(a.Units); i++ {
		if c.Causes[i] != Kept || c.Causes[i-1] == Kept || !a.follows(i) && !c.followsGoneList(i) {
			continue
		}
		c.decide(words, i)
	}
}

// decide cuts the i-th unit, which follows a cut one, or drops its first words, if they refer to what is gone.
func (c *Cut) decide(words *openingWords, i int) {
	a := c.answer
	s := a.Text[a.Units[i].Start:a.Units[i].End]
	lead := len(s) - len(strings.TrimLeft(s, "*_\"“ "))
	switch kind, n := words.read(s[lead:]); kind {
	case causal:
		c.cut(i, Dependent)
	case refers:
		if !c.keepsAntecedent(words, i) {
			c.cut(i, Dependent)
		}
	case adds:
		c.change[i] = openingEdit{end: n, word: strings.TrimRight(s[lead:lead+n], " ,，、")}
		c.dropAgain(words, i, s, lead)
	case inverts:
		c.change[i] = openingEdit{word: s[lead : lead+n]}
	case stands:
	}
}

// dropAgain decides about the words behind dropped ones: "However, it …".
func (c *Cut) dropAgain(words *openingWords, i int, s string, lead int) {
	o := c.change[i]
	rest := s[lead+o.end:]
	switch kind, _ := words.read(rest); kind {
	case causal:
		delete(c.change, i)
		c.cut(i, Dependent)
	case refers:
		if !c.keepsAntecedent(words, i) {
			delete(c.change, i)
			c.cut(i, Dependent)
		}
	default: // the sentence stands without the dropped words
	}
}

// follows reports that the i-th unit continues the text of the unit before it.
func (a *Answer) follows(i int) bool {
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
func (c *Cut) followsGoneList(i int) bool {
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

// keepsAntecedent reports that what the i-th unit refers to stands before the cut units: they refer to it, too, or begin with
// the same words.
func (c *Cut) keepsAntecedent(words *openingWords, i int) bool {
	a := c.answer
	k := i - 1
	for k > 0 && c.Causes[k] != Kept && a.follows(k) {
		if kind, _ := words.read(a.Text[a.Units[k].Start:a.Units[k].End]); kind != refers && !a.sharesSubject(k) {
			return false
		}
		k--
	}
	return k < i-1 && c.Causes[k] == Kept
}

// sharesSubject reports that the k-th unit begins with the two words of the unit before it.
func (a *Answer) sharesSubject(k int) bool {
	subject := firstWords(a.Text[a.Units[k].Start:a.Units[k].End], 2)
	return subject != "" && subject == firstWords(a.Text[a.Units[k-1].Start:a.Units[k-1].End], 2)
}

// firstWords are the first n words of s in lower case, "" if it has fewer.
func firstWords(s string, n int) string {
	s, _ = text.Cut(s, 80)
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if len(words) < n {
		return ""
	}
	return strings.Join(words[:n], " ")
}

// capitalLetter is the first letter of s in upper case and its length, 0 if the first word has to stay as it is.
func capitalLetter(s string) (upper string, size int) {
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.IsLower(r) {
		return "", 0
	}
	for i, r := range s {
		switch {
		case unicode.IsSpace(r):
			return string(unicode.ToUpper(firstRune(s))), size
		case i > 0 && (unicode.IsUpper(r) || unicode.IsDigit(r) || r == '_' || r == '(' || r == '/'):
			return "", 0 // a name such as iPhone or a word of code
		}
	}
	return string(unicode.ToUpper(firstRune(s))), size
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
