package negatives

import (
	"strings"

	"confab/internal/text"
)

// negations negate a statement, or remove its negation: "not" after an auxiliary, "did not" or "failed to" before a
// verb with known forms. Only grammatical patterns are used.
func (e *textEditor) negations() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		if c, ok := v.removeNegation(i, int(in.Last)); ok {
			out = append(out, c)
			return
		}
		out = append(out, v.negations(i, in)...)
	})
	return out
}

// removeNegation removes the negation at token i.
func (v *parsedText) removeNegation(i, end int) (replacement, bool) {
	word := v.word(i)
	if with, ok := affirmativeOf[word]; ok {
		return v.replace(Negation, i, i, with), true
	}
	if i+1 >= end || v.gap(i) != " " {
		return replacement{}, false
	}
	if full, ok := expansionOf[word]; ok && strings.HasSuffix(full, " not") {
		return v.withoutNegation(strings.TrimSuffix(full, " not"), i, i)
	}
	switch next := v.word(i + 1); {
	case auxiliaryVerbs[word] && next == "not" && v.word(i+2) != "only":
		return v.withoutNegation(word, i, i+1)
	case word == "no" && next == "longer":
		return v.replace(Negation, i, i+1, "still"), true
	}
	return replacement{}, false
}

// withoutNegation removes "not" after an auxiliary verb in the tokens from first to last; a form of "do" and its verb
// become the verb alone.
func (v *parsedText) withoutNegation(helper string, first, last int) (replacement, bool) {
	if !formsOfDo[helper] {
		return v.replace(Negation, first, last, helper), true
	}
	if last+1 >= len(v.tokens) || v.gap(last) != " " {
		return replacement{}, false
	}
	with, ok := conjugated(helper, v.word(last+1))
	if !ok {
		return replacement{}, false
	}
	return v.replace(Negation, first, last+1, with), true
}

// conjugated is the verb without "do not", "does not" or "did not"; ok is false for unknown forms.
func conjugated(helper, verb string) (form string, ok bool) {
	switch helper {
	case "do":
		return verb, pastForms[verb] != ""
	case "does":
		return thirdPerson(verb), pastForms[verb] != ""
	default:
		return pastForms[verb], pastForms[verb] != ""
	}
}

// negations returns the ways to negate the verb at token i.
func (v *parsedText) negations(i int, in text.Range) []replacement {
	if !v.canNegate(i, int(in.Last)) {
		return nil
	}
	word, next := v.word(i), v.word(i+1)
	switch {
	case word == "can":
		return []replacement{v.replace(Negation, i, i, "cannot")}
	case word == "with" && (next == "a" || next == "an"):
		return []replacement{v.replace(Negation, i, i, "without")}
	case formsOfDo[word] || formsOfHave[word] && !isParticiple(next):
	case auxiliaryVerbs[word]:
		return []replacement{v.replace(Negation, i, i, v.tokens[i].In(v.s)+" not")}
	}
	return v.verbNegations(i, in)
}

// canNegate reports whether token i may be a verb that is not negated.
func (v *parsedText) canNegate(i, end int) bool {
	if i+1 >= end || v.gap(i) != " " || v.tokens[i].Has(text.Negation) || v.tokens[i+1].Has(text.Negation) {
		return false
	}
	before := v.word(i - 1)
	return !auxiliaryVerbs[before] && before != "to" // "could have been", "is opened": negate the first verb only
}

// verbNegations inserts "did not", "failed to" or the like before a verb with a subject and an object.
func (v *parsedText) verbNegations(i int, in text.Range) []replacement {
	word := v.word(i)
	base, ok := baseForms[word]
	if !ok || !objectStarts[v.word(i+1)] || i == int(in.First) {
		return nil
	}
	helpers := [...]string{"did not ", "failed to "}
	if thirdPerson(base) == word {
		helpers = [...]string{"does not ", "fails to "}
	}
	var out []replacement
	for _, helper := range helpers {
		out = append(out, v.replace(Negation, i, i, helper+base))
	}
	return out
}

// isParticiple reports whether "has" before the word is an auxiliary.
func isParticiple(word string) bool {
	return strings.HasSuffix(word, "ed") || strings.HasSuffix(word, "en") || word == "made" || word == "had" || word == "gone"
}

// thirdPerson is the third person of a regular verb.
func thirdPerson(verb string) string {
	switch {
	case verb == "have":
		return "has"
	case strings.HasSuffix(verb, "y") && len(verb) > 1 && !strings.ContainsRune("aeiou", rune(verb[len(verb)-2])):
		return verb[:len(verb)-1] + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"),
		strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "o"), strings.HasSuffix(verb, "z"):
		return verb + "es"
	}
	return verb + "s"
}

// antonyms replace a word by its opposite, unless the sentence contains that too.
func (e *textEditor) antonyms() []replacement {
	var out []replacement
	v := &e.view
	v.eachToken(func(i int, in text.Range) {
		with, ok := pickRandom(e.rng, antonymsAndWeaker[v.word(i)])
		if !ok || v.predicate(i) && pastForms[with] != "" { // "is close" is not the opposite of "is open"
			return
		}
		for j := in.First; j < in.Last; j++ {
			if v.word(int(j)) == with {
				return
			}
		}
		out = append(out, v.article(Antonym, i, with))
	})
	return out
}

// article replaces a word and adapts "a" or "an" before it.
func (v *parsedText) article(kind Kind, i int, with string) replacement {
	before := v.word(i - 1)
	if (before != "a" && before != "an") || v.gap(i-1) != " " {
		return v.replace(kind, i, i, with)
	}
	article := "a "
	if strings.ContainsRune("aeiou", rune(with[0])) {
		article = "an "
	}
	return v.replace(kind, i-1, i, article+with)
}
