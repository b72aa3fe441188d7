package facts

import (
	"slices"
	"strings"

	"confab/internal/text"
	"confab/internal/text/units"
	"confab/schemas"
)

func madeUpQuote() Rule {
	return Rule{
		ID:     "quote",
		Doc:    "words in quotation marks that neither a source nor the user has, though the sentence attributes them to one",
		Needs:  "sources",
		Whole:  true,
		Type:   schemas.Fabrication,
		Weight: .85,
		Check:  checkQuote,
		Examples: []Example{
			{Source: "The flow rate was sufficient in all twelve trials.", Answer: "The document does not say \"who checked the pumps during the first year.\""},
			{Source: "The flow rate was sufficient in all twelve trials.", Answer: "The document states: \"nobody checked the pumps during the first year.\"", Fires: "nobody checked the pumps during the first year."},
			{Source: "Le débit était suffisant, a déclaré la maire.", Answer: "La maire a déclaré : « Le tram est la meilleure chose de notre ville. »", Fires: "Le tram est la meilleure chose de notre ville."},
			{Source: "Hedda Lund added: «the 07:12 never waits for the ferry.»", Answer: "Hedda Lund wrote: \"the 07:12 never waits for the ferry.\""},
			{Source: "Hedda Lund added: «the 07:12 never waits for the ferry.»", Answer: "Hedda Lund wrote: “the ferry is always given ten more minutes to arrive.”", Fires: "the ferry is always given ten more minutes to arrive."},
		},
	}
}

// minQuote is the least number of words in a quote that is compared.
const minQuote = 5

// checkQuote searches the words of each quote, in order, in the sources and in what the user wrote.
func checkQuote(e *evidence, c *piece) (found []Verdict) {
	if len(e.sources.words) == 0 || c.Form > units.Row { // strings of JSON are no quotes
		return nil
	}
	if claim := e.text[c.Start:c.End]; strings.IndexByte(claim, '"') < 0 && strings.IndexByte(claim, '\xe2') < 0 && strings.IndexByte(claim, '\xc2') < 0 {
		return nil
	}
	for i := int(c.Start); i < int(c.End); {
		start, end, next := e.nextQuote(c, i)
		if i = next; end == 0 {
			continue
		}
		words := e.within(c, start, end)
		e.doc.Work().Spend((len(e.sources.words) + len(e.user.words)) / 2)
		if len(words) >= minQuote && e.isAttributed(c, start, end) && !hasRun(&e.sources, words) && !hasRun(&e.user, words) {
			found = append(found, Verdict{Start: int32(start), End: int32(end), Source: -1})
		}
	}
	return found
}

// isAttributed reports whether what stands around the quote has a word of the sources: who says it, or what. A draft has none.
func (e *evidence) isAttributed(c *piece, start, end int) bool {
	isNew := func(w word) bool { return content(&w) && !e.isKnown(&w) }
	return slices.ContainsFunc(e.within(c, start, end), isNew) && e.namesSource(e.text[c.Start:start]) || slices.ContainsFunc(e.answer.of(c), func(w word) bool {
		return (int(w.End) <= start || int(w.Start) >= end) && content(&w) && e.isKnown(&w)
	})
}

//nolint:gochecknoglobals // read-only tables
var (
	quotedNouns = text.HashSet("document report source article passage dokument bericht quelle artikel rapport documento informe fuente artículo")
	quoteVerbs  = text.HashSet("according states stated says said reads laut gemäß heißt steht sagt selon dit déclare indique según dice afirma indica")
)

// namesSource reports words before a quote such as "According to the report," and "The document states:".
func (e *evidence) namesSource(before string) bool {
	e.before = text.AppendTokens(e.before[:0], before)
	has := func(set text.WordSet) bool {
		return slices.ContainsFunc(e.before, func(t text.Token) bool { return set.Has(t.Hash) })
	}
	return has(quotedNouns) && has(quoteVerbs) && !slices.ContainsFunc(e.before, func(t text.Token) bool { return t.Has(text.Negation | text.ForeignNegation) })
}

// nextQuote reads a quote at i: its text, end 0 for none, and where to go on.
func (e *evidence) nextQuote(c *piece, i int) (start, end, next int) {
	s := e.text
	closing, size := quoteMark(s[i:])
	if size == 0 || i > int(c.Start) && !strings.ContainsRune(" (\n\u00a0:[", rune(s[i-1])) {
		return 0, 0, i + max(size, 1)
	}
	start = i + size
	n := strings.Index(s[start:max(start, min(len(s), int(c.End)+len("\u202f»")))], closing) // the sentence may end before the mark
	if n <= 0 || closing != "»" && (s[start+n-1] == ' ' || s[start] == ' ') {
		return 0, 0, start
	}
	inner := strings.TrimSpace(s[start : start+n]) // « of French »
	first := start + strings.Index(s[start:], inner)
	return first, first + len(inner), start + n + len(closing)
}

// within is the words of the claim between two places.
func (e *evidence) within(c *piece, start, end int) []word {
	words := e.answer.of(c)
	for len(words) > 0 && int(words[0].Start) < start {
		words = words[1:]
	}
	for len(words) > 0 && int(words[len(words)-1].End) > end {
		words = words[:len(words)-1]
	}
	return words
}

// quoteMark is the mark that closes the quote that opens s.
func quoteMark(s string) (closing string, size int) {
	for _, pair := range [...][2]string{{"\"", "\""}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"»", "«"}} {
		if strings.HasPrefix(s, pair[0]) {
			return pair[1], len(pair[0])
		}
	}
	return "", 0
}

// hasRun reports whether the side has most of the words in order within one stretch.
func hasRun(s *side, words []word) bool {
	for from := range s.words {
		if s.words[from].Key != words[0].Key && s.words[from].Key != words[min(1, len(words)-1)].Key {
			continue
		}
		k := 0
		for i := from; i < min(len(s.words), from+2*len(words)+2) && k < len(words); i++ {
			for q := k; q < min(len(words), k+3); q++ {
				if s.words[i].Key == words[q].Key {
					k = q + 1
					break
				}
			}
		}
		if k >= len(words)-1 {
			return true
		}
	}
	return false
}
