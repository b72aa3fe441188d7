package rewrite

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// chinese is the language of ideographs.
//
//nolint:gochecknoglobals // read-only
var chinese = text.LanguageOf(text.Ideographic, nil)

// maxOpening is how many bytes of a sentence are read for its first words.
const maxOpening = 60

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
