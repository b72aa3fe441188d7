package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// openingWords are the first words of sentences in one language, in lower case, separated by "|".
type openingWords struct {
	causal   string // the sentence follows from the one before
	pronouns string
	personal string // pronouns that refer behind a comma, too
	standing string // begin with a pronoun and refer to nothing
}

// chinese is the language of ideographs.
//
//nolint:gochecknoglobals // read-only
var chinese = text.LanguageOf(text.Ideographic, nil)

//nolint:gochecknoglobals // read-only table
var openings = map[text.Language]openingWords{
	text.UnknownLanguage: englishOpenings,
	text.EnglishLanguage: englishOpenings,
	text.GermanLanguage: {
		causal:   `daher|deshalb|deswegen|somit|folglich|infolgedessen|also|denn|aus diesem grund|demnach|andernfalls`,
		pronouns: `er|sie|es|dies|diese|dieser|dieses|diesem|diesen|ihr|ihre|ihren|sein|seine|seinen|dort|darin|dabei|damit|dadurch|daran|letztere|letzterer|beide|jener|jene|jenes|auf dieser grundlage|zusammen`,
		standing: `es gibt|es ist wichtig|es ist möglich|es ist zu beachten|es scheint`,
	},
	text.SpanishLanguage: {
		causal:   `por lo tanto|por tanto|por eso|por ello|así que|en consecuencia|por consiguiente|de ahí que|por esta razón|como resultado|de lo contrario`,
		pronouns: `él|ella|ellos|ellas|esto|este|esta|estos|estas|eso|ese|esa|esos|esas|su|sus|dicho|dicha|ambos|ambas|aquel|aquella`,
		standing: `es importante`,
	},
	text.FrenchLanguage: {
		causal:   `donc|par conséquent|ainsi|c'est pourquoi|de ce fait|en conséquence|pour cette raison|sinon|autrement dit`,
		pronouns: `il|elle|ils|elles|ce|cela|ça|cette|cet|ces|son|sa|ses|leur|leurs|celui-ci|celle-ci|ceux-ci|celles-ci|tous deux|c'est|c'était`,
		personal: `il|elle|ils|elles|cela`,
		standing: `il y a|il est important|il faut|il est possible|il semble|il convient`,
	},
	chinese: {
		causal:   `因此|所以|于是|因而|故此|於是|否则`,
		pronouns: `它|他|她|这|該|该|其|此|這`,
		personal: `它|他|她|这|該|该`,
		standing: `其中|其实|其實|此外|其次|其他`,
	},
}

//nolint:gochecknoglobals // read-only table
var englishOpenings = openingWords{
	causal:   `therefore|thus|hence|consequently|as a result|accordingly|for this reason|for these reasons|because of this|due to this|so|otherwise|in other words|as such|given this|instead`,
	pronouns: `it|its|it's|this|these|those|they|they're|he|he's|she|she's|their|his|her|that|that's|such|both|neither|either|the former|the latter|another one|one of them|some of them|each of them|most of them|in this|in that|in these|at that time|at this time|of these|among these|among them|which|based on these|based on this|based on that|based on the above|by following these|following these|considering these|considering this|given these|given that|all of these|all of this|with these|with this|as you can see|together, these|taken together|combined`,
	personal: `it|its|they|he|she|this|these`,
	standing: `it is important|it is worth|it is possible|it is likely|it is unlikely|it is unclear|it is not clear|it is recommended|it is essential|it is necessary|it is best|it seems|it appears|it's important|it's worth|it's possible|it's best|it should be noted|it is also important|it is also worth|both the|both of the|neither the|either the|that the`,
}

// maxOpening is how many bytes of a sentence are read for its first words.
const maxOpening = 60

// refers reports a sentence that begins with a pronoun, or has a personal one behind its first comma: "However, it …".
func (o openingWords) refers(s string) bool {
	if beginsWith(s, o.standing) {
		return false
	}
	if s, _ = text.Cut(s, maxOpening); beginsWith(s, o.pronouns) {
		return true
	}
	_, behind, _ := strings.Cut(strings.ReplaceAll(s, "，", ","), ",")
	return beginsWith(behind, o.personal) && !beginsWith(behind, o.standing)
}

// beginsWith reports that s begins with one of the words, which are separated by "|". Ideographs need no space between words.
func beginsWith(s, words string) bool {
	s, _ = text.Cut(strings.TrimLeft(s, "*_\"“ "), maxOpening)
	s = strings.ReplaceAll(strings.ToLower(s), "’", "'")
	for word := range strings.SplitSeq(words, "|") {
		rest, ok := strings.CutPrefix(s, word)
		last, _ := utf8.DecodeLastRuneInString(word)
		after, _ := utf8.DecodeRuneInString(rest)
		if ok && word != "" && (unicode.Is(unicode.Han, last) || !unicode.IsLetter(after) && !unicode.IsDigit(after) && after != '\'' && after != '-') {
			return true
		}
	}
	return false
}

// fillers are the first words of sentences that say nothing without an answer.
const fillers = "sure|certainly|of course|absolutely|great question|i hope|hope this|let me know|feel free|please let me know|if you have any|if you need"

// isFiller reports a sentence that says nothing by itself: an introduction, a question or a courtesy.
func isFiller(s string) bool {
	s = strings.TrimRight(s, "*_ \t")
	last, _ := utf8.DecodeLastRuneInString(s)
	if strings.ContainsRune(":：?？", last) || !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return true
	}
	lower := strings.ToLower(s[:min(len(s), maxOpening)])
	for f := range strings.SplitSeq(fillers, "|") {
		if strings.HasPrefix(lower, f) {
			return true
		}
	}
	return false
}

// phrases are what is inserted, in one language.
type phrases struct {
	hedge       string
	unconfirmed string
	closest     string // source, excerpt
	instead     string // source, its words
	quote       string // excerpt
}

// japanese stands for Japanese, which package text reads as Chinese.
const japanese text.Language = 255

//nolint:gochecknoglobals // read-only table
var phrasesOf = map[text.Language]phrases{
	text.EnglishLanguage: {
		"This could not be verified: ", "No source confirms this.",
		"Not confirmed. The closest passage, in source %s: “%s”", "Source %s says instead: “%s”.", "It reads: “%s”",
	},
	text.GermanLanguage: {
		"Dies konnte nicht überprüft werden: ", "Keine Quelle bestätigt dies.",
		"Nicht bestätigt. Die nächste Stelle, in Quelle %s: „%s“", "Quelle %s sagt stattdessen: „%s“.", "Dort steht: „%s“",
	},
	text.SpanishLanguage: {
		"Esto no se pudo verificar: ", "Ninguna fuente confirma esto.",
		"Sin confirmar. El pasaje más cercano, en la fuente %s: «%s»", "La fuente %s dice en cambio: «%s».", "Dice: «%s»",
	},
	text.FrenchLanguage: {
		"Ceci n’a pas pu être vérifié : ", "Aucune source ne confirme cela.",
		"Non confirmé. Le passage le plus proche, dans la source %s : « %s »", "La source %s dit au contraire : « %s ».", "On y lit : « %s »",
	},
	chinese: {
		"以下内容无法核实：", "没有来源证实这一点。",
		"未经证实。来源 %s 中最接近的段落：“%s”", "来源 %s 的说法是：“%s”。", "原文：“%s”",
	},
	japanese: {
		"次の内容は確認できませんでした：", "これを裏付ける出典はありません。",
		"未確認。出典 %s の最も近い箇所：「%s」", "出典 %s では「%s」となっています。", "原文：「%s」",
	},
}
