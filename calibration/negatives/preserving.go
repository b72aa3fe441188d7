package negatives

import (
	"strings"

	"confab/internal/text"
)

// orders swap the last two items of a list of three or more, "…, x, and y.", if they are short and have no function
// words.
func (e *textEditor) orders() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		if c, ok := v.swapItems(i, int(in.Last)); ok {
			out = append(out, c)
		}
	})
	return out
}

// maxItemWords bounds the words of a moved item.
const maxItemWords = 2

// swapItems swaps "x" and "y" where token i ends an item before ", x, and y.".
func (v *parsedText) swapItems(i, end int) (replacement, bool) {
	if v.gap(i) != ", " {
		return replacement{}, false
	}
	and := i + 2
	for and < min(end, i+1+maxItemWords) && !listConjunctions[v.word(and)] {
		and++
	}
	last := and + 1
	if last >= end || !listConjunctions[v.word(and)] {
		return replacement{}, false
	}
	if v.gap(last) == " " && last+1 < end {
		last++
	}
	ends := last+1 == end || strings.HasPrefix(v.gap(last), ",")
	if !ends || v.hasFunctionWord(i+1, and-1) || v.hasFunctionWord(and+1, last) {
		return replacement{}, false
	}
	part := func(from, to int) string { return v.s[v.tokens[from].Start:v.tokens[to].End] }
	between := text.Between(v.s, v.tokens[and-1].End, v.tokens[and+1].Start)
	return replacement{
		kind: Order, start: int(v.tokens[i+1].Start), end: int(v.tokens[last].End),
		newText: part(and+1, last) + between + part(i+1, and-1),
	}, true
}

// hasFunctionWord reports whether one of the tokens is a function word or is not followed by a single space.
func (v *parsedText) hasFunctionWord(first, last int) bool {
	for i := first; i <= last; i++ {
		if v.tokens[i].Stop() || v.tokens[i].Has(text.Negation) || i < last && v.gap(i) != " " {
			return true
		}
	}
	return false
}

// digits write a number in words, or in digits.
func (e *textEditor) digits() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		word := v.tokens[i].In(v.s)
		with, ok := digitsOf[word]
		ok = ok && v.gap(i-1) != "-" && v.gap(i) != "-"
		if v.tokens[i].Kind == text.Number {
			with, ok = wordsOf[word]
			ok = ok && !v.numbering(i, in) && v.gap(i-1) == " " && v.gap(i) == " " && isPlainCount(v.word(i-1), v.word(i+1))
		}
		if ok {
			out = append(out, replacement{kind: Digits, start: int(v.tokens[i].Start), end: int(v.tokens[i].End), newText: with})
		}
	})
	return out
}

// isPlainCount reports whether a figure between two words is a plain count: not a date, a time or a fraction.
func isPlainCount(before, after string) bool {
	_, date := dateWords[before]
	_, dated := dateWords[after]
	return !date && !dated && after != "am" && after != "pm" && !plainNumber(after)
}

// contractions write "do not" for "don't", or back.
func (e *textEditor) contractions() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		if full, ok := expansionOf[v.word(i)]; ok {
			out = append(out, v.replace(Contraction, i, i, full))
			return
		}
		if i+1 < int(in.Last) && v.gap(i) == " " {
			if short, ok := contractionOf[v.word(i)+" "+v.word(i+1)]; ok {
				out = append(out, v.replace(Contraction, i, i+1, short))
			}
		}
		if v.word(i) == "cannot" {
			out = append(out, v.replace(Contraction, i, i, "can't"))
		}
	})
	return out
}

// synonyms replace a word by a synonym.
func (e *textEditor) synonyms() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, _ text.Range) {
		if startsUpper(v.tokens[i].In(v.s)) {
			return
		}
		if with, ok := pickRandom(e.rng, synonymsOf[v.word(i)]); ok {
			out = append(out, v.article(Synonym, i, with))
		}
	})
	return out
}

// denials replace a word by "not" and its opposite, so that "not" alone does not reveal a fault.
func (e *textEditor) denials() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		with, ok := pickRandom(e.rng, antonymsOf[v.word(i)])
		if !ok || !v.predicate(i) || pastForms[with] != "" || v.hasFunctionWord(i, i) || hasNegation(v.s[v.tokens[in.First].Start:v.tokens[in.Last-1].End]) {
			return
		}
		if v.gap(i) == " " && i+1 < int(in.Last) && !v.tokens[i+1].Stop() {
			return // "is open source": the word modifies the next one
		}
		out = append(out, replacement{kind: Opposite, start: int(v.tokens[i].Start), end: int(v.tokens[i].End), newText: "not " + with})
	})
	return out
}

// predicate reports whether token i follows a form of "be".
func (v *parsedText) predicate(i int) bool { return formsOfBe[v.word(i-1)] && v.gap(i-1) == " " }

// drops remove one sentence of three or more. The first one stays, because others refer to it.
func (e *textEditor) drops() []replacement {
	var out []replacement
	v := &e.view
	if len(v.sentences) < 3 {
		return nil
	}
	for i := 1; i < len(v.sentences); i++ {
		from := int(v.sentences[i-1].End)
		if strings.TrimSpace(v.s[from:v.sentences[i].Start]) == "" && plainText(v.sentences[i].In(v.s)) {
			out = append(out, replacement{kind: Dropped, start: from, end: int(v.sentences[i].End)})
		}
	}
	return out
}

// plainText reports whether a sentence is not part of code, a table or a list.
func plainText(s string) bool {
	return startsUpper(s) && strings.HasSuffix(s, ".") && !strings.ContainsAny(s, "`|{}\n")
}
