package negatives

import (
	"slices"
	"strings"

	"confab/internal/text"
)

// minWordLetters is the least length of a replaced content word.
const minWordLetters = 4

// form classifies a content word by its ending and the kinds of its neighbors; words of one form are interchangeable.
// It is "" for other words.
func (v *parsedText) form(i int) string {
	t := &v.tokens[i]
	word := t.In(v.s)
	if t.Kind != text.Word || t.Stop() || t.Has(text.Negation) || len(word) < minWordLetters || strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") != "" {
		return ""
	}
	if _, verb := baseForms[word]; verb {
		return ""
	}
	before := v.word(i - 1)
	if v.gap(i-1) != " " {
		before = ""
	}
	return wordContext(before) + " " + wordSuffix(word) + " " + v.following(i)
}

// following distinguishes words before another content word, such as adjectives, from others.
func (v *parsedText) following(i int) string {
	if v.gap(i) == " " && !v.tokens[i+1].Stop() {
		return "more"
	}
	return "last"
}

// wordContext classifies the word before a content word.
func wordContext(before string) string {
	switch before {
	case "a", "an", "to":
		return before
	case "the", "this", "that", "his", "her", "their", "its", "my", "your", "our", "these", "those":
		return "the"
	case "of", "in", "on", "at", "for", "with", "by", "from":
		return "of"
	}
	if auxiliaryVerbs[before] {
		return "is"
	}
	return ""
}

func wordSuffix(word string) string {
	for _, suffix := range [...]string{
		"tions", "tion", "ments", "ment", "ities", "ity", "ness", "ing", "ings", "ers", "er", "ists", "ist", "ous", "ful",
		"able", "ible", "ive", "ical", "al", "est", "ed", "ly", "ies", "es", "s",
	} {
		if strings.HasSuffix(word, suffix) {
			return suffix
		}
	}
	return ""
}

// words replace one content word by another of the same form, from another row, or of the same small class.
func (e *textEditor) words() []replacement {
	var places []int
	e.view.eachToken(func(i int, _ text.Range) { places = append(places, i) })
	return firstReplacement(e.rng, places, e.word)
}

func (e *textEditor) word(i int) (replacement, bool) {
	v := &e.view
	word := v.word(i)
	if with, ok := e.otherInClass(classWords, word); ok && !startsUpper(v.tokens[i].In(v.s)) {
		return v.article(Word, i, with), true
	}
	form := v.form(i)
	if form == "" {
		return replacement{}, false
	}
	with, ok := drawText(e.rng, e.pool.words[form], groupOf(e.row), func(s string) bool {
		return s[:3] != word[:3] && !e.inContext(s) && !slices.Contains(synonymsOf[word], s)
	})
	return v.replace(Word, i, i, with), ok
}

// maxSourceShare bounds the share of a foreign sentence's content words that the sources may contain.
const maxSourceShare = 0.6

// foreign inserts a sentence of another group after a claim or in its place. Of several, it takes the one most similar
// to the sources.
func (e *textEditor) foreign() []replacement {
	r, ok := pickRandom(e.rng, e.view.stated)
	if !ok {
		return nil
	}
	held := map[uint64]bool{}
	for _, s := range e.row.Interaction.Sources {
		for _, t := range text.AppendTokens(nil, s.Text) {
			held[t.Stem] = true
		}
	}
	best, most := "", -1.0
	for range maxDraws {
		s, ok := drawText(e.rng, e.pool.sentences, groupOf(e.row), func(s string) bool { return !strings.Contains(e.view.s, s) })
		if !ok {
			return nil
		}
		if share := shareHeld(s, held); share > most && share <= maxSourceShare {
			best, most = s, share
		}
	}
	if best == "" {
		return nil
	}
	at := e.view.sentenceOf(r)
	if e.rng.IntN(2) == 0 {
		return []replacement{{kind: Foreign, start: int(at.Start), end: int(at.End), newText: best}}
	}
	return []replacement{{kind: Foreign, start: int(at.End), end: int(at.End), newText: " " + best, leadingSpace: 1}}
}

// shareHeld is the share of the content words that are in held.
func shareHeld(s string, held map[uint64]bool) float64 {
	all, found := 0, 0
	for _, t := range text.AppendTokens(nil, s) {
		if t.Stop() {
			continue
		}
		all++
		if held[t.Stem] {
			found++
		}
	}
	if all == 0 {
		return 1
	}
	return float64(found) / float64(all)
}
