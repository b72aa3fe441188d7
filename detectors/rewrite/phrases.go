package rewrite

import (
	"strings"
	"unicode"

	"confab/internal/text"
)

// phrases are what is inserted, in one language.
type phrases struct {
	hedge       string
	unconfirmed string
	closest     string // source, excerpt
	instead     string // source, its words
	quote       string // excerpt
}

//nolint:gochecknoglobals // read-only tables
var (
	englishPhrases = phrases{
		hedge: "This could not be verified: ", unconfirmed: "No source confirms this.",
		closest: "Not confirmed. The closest passage, in source %s: “%s”", instead: "Source %s says instead: “%s”.", quote: "It reads: “%s”",
	}
	germanPhrases = phrases{
		hedge: "Dies konnte nicht überprüft werden: ", unconfirmed: "Keine Quelle bestätigt dies.",
		closest: "Nicht bestätigt. Die nächste Stelle, in Quelle %s: „%s“", instead: "Quelle %s sagt stattdessen: „%s“.", quote: "Dort steht: „%s“",
	}
	spanishPhrases = phrases{
		hedge: "Esto no se pudo verificar: ", unconfirmed: "Ninguna fuente confirma esto.",
		closest: "Sin confirmar. El pasaje más cercano, en la fuente %s: «%s»", instead: "La fuente %s dice en cambio: «%s».", quote: "Dice: «%s»",
	}
	frenchPhrases = phrases{
		hedge: "Ceci n’a pas pu être vérifié : ", unconfirmed: "Aucune source ne confirme cela.",
		closest: "Non confirmé. Le passage le plus proche, dans la source %s : « %s »", instead: "La source %s dit au contraire : « %s ».", quote: "On y lit : « %s »",
	}
	chinesePhrases = phrases{
		hedge: "以下内容无法核实：", unconfirmed: "没有来源证实这一点。",
		closest: "未经证实。来源 %s 中最接近的段落：“%s”", instead: "来源 %s 的说法是：“%s”。", quote: "原文：“%s”",
	}
	japanesePhrases = phrases{
		hedge: "次の内容は確認できませんでした：", unconfirmed: "これを裏付ける出典はありません。",
		closest: "未確認。出典 %s の最も近い箇所：「%s」", instead: "出典 %s では「%s」となっています。", quote: "原文：「%s」",
	}
)

// phrasesOf are the phrases of the language, in English for one without phrases. s is a text in it.
func phrasesOf(l text.Language, s string) *phrases {
	switch l {
	case text.GermanLanguage:
		return &germanPhrases
	case text.SpanishLanguage:
		return &spanishPhrases
	case text.FrenchLanguage:
		return &frenchPhrases
	case text.LanguageOf(text.Ideographic, nil):
		if strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana) }) {
			return &japanesePhrases
		}
		return &chinesePhrases
	default:
		return &englishPhrases
	}
}
