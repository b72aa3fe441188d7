package layout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// reference is how the first words of a sentence depend on the sentence before it.
type reference uint8

const (
	stands  reference = iota // they do not
	adds                     // "However, …": the words can be dropped
	inverts                  // "Außerdem hat …": nothing can be dropped, and the sentence is understood
	causal                   // "Therefore …": the sentence follows from what is gone
	refers                   // "It …": a pronoun
)

// openingWords are the first words of sentences in one language, in lower case, separated by "|".
type openingWords struct {
	commas   string // dropped before a comma
	bare     string // dropped without one
	inverts  string // not dropped without a comma: the verb follows
	causal   string
	pronouns string
	standing string // begin with a pronoun and refer to nothing
}

//nolint:gochecknoglobals // read-only tables
var (
	englishOpenings = openingWords{
		commas:   `however|moreover|furthermore|additionally|in addition|besides|nevertheless|nonetheless|still|yet|meanwhile|on the other hand|in contrast|by contrast|conversely|similarly|likewise|finally|next|then|second|secondly|third|thirdly|lastly|for example|for instance|in fact|indeed|specifically|that said|even so|afterwards|later|also|in particular|notably|on the contrary|at the same time`,
		bare:     `but|and|also|plus`,
		causal:   `therefore|thus|hence|consequently|as a result|accordingly|for this reason|for these reasons|because of this|due to this|so|otherwise|in other words|as such|given this|instead`,
		pronouns: `it|its|it's|this|these|those|they|they're|he|he's|she|she's|their|his|her|that|that's|such|both|neither|either|the former|the latter|another one|one of them|some of them|each of them|most of them|in this|in that|in these|at that time|at this time|of these|among these|among them|which|based on these|based on this|based on that|based on the above|by following these|following these|considering these|considering this|given these|given that|all of these|all of this|with these|with this|as you can see|together, these|taken together|combined`,
		standing: `it is important|it is worth|it is possible|it is likely|it is unlikely|it is unclear|it is not clear|it is recommended|it is essential|it is necessary|it is best|it seems|it appears|it's important|it's worth|it's possible|it's best|it should be noted|it is also important|it is also worth|both the|both of the|neither the|either the|that the`,
	}
	germanOpenings = openingWords{
		commas:   `allerdings|jedoch|außerdem|zudem|ferner|darüber hinaus|dennoch|trotzdem|zum beispiel|genauer gesagt`,
		bare:     `aber|und|doch`,
		inverts:  `allerdings|jedoch|außerdem|zudem|ferner|darüber hinaus|hingegen|dagegen|dennoch|trotzdem|zum beispiel|schließlich|zuletzt|auch|ebenso|später|danach`,
		causal:   `daher|deshalb|deswegen|somit|folglich|infolgedessen|also|denn|aus diesem grund|demnach|andernfalls`,
		pronouns: `er|sie|es|dies|diese|dieser|dieses|diesem|diesen|ihr|ihre|ihren|sein|seine|seinen|dort|darin|dabei|damit|dadurch|daran|letztere|letzterer|beide|jener|jene|jenes|auf dieser grundlage|zusammen`,
		standing: `es gibt|es ist wichtig|es ist möglich|es ist zu beachten|es scheint`,
	}
	spanishOpenings = openingWords{
		commas:   `sin embargo|además|asimismo|por otro lado|por otra parte|no obstante|también|finalmente|por ejemplo|igualmente|en cambio|por el contrario|por último|de hecho`,
		bare:     `pero|y|además|también`,
		causal:   `por lo tanto|por tanto|por eso|por ello|así que|en consecuencia|por consiguiente|de ahí que|por esta razón|como resultado|de lo contrario`,
		pronouns: `él|ella|ellos|ellas|esto|este|esta|estos|estas|eso|ese|esa|esos|esas|su|sus|dicho|dicha|ambos|ambas|aquel|aquella`,
		standing: `es importante`,
	}
	frenchOpenings = openingWords{
		//nolint:misspell // French
		commas:   `cependant|toutefois|néanmoins|de plus|en outre|par ailleurs|en revanche|également|enfin|par exemple|pourtant|à l'inverse|de même|ensuite|en effet`,
		bare:     `mais|et|or`,
		causal:   `donc|par conséquent|ainsi|c'est pourquoi|de ce fait|en conséquence|pour cette raison|sinon|autrement dit`,
		pronouns: `il|elle|ils|elles|ce|cela|ça|cette|cet|ces|son|sa|ses|leur|leurs|celui-ci|celle-ci|ceux-ci|celles-ci|tous deux|c'est|c'était`,
		standing: `il y a|il est important|il faut|il est possible|il semble|il convient`,
	}
	chineseOpenings = openingWords{
		bare:     `但是|但|然而|不过|此外|另外|同时|而且|并且|其次|最后|例如|不過|同時|並且|最後`,
		causal:   `因此|所以|于是|因而|故此|於是|否则`,
		pronouns: `它|他|她|这|該|该|其|此|這`,
		standing: `其中|其实|其實|此外|其次|其他`,
	}
)

