package rewrite

import "confab/internal/text"

// openingWords are the first words of sentences in one language, in lower case, separated by "|".
type openingWords struct {
	causal   string // the sentence follows from the one before
	pronouns string
	personal string // pronouns that refer behind a comma, too
	standing string // begin with a pronoun and refer to nothing
}

//nolint:gochecknoglobals // read-only tables
var (
	englishOpenings = openingWords{
		causal:   `therefore|thus|hence|consequently|as a result|accordingly|for this reason|for these reasons|because of this|due to this|so|otherwise|in other words|as such|given this|instead`,
		pronouns: `it|its|it's|this|these|those|they|they're|he|he's|she|she's|their|his|her|that|that's|such|both|neither|either|the former|the latter|another one|one of them|some of them|each of them|most of them|in this|in that|in these|at that time|at this time|of these|among these|among them|which|based on these|based on this|based on that|based on the above|by following these|following these|considering these|considering this|given these|given that|all of these|all of this|with these|with this|as you can see|together, these|taken together|combined`,
		personal: `it|its|they|he|she|this|these`,
		standing: `it is important|it is worth|it is possible|it is likely|it is unlikely|it is unclear|it is not clear|it is recommended|it is essential|it is necessary|it is best|it seems|it appears|it's important|it's worth|it's possible|it's best|it should be noted|it is also important|it is also worth|both the|both of the|neither the|either the|that the`,
	}
	germanOpenings = openingWords{
		causal:   `daher|deshalb|deswegen|somit|folglich|infolgedessen|also|denn|aus diesem grund|demnach|andernfalls`,
		pronouns: `er|sie|es|dies|diese|dieser|dieses|diesem|diesen|ihr|ihre|ihren|sein|seine|seinen|dort|darin|dabei|damit|dadurch|daran|letztere|letzterer|beide|jener|jene|jenes|auf dieser grundlage|zusammen`,
		standing: `es gibt|es ist wichtig|es ist möglich|es ist zu beachten|es scheint`,
	}
	spanishOpenings = openingWords{
		causal:   `por lo tanto|por tanto|por eso|por ello|así que|en consecuencia|por consiguiente|de ahí que|por esta razón|como resultado|de lo contrario`,
		pronouns: `él|ella|ellos|ellas|esto|este|esta|estos|estas|eso|ese|esa|esos|esas|su|sus|dicho|dicha|ambos|ambas|aquel|aquella`,
		standing: `es importante`,
	}
	frenchOpenings = openingWords{
		causal:   `donc|par conséquent|ainsi|c'est pourquoi|de ce fait|en conséquence|pour cette raison|sinon|autrement dit`,
		pronouns: `il|elle|ils|elles|ce|cela|ça|cette|cet|ces|son|sa|ses|leur|leurs|celui-ci|celle-ci|ceux-ci|celles-ci|tous deux|c'est|c'était`,
		personal: `il|elle|ils|elles|cela`,
		standing: `il y a|il est important|il faut|il est possible|il semble|il convient`,
	}
	chineseOpenings = openingWords{
		causal:   `因此|所以|于是|因而|故此|於是|否则`,
		pronouns: `它|他|她|这|該|该|其|此|這`,
		personal: `它|他|她|这|該|该`,
		standing: `其中|其实|其實|此外|其次|其他`,
	}
)

// openingsOf returns the words of the language, none if they are not known.
func openingsOf(l text.Language) openingWords {
	switch l {
	case text.UnknownLanguage, text.EnglishLanguage:
		return englishOpenings
	case text.GermanLanguage:
		return germanOpenings
	case text.SpanishLanguage:
		return spanishOpenings
	case text.FrenchLanguage:
		return frenchOpenings
	case text.LanguageOf(text.Ideographic, nil):
		return chineseOpenings
	default:
		return openingWords{}
	}
}
