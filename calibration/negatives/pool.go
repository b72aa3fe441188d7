package negatives

import (
	"math/rand/v2"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// Pool holds the sentences, names, figures and content words that faults are made of. It is safe for concurrent use.
type Pool struct {
	sentences []pooledText
	names     map[int][]pooledText    // by number of words
	figures   map[string][]pooledText // by number shape
	words     map[string][]pooledText // by form
}

// pooledText is a text with its group.
type pooledText struct{ text, group string }

// maxDraws bounds the attempts of a random draw.
const maxDraws = 12

// NewPool collects texts of the answers labelled as fine and of all sources.
func NewPool(rows []schemas.Labelled) *Pool {
	p := &Pool{names: map[int][]pooledText{}, figures: map[string][]pooledText{}, words: map[string][]pooledText{}}
	seen := map[pooledText]bool{}
	for i := range rows {
		row := &rows[i]
		if row.Label == 0 {
			p.add(row.Interaction.Answer, groupOf(row), seen)
		}
		for _, s := range row.Interaction.Sources {
			if !isJSONRecord(s.Text) {
				p.add(s.Text, groupOf(row), seen)
			}
		}
	}
	return p
}

// groupOf is the row's group; a row without one is a group of its own.
func groupOf(row *schemas.Labelled) string {
	if row.Group == "" {
		return "\x00" + row.Interaction.ID
	}
	return row.Group
}

// isJSONRecord reports whether the text is JSON, which has no sentences.
func isJSONRecord(s string) bool {
	s = strings.TrimSpace(s)
	return strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[{")
}

func (p *Pool) add(s, group string, seen map[pooledText]bool) {
	v := parseText(s)
	fresh := func(words string) (pooledText, bool) {
		one := pooledText{words, group}
		if seen[one] {
			return one, false
		}
		seen[one] = true
		return one, true
	}
	for _, r := range v.stated {
		span := v.sentenceOf(r)
		if one, ok := fresh(span.In(s)); ok && sentenceLike(one.text) {
			p.sentences = append(p.sentences, one)
		}
	}
	for _, n := range v.properNames() {
		if one, ok := fresh(n.in(&v)); ok {
			words := n.last - n.first + 1
			p.names[words] = append(p.names[words], one)
		}
	}
	v.eachToken(func(i int, _ text.Range) {
		word := v.tokens[i].In(s)
		if form := v.form(i); form != "" {
			if one, ok := fresh(word); ok {
				p.words[form] = append(p.words[form], one)
			}
		} else if v.tokens[i].Kind == text.Number {
			if one, ok := fresh(word); ok {
				p.figures[numberShape(word)] = append(p.figures[numberShape(word)], one)
			}
		}
	})
}

// sentenceOf is the sentence that contains the tokens.
func (v *parsedText) sentenceOf(r text.Range) text.Span {
	at := v.tokens[r.First].Start
	for _, s := range v.sentences {
		if s.Start <= at && at < s.End {
			return s
		}
	}
	return text.Span{}
}

// sentenceLike reports whether a text looks like a complete sentence of usual length.
func sentenceLike(s string) bool {
	if len(s) < 25 || len(s) > 400 || '0' <= s[0] && s[0] <= '9' {
		return false
	}
	return !strings.ContainsAny(s, "\n{}|") && strings.ContainsAny(s[len(s)-1:], `.!"]`)
}

// drawText draws a text of another group that keep accepts.
func drawText(rng *rand.Rand, from []pooledText, group string, keep func(string) bool) (string, bool) {
	for range min(maxDraws, 4*len(from)) {
		if one, _ := pickRandom(rng, from); one.group != group && keep(one.text) {
			return one.text, true
		}
	}
	return "", false
}

// numberShape replaces every digit by 0: figures of the same shape are interchangeable.
func numberShape(figure string) string {
	b := []byte(figure)
	for i, c := range b {
		if '0' <= c && c <= '9' {
			b[i] = '0'
		}
	}
	return string(b)
}
