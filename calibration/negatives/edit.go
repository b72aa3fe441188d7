package negatives

import (
	"math/rand/v2"
	"strings"

	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/schemas"
)

// Kind is what an edit changed.
type Kind string

// The kinds of faults.
const (
	Figure   Kind = "figure"   // a number, in digits or in words
	Date     Kind = "date"     // a year, month or day of the week
	Name     Kind = "name"     // a name, for another
	Negation Kind = "negation" // a statement negated, or a negation removed
	Antonym  Kind = "antonym"  // a word replaced by its opposite
	Role     Kind = "role"     // two names or two roles exchanged
	Word     Kind = "word"     // a content word replaced by another of the same form
	Foreign  Kind = "foreign"  // a sentence of another group
)

// The kinds of label-preserving edits.
const (
	Order       Kind = "order"       // items of a list reordered
	Digits      Kind = "digits"      // a number written in digits or in words
	Contraction Kind = "contraction" // "do not" for "don't", or back
	Synonym     Kind = "synonym"     // a word replaced by a synonym
	Opposite    Kind = "opposite"    // "is not closed" for "is open"
	Dropped     Kind = "dropped"     // a sentence removed
	Copied      Kind = "copied"      // a sentence of a source
)

// Faults lists the kinds of faults.
func Faults() []Kind {
	return []Kind{Figure, Date, Name, Negation, Antonym, Role, Word, Foreign}
}

// Edit is an edited answer.
type Edit struct {
	Kind       Kind
	Start, End int // changed bytes of Answer; empty where text was removed
	Answer     string
}

// FaultyEdits returns up to eight edited answers of a supported row, at most one for each kind of [Faults] and in that
// order, each with one fault. Other rows have none.
//
// Edits are not verified: a figure that occurs elsewhere in the sources, or a symmetric relation, may leave the answer
// true in rare cases.
func FaultyEdits(rng *rand.Rand, row *schemas.Labelled, pool *Pool) []Edit {
	if row.Label != 0 {
		return nil
	}
	return editText(rng, row, row.Interaction.Answer, pool)
}

// editText edits a text that the row's sources support.
func editText(rng *rand.Rand, row *schemas.Labelled, answer string, pool *Pool) []Edit {
	e := textEditor{rng: rng, row: row, view: parseText(answer), pool: pool}
	var out []Edit
	for _, find := range []func() []replacement{
		e.figures, e.dates, e.names, e.negations, e.antonyms, e.roles, e.words, e.foreign,
	} {
		if c, ok := pickRandom(rng, find()); ok {
			out = append(out, c.apply(answer))
		}
	}
	return out
}

// PreservingEdits returns answers that state the same as that of a supported row, or less: at most one for each kind.
func PreservingEdits(rng *rand.Rand, row *schemas.Labelled) []Edit {
	if row.Label != 0 {
		return nil
	}
	answer := row.Interaction.Answer
	e := textEditor{rng: rng, row: row, view: parseText(answer)}
	var out []Edit
	for _, find := range []func() []replacement{e.orders, e.digits, e.contractions, e.synonyms, e.denials, e.drops} {
		if c, ok := pickRandom(rng, find()); ok {
			out = append(out, c.apply(answer))
		}
	}
	return out
}

// textEditor finds places where a text can be changed.
type textEditor struct {
	rng  *rand.Rand
	row  *schemas.Labelled
	view parsedText
	pool *Pool

	context string // sources and prompt in lower case; made on first use
}

// replacement replaces bytes of a text.
type replacement struct {
	kind         Kind
	start, end   int
	newText      string
	leadingSpace int // length of the white space at the start of newText
}

func (c replacement) apply(s string) Edit {
	return Edit{
		Kind: c.kind, Start: c.start + c.leadingSpace, End: c.start + len(c.newText),
		Answer: s[:c.start] + c.newText + s[c.end:],
	}
}

// firstReplacement is the replacement at the first place, in random order, that has one.
func firstReplacement[T any](rng *rand.Rand, places []T, at func(T) (replacement, bool)) []replacement {
	rng.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, p := range places {
		if c, ok := at(p); ok {
			return []replacement{c}
		}
	}
	return nil
}

