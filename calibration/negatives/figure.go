package negatives

import (
	"strconv"
	"strings"

	"confab/internal/text"
)

// figures replace numbers, number words and units.
func (e *textEditor) figures() []replacement {
	var places []int
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		_, word := figureWords[v.word(i)]
		if word || plainNumber(v.tokens[i].In(v.s)) && !v.numbering(i, in) && !v.year(i) && v.gap(i-1) != ":" {
			places = append(places, i)
		}
	})
	return firstReplacement(e.rng, places, func(i int) (replacement, bool) {
		if plainNumber(v.tokens[i].In(v.s)) {
			return e.figure(i), true
		}
		with, ok := e.otherInClass(figureWords, v.word(i))
		return v.replace(Figure, i, i, with), ok
	})
}

// plainNumber reports whether a token is a number in the digits 0 to 9.
func plainNumber(s string) bool {
	return strings.Trim(s, "0123456789.,") == "" && strings.ContainsAny(s, "0123456789")
}

// figure replaces token i by another number of the same shape: from the row's own sources, from another row, or with
// one digit changed.
func (e *textEditor) figure(i int) replacement {
	v := &e.view
	old := v.tokens[i].In(v.s)
	if v.gap(i) == ":" { // a time of day
		return v.replace(Figure, i, i, e.hour(old))
	}
	with := e.changeDigit(old)
	switch e.rng.IntN(4) {
	case 0:
		if own, ok := pickRandom(e.rng, e.ownFigures(old)); ok {
			with = own
		}
	case 1:
		if other, ok := drawText(e.rng, e.pool.figures[numberShape(old)], groupOf(e.row), func(s string) bool { return s != old && !e.inContext(s) }); ok {
			with = other
		}
	}
	return v.replace(Figure, i, i, with)
}

func (e *textEditor) hour(old string) string {
	for {
		if with := strconv.Itoa(1 + e.rng.IntN(12)); with != old {
			return with
		}
	}
}

// ownFigures are other numbers of the sources with the shape of old.
func (e *textEditor) ownFigures(old string) []string {
	var out []string
	for _, s := range e.row.Interaction.Sources {
		for _, t := range text.AppendTokens(nil, s.Text) {
			if with := t.In(s.Text); t.Kind == text.Number && with != old && numberShape(with) == numberShape(old) {
				out = append(out, with)
			}
		}
	}
	return out
}

// changeDigit changes one digit; a leading digit does not become 0. It prefers numbers that no source contains.
func (e *textEditor) changeDigit(figure string) string {
	with := figure
	for range maxDraws {
		b := []byte(figure)
		at := e.rng.IntN(len(b))
		for b[at] < '0' || b[at] > '9' {
			at = (at + 1) % len(b)
		}
		low := 0
		if at == 0 {
			low = 1
		}
		for b[at] == figure[at] {
			b[at] = byte('0' + low + e.rng.IntN(10-low))
		}
		if with = string(b); !e.inContext(with) {
			break
		}
	}
	return with
}

// numbering reports whether token i numbers a part of the answer: a list item, a passage, a step.
func (v *parsedText) numbering(i int, in text.Range) bool {
	if i == int(in.First) && strings.HasPrefix(v.gap(i), ".") || strings.HasPrefix(v.gap(i), ")") {
		return true
	}
	return countedParts[v.word(i-1)]
}

// dates replace years, months, days of the week and decades.
func (e *textEditor) dates() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		word := v.tokens[i].In(v.s)
		switch {
		case v.year(i):
			out = append(out, v.replace(Date, i, i, e.otherYear(word)))
		case isDecade(word):
			b := []byte(word)
			for b[2] == word[2] {
				b[2] = byte('0' + e.rng.IntN(10))
			}
			out = append(out, v.replace(Date, i, i, string(b)))
		case startsUpper(word) && !v.isAmbiguousMonth(i, int(in.First)):
			if with, ok := e.otherInClass(dateWords, v.word(i)); ok {
				out = append(out, v.replace(Date, i, i, with))
			}
		}
	})
	return out
}

// otherYear is another year of the row's sources, or one close to old.
func (e *textEditor) otherYear(old string) string {
	if own, ok := pickRandom(e.rng, e.ownFigures(old)); ok && yearLike(own) && e.rng.IntN(3) == 0 {
		return own
	}
	year, _ := strconv.Atoi(old) // four digits
	for range maxDraws {
		offset := 1 + e.rng.IntN(9)
		if e.rng.IntN(2) == 0 {
			offset = -offset
		}
		if with := strconv.Itoa(year + offset); !e.inContext(with) {
			return with
		}
	}
	return strconv.Itoa(year + 11)
}

// isAmbiguousMonth reports whether the word at token i may not be a month: "May" or "March" at the start of a sentence.
func (v *parsedText) isAmbiguousMonth(i, first int) bool {
	word := v.word(i)
	return i == first && (word == "may" || word == "march") && (i+1 >= len(v.tokens) || v.tokens[i+1].Kind != text.Number)
}

// year reports whether token i is a year: four digits without a unit, currency or percent sign.
func (v *parsedText) year(i int) bool {
	if !yearLike(v.tokens[i].In(v.s)) || strings.ContainsAny(v.gap(i-1), "$€£") || strings.HasPrefix(v.gap(i), "%") {
		return false
	}
	_, unit := figureWords[v.word(i+1)]
	return !unit
}

// yearLike reports whether the figure is a year between 1500 and 2099.
func yearLike(s string) bool {
	return len(s) == 4 && numberShape(s) == "0000" && (s[0] == '1' && s[1] >= '5' || s[0] == '2' && s[1] == '0')
}

func isDecade(word string) bool {
	return len(word) == 5 && word[4] == 's' && word[3] == '0' && yearLike(word[:4])
}

// otherInClass is another word of the same class.
func (e *textEditor) otherInClass(classes map[string][]string, word string) (string, bool) {
	class, ok := classes[word]
	if !ok {
		return "", false
	}
	for range maxDraws {
		if with, _ := pickRandom(e.rng, class); with != word {
			return with, true
		}
	}
	return "", false
}