// openingsOf returns the words of the language, nil if they are not known.
func openingsOf(l text.Language) *openingWords {
	switch l {
	case text.UnknownLanguage, text.EnglishLanguage:
		return &englishOpenings
	case text.GermanLanguage:
		return &germanOpenings
	case text.SpanishLanguage:
		return &spanishOpenings
	case text.FrenchLanguage:
		return &frenchOpenings
	case text.LanguageOf(text.Ideographic, nil):
		return &chineseOpenings
	default:
		return nil
	}
}

// maxOpening is how many bytes of a sentence are read.
const maxOpening = 60

// isStanding reports a sentence that begins with a pronoun and refers to nothing: "It is important to …".
func (o *openingWords) isStanding(lower string) bool {
	n := matchWords(lower, o.standing)
	return n > 0 && matchWords(lower, o.causal) == 0 && matchWords(lower, o.bare) < n
}

// dropped is the end of words that can be dropped, with the comma and space behind them; 0 for none.
func (o *openingWords) dropped(s, lower string) int {
	if after := gapAfter(s, matchWords(lower, o.commas)); after > 0 {
		return after
	}
	n := matchWords(lower, o.bare)
	if n == 0 || n >= len(s) || matchWords(lower, o.causal) > 0 || matchWords(lower, o.inverts) > 0 {
		return 0
	}
	if after := gapAfter(s, n); after > 0 {
		return after
	}
	return n + len(s[n:]) - len(strings.TrimLeft(s[n:], " "))
}

// read returns how the sentence depends on the one before, and the bytes of its words with the comma and space behind them.
func (o *openingWords) read(s string) (kind reference, end int) {
	s, _ = text.Cut(strings.TrimLeft(s, "*_ "), maxOpening)
	lower := strings.ReplaceAll(strings.ToLower(s), "’", "'")
	switch n := matchWords(lower, o.inverts); {
	case o.isStanding(lower):
		return stands, 0
	case len(lower) != len(s): // places in lower are none in s
	case o.dropped(s, lower) > 0:
		return adds, o.dropped(s, lower)
	case n > 0:
		return inverts, n
	}
	switch {
	case matchWords(lower, o.causal) > 0:
		return causal, 0
	case matchWords(lower, o.pronouns) > 0:
		return refers, 0
	}
	return stands, 0
}

// gapAfter is the end of the comma and space behind the first n bytes of s, 0 if there is no comma.
func gapAfter(s string, n int) int {
	for _, comma := range []string{",", "，", "、"} {
		if n > 0 && n < len(s) && strings.HasPrefix(s[n:], comma) {
			n += len(comma)
			return n + len(s[n:]) - len(strings.TrimLeft(s[n:], " "))
		}
	}
	return 0
}

// matchWords is the length of the longest of the words that s begins with, 0 for none.
func matchWords(s, words string) int {
	best := 0
	for word := range strings.SplitSeq(words, "|") {
		if len(word) > best && strings.HasPrefix(s, word) && endsWord(s, len(word)) {
			best = len(word)
		}
	}
	return best
}

// endsWord reports that no letter follows the first n bytes of s. Ideographs need no space between words.
func endsWord(s string, n int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:n])
	after, _ := utf8.DecodeRuneInString(s[n:])
	return unicode.Is(unicode.Han, before) || n == len(s) || !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '\'' && after != '-'
}
