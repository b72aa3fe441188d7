package negatives

import (
	"math/rand/v2"
	"strings"

	"confab/internal/text"
	textclaims "confab/internal/text/claims"
	"confab/schemas"
)

// Kind says what an edit changed.
type Kind string

// The kinds of a fault.
const (
	Figure   Kind = "figure"   // a number, in digits or in words
	Date     Kind = "date"     // a year, month or day of the week
	Name     Kind = "name"     // a name, for another
	Negation Kind = "negation" // a statement turned into its denial, or back
	Antonym  Kind = "antonym"  // a word, for its opposite
	Role     Kind = "role"     // two names or two roles that change places
	Word     Kind = "word"     // a content word, for another of the same form
	Foreign  Kind = "foreign"  // a sentence from elsewhere
)

// The kinds of a harmless change. What was said stays true.
const (
	Order       Kind = "order"       // the items of a list in another order
	Digits      Kind = "digits"      // a number in words for one in digits, or back
	Contraction Kind = "contraction" // "do not" for "don't", or back
	Synonym     Kind = "synonym"     // a word, for another that means the same
	Opposite    Kind = "opposite"    // "is not closed" for "is open"
	Dropped     Kind = "dropped"     // a sentence left out
	Copied      Kind = "copied"      // a sentence of a source, word for word
)

// Faults lists the kinds of a fault.
func Faults() []Kind {
	return []Kind{Figure, Date, Name, Negation, Antonym, Role, Word, Foreign}
}

// Edit is an edited answer.
type Edit struct {
	Kind       Kind
	Start, End int // bytes of Answer that differ; empty where something was left out
	Answer     string
}

// FaultyEdits are up to eight edited answers of a supported row, at most one for each kind of [Faults] and in that order.
// Each has exactly one fault. A row that is labelled otherwise has none.
//
// An edit is unsupported by construction, not by inspection: a figure that stands elsewhere in the sources, or a role
// that may be reversed, is wrong nearly always rather than always.
func FaultyEdits(rng *rand.Rand, row *schemas.Labelled, pool *Pool) []Edit {
	if row.Label != 0 {
		return nil
	}
	return editText(rng, row, row.Interaction.Answer, pool)
}

// editText are those of a text that the row's sources support.
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

// PreservingEdits are answers that say the same as that of a supported row, or less: at most one for each kind of change.
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

// textEditor looks for places where a text can be changed.
type textEditor struct {
	rng  *rand.Rand
	row  *schemas.Labelled
	view parsedText
	pool *Pool

	context string // what was given, in small letters; made when it is first asked for
}

// replacement replaces bytes of a text.
type replacement struct {
	kind         Kind
	start, end   int
	newText      string
	leadingSpace int // bytes at the start of with that are white space
}

func (c replacement) apply(s string) Edit {
	return Edit{
		Kind: c.kind, Start: c.start + c.leadingSpace, End: c.start + len(c.newText),
		Answer: s[:c.start] + c.newText + s[c.end:],
	}
}

// firstReplacement is the change at the first of the places, in random order, where there is one.
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

// inContext reports whether the sources or the prompt hold the words, in any case.
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

// containsWords reports whether s holds the words, whole.
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

// insideWord reports whether a word or a number goes on at i.
func insideWord(s string, i int) bool {
	return i > 0 && i < len(s) && isAlphanumeric(s[i-1]) && isAlphanumeric(s[i])
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c >= 0x80
}

// parsedText is a text cut into what edits look at.
type parsedText struct {
	s         string
	sentences []text.Span
	tokens    []text.Token
	stated    []text.Range // tokens of the sentences that state something, in order
}

// parseText cuts the text. What is no claim (scaffolding, questions, abstentions) is left alone, except that a text without
// claims, such as a short turn of a dialogue, counts as stated where it asks nothing, abstains from nothing and is no code.
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

// abstains reports whether the text may say that nothing can be said, or is code.
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

// word is the i-th token in lower case, "" where there is none.
func (v *parsedText) word(i int) string {
	if i < 0 || i >= len(v.tokens) {
		return ""
	}
	return strings.ToLower(v.tokens[i].In(v.s))
}

// gap is what stands between tokens i and i+1.
func (v *parsedText) gap(i int) string {
	if i < 0 || i+1 >= len(v.tokens) {
		return ""
	}
	return v.s[v.tokens[i].End:v.tokens[i+1].Start]
}

// eachToken calls f for every stated token that is no citation marker, with the range of its sentence.
func (v *parsedText) eachToken(f func(i int, in text.Range)) {
	for _, r := range v.stated {
		for i := r.First; i < r.Last; i++ {
			if !v.tokens[i].Has(text.Marker) {
				f(int(i), r)
			}
		}
	}
}

// replace is a change of the tokens from first to last.
func (v *parsedText) replace(kind Kind, first, last int, with string) replacement {
	start, end := int(v.tokens[first].Start), int(v.tokens[last].End)
	return replacement{kind: kind, start: start, end: end, newText: matchCase(with, v.s[start:end])}
}

// matchCase gives words the capitals of what they replace.
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
