package negatives

import (
	"strings"

	"confab/internal/text"
)

// properName is a run of capitalized words.
type properName struct {
	first, last int // tokens
	end         int // byte offset, before a possessive
}

func (n properName) in(v *parsedText) string { return v.s[v.tokens[n.first].Start:n.end] }

// maxNameWords bounds the capitalized words of a name.
const maxNameWords = 4

// properNames finds the names in claims: runs of capitalized words within a sentence, or of two or more at its start.
// Sentences that are mostly capitalized count as headings and are skipped.
func (v *parsedText) properNames() []properName {
	var out []properName
	for _, r := range v.stated {
		if !v.prose(r) {
			continue
		}
		for i := int(r.First); i < int(r.Last); i++ {
			n, ok := v.nameAt(i, int(r.Last))
			if !ok {
				continue
			}
			if words := n.last - n.first + 1; words <= maxNameWords && (i > int(r.First) || words > 1) {
				out = append(out, n)
			}
			i = n.last
		}
	}
	return out
}

// prose reports whether less than half of the words are capitalized.
func (v *parsedText) prose(r text.Range) bool {
	capitals := 0
	for i := r.First; i < r.Last; i++ {
		if startsUpper(v.tokens[i].In(v.s)) {
			capitals++
		}
	}
	return 2*capitals < r.Len()+2
}

func (v *parsedText) nameAt(i, end int) (properName, bool) {
	n := properName{first: i, last: i - 1}
	for j := i; j < end && v.namePart(j); j++ {
		word := v.tokens[j].In(v.s)
		n.last, n.end = j, int(v.tokens[j].End)
		if short := strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s"); short != word {
			n.end -= len(word) - len(short)
			break
		}
		if v.gap(j) != " " {
			break
		}
	}
	return n, n.last >= n.first
}

func (v *parsedText) namePart(i int) bool {
	t := &v.tokens[i]
	word := t.In(v.s)
	if t.Kind != text.Word || !startsUpper(word) || len(word) < 2 || t.Stop() || t.Has(text.Marker) {
		return false
	}
	low := strings.TrimSuffix(strings.ToLower(word), "'s")
	_, date := dateWords[low]
	return !date && !sentenceOpeners[low]
}

// names replace a name by another one, of the row's own sources or of another row.
func (e *textEditor) names() []replacement {
	own := e.ownNames()
	return firstReplacement(e.rng, e.view.properNames(), func(n properName) (replacement, bool) {
		old := n.in(&e.view)
		with, ok := "", false
		if e.rng.IntN(5) < 2 {
			with, ok = drawText(e.rng, own[n.last-n.first+1], "", func(s string) bool { return !shareWord(s, old) })
		}
		if !ok {
			with, ok = drawText(e.rng, e.pool.names[n.last-n.first+1], groupOf(e.row), func(s string) bool { return !shareWord(s, old) && !e.inContext(s) })
		}
		return replacement{kind: Name, start: int(e.view.tokens[n.first].Start), end: n.end, newText: with}, ok
	})
}

// ownNames are the names in the row's sources by number of words.
func (e *textEditor) ownNames() map[int][]pooledText {
	out := map[int][]pooledText{}
	for _, s := range e.row.Interaction.Sources {
		if isJSONRecord(s.Text) {
			continue
		}
		v := parseText(s.Text)
		for _, n := range v.properNames() {
			words := n.last - n.first + 1
			out[words] = append(out[words], pooledText{n.in(&v), groupOf(e.row)})
		}
	}
	return out
}

// shareWord reports whether two names share a word: "John Smith" and "Smith" may be one person.
func shareWord(a, b string) bool {
	for word := range strings.FieldsSeq(a) {
		if containsWords(strings.ToLower(b), strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// roles exchange two names of a sentence, or words for the two sides of a relation.
func (e *textEditor) roles() []replacement {
	out := e.exchanges()
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		other, ok := roleWords[v.word(i)]
		if !ok {
			return
		}
		for j := i + 1; j < int(in.Last); j++ {
			if v.word(j) == other {
				c := v.replace(Role, i, j, "")
				c.newText = matchCase(other, v.tokens[i].In(v.s)) + text.Between(v.s, v.tokens[i].End, v.tokens[j].Start) + matchCase(v.word(i), v.tokens[j].In(v.s))
				out = append(out, c)
				return
			}
		}
		for j := in.First; int(j) < i; j++ {
			if v.word(int(j)) == other {
				return
			}
		}
		out = append(out, v.replace(Role, i, i, other))
	})
	return out
}

// exchanges swap two names where the words between them relate them asymmetrically.
func (e *textEditor) exchanges() []replacement {
	var out []replacement
	v := &e.view
	names := v.properNames()
	for k := 1; k < len(names); k++ {
		a, b := names[k-1], names[k]
		if !v.together(a, b) || !v.directed(a.last+1, b.first) || shareWord(a.in(v), b.in(v)) {
			continue
		}
		start := int(v.tokens[a.first].Start)
		out = append(out, replacement{
			kind: Role, start: start, end: b.end,
			newText: b.in(v) + v.s[a.end:v.tokens[b.first].Start] + a.in(v),
		})
	}
	return out
}

// together reports whether both names are in one sentence.
func (v *parsedText) together(a, b properName) bool {
	for _, r := range v.stated {
		if int(r.First) <= a.first && b.last < int(r.Last) {
			return true
		}
	}
	return false
}

// directed reports whether the words between two names contain a content word, and no symmetric one ("met", "married").
func (v *parsedText) directed(from, to int) bool {
	if gap := v.gap(from - 1); !strings.HasPrefix(gap, " ") && !strings.HasPrefix(gap, ",") {
		return false // the dot or the apostrophe is part of the name
	}
	content := false
	for i := from; i < to; i++ {
		if symmetricWords[v.word(i)] {
			return false
		}
		content = content || !v.tokens[i].Stop()
	}
	return content
}