func pickRandom[T any](rng *rand.Rand, from []T) (one T, ok bool) {
	if len(from) == 0 {
		return one, false
	}
	return from[rng.IntN(len(from))], true
}

// inContext reports whether the sources or the prompt contain the words, in any case.
func (e *textEditor) inContext(words string) bool {
	if e.context == "" {
		var b strings.Builder
		for _, s := range e.row.Interaction.Sources {
			b.WriteString(strings.ToLower(s.Text) + "\n")
		}
		for _, m := range e.row.Interaction.Messages {
			b.WriteString(strings.ToLower(m.Content) + "\n")
		}
		e.context = b.String() + "\n"
	}
	return containsWords(e.context, strings.ToLower(words))
}

// containsWords reports whether s contains the words as whole words.
func containsWords(s, words string) bool {
	for from := 0; words != ""; {
		at := strings.Index(s[from:], words)
		if at < 0 {
			return false
		}
		at += from
		if !insideWord(s, at) && !insideWord(s, at+len(words)) {
			return true
		}
		from = at + 1
	}
	return true
}

// insideWord reports whether i is inside a word or number.
func insideWord(s string, i int) bool {
	return i > 0 && i < len(s) && isAlphanumeric(s[i-1]) && isAlphanumeric(s[i])
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// parsedText is a text with its sentences and tokens.
type parsedText struct {
	s         string
	sentences []text.Span
	tokens    []text.Token
	stated    []text.Range // tokens of the sentences with claims, in order
}

// parseText parses the text. Edits change claims only (not scaffolding, questions, abstentions). In a text without
// claims, such as a short turn of a dialogue, every sentence counts that is not a question, unless the text abstains or
// is code.
func parseText(s string) parsedText {
	v := parsedText{s: s, sentences: text.AppendSentences(nil, s), tokens: text.AppendTokens(nil, s)}
	ranges := text.AppendTokenRanges(nil, v.sentences, v.tokens)
	for _, c := range textclaims.Append(nil, s, v.sentences, ranges, v.tokens) {
		v.stated = append(v.stated, text.Range{First: c.First, Last: c.Last})
	}
	if len(v.stated) > 0 || v.abstains() {
		return v
	}
	for i, r := range ranges {
		if r.Len() > 1 && !strings.HasSuffix(v.sentences[i].In(s), "?") {
			v.stated = append(v.stated, r)
		}
	}
	return v
}

// abstains reports whether the text may be an abstention or code.
func (v *parsedText) abstains() bool {
	if strings.Contains(v.s, "```") {
		return true
	}
	for i := range v.tokens {
		if abstainingWords[v.word(i)] {
			return true
		}
	}
	return false
}

// word is the i-th token in lower case, "" out of range.
func (v *parsedText) word(i int) string {
	if i < 0 || i >= len(v.tokens) {
		return ""
	}
	return strings.ToLower(v.tokens[i].In(v.s))
}

// gap is the text between tokens i and i+1; "" also where they overlap, as pairs of ideographs do.
func (v *parsedText) gap(i int) string {
	if i < 0 || i+1 >= len(v.tokens) {
		return ""
	}
	return text.Between(v.s, v.tokens[i].End, v.tokens[i+1].Start)
}

// eachToken calls f for every token of a claim that is not a citation marker, with the range of its sentence.
func (v *parsedText) eachToken(f func(i int, in text.Range)) {
	for _, r := range v.stated {
		for i := r.First; i < r.Last; i++ {
			if !v.tokens[i].Has(text.Marker) {
				f(int(i), r)
			}
		}
	}
}

// replace replaces the tokens from first to last.
func (v *parsedText) replace(kind Kind, first, last int, with string) replacement {
	start, end := int(v.tokens[first].Start), int(v.tokens[last].End)
	return replacement{kind: kind, start: start, end: end, newText: matchCase(with, v.s[start:end])}
}

// matchCase gives words the capitals of the text that they replace.
func matchCase(words, like string) string {
	switch {
	case words == "" || like == "":
		return words
	case len(like) > 1 && like == strings.ToUpper(like) && like != strings.ToLower(like):
		return strings.ToUpper(words)
	case startsUpper(like):
		return strings.ToUpper(words[:1]) + words[1:]
	}
	return words
}

func startsUpper(s string) bool { return s != "" && 'A' <= s[0] && s[0] <= 'Z' }
