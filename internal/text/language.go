package text

// Language is the language of a text, as far as its script and its function words show it.
type Language uint8

// The languages. Every script but Latin is a language of its own, after these.
const (
	UnknownLanguage Language = iota
	EnglishLanguage
	GermanLanguage
	SpanishLanguage
	FrenchLanguage
	OtherLatin // another language in Latin script
	otherScript
)

// LanguageOf is the language of the tokens of a text in the script. Records, lists of names and texts of a few words are of
// an unknown language.
func LanguageOf(script Script, tokens []Token) Language {
	return signsOf(tokens).language(script, tokens)
}

// IsForeign reports a known language in Latin script other than English.
func (l Language) IsForeign() bool { return l > EnglishLanguage && l < otherScript }

// Differs reports two known languages that are not the same. Unlisted ones in Latin script may be any but English.
func (l Language) Differs(other Language) bool {
	if l == UnknownLanguage || other == UnknownLanguage || l == other {
		return false
	}
	return l != OtherLatin && other != OtherLatin || !l.IsForeign() || !other.IsForeign()
}

// fewestWords are the least words of a text whose language is known.
const fewestWords = 8

// signs are counts of tokens that show the language of a text in Latin script.
type signs struct {
	words int
	flags uint64 // sum of Stop and foreignSign of words, the lowest and the highest flag
}

// signsOf counts the tokens. It has no branches, since the flags of words follow no pattern.
func signsOf(tokens []Token) signs {
	words, flags := len(tokens), uint64(0)
	for i := range tokens {
		t := &tokens[i]
		words -= int(t.Kind+1) >> 1
		flags += uint64(t.Flags &^ Flags(t.Kind>>1) & (Stop | foreignSign)) // pairs of characters are no stop words
	}
	return signs{words, flags}
}

// language is the language of tokens whose signs are g. A text is English if a fifth of the words are English
// stop words and words of other languages are few. Another language is known if an eighth of the words are its function words,
// and they outnumber the English ones.
func (g signs) language(script Script, tokens []Token) Language {
	words, stops, foreign := g.words, int(g.flags&uint64(foreignSign-1)), int(g.flags/uint64(foreignSign))
	switch {
	case script == NoScript || script == Latin && words < fewestWords:
		return UnknownLanguage
	case script != Latin:
		return otherScript + Language(script)
	case words < surelyWords && 5*stops >= words && clearStops(tokens) < 2:
		return UnknownLanguage
	case 5*stops >= words && stops >= 4*foreign:
		return EnglishLanguage
	default:
		return countFunctionWords(tokens).language(words, stops)
	}
}

// surelyWords are the words of a text from which on its stop words are not by chance those of another language: "am", "in", "no".
const surelyWords = 16

// clearStops counts the English stop words that no other language has.
func clearStops(tokens []Token) (n int) {
	for i := range tokens {
		if f := tokens[i].Flags; f&Stop != 0 && f&(foreignWord|foreignStop|anyListed) == 0 {
			n++
		}
	}
	return n
}

// functionWords counts the function words of a text by language, but those that English has, too. Many are of several.
type functionWords struct{ german, spanish, french, others, foreign int }

func countFunctionWords(tokens []Token) (n functionWords) {
	const counted = foreignWord | foreignStop | anyListed
	for i := range tokens {
		f := tokens[i].Flags
		if f&counted&^-(f&Stop) == 0 { // nearly all: none of them, or English too
			continue
		}
		n.german += int(f / germanWord & 1)
		n.spanish += int(f / spanishWord & 1)
		n.french += int(f / frenchWord & 1)
		n.foreign += int(f / foreignWord & 1)
		if f&anyListed == 0 {
			n.others++
		}
	}
	return n
}

// language is the language of a text with this many words and English stop words.
func (n functionWords) language(words, stops int) Language {
	best, listed, second := n.german, GermanLanguage, max(n.spanish, n.french)
	switch {
	case n.spanish > max(n.german, n.french):
		best, listed, second = n.spanish, SpanishLanguage, max(n.german, n.french)
	case n.french > max(n.german, n.spanish):
		best, listed, second = n.french, FrenchLanguage, max(n.german, n.spanish)
	}
	isForeign := n.foreign >= 2 && 8*n.foreign >= words && n.foreign > stops
	switch {
	case best >= 2 && 6*best >= words && best > stops && 4*best >= 5*second && 2*best >= 3*n.others:
		return listed
	case 5*stops >= words:
		return EnglishLanguage
	case isForeign && 4*best >= 5*second && 2*best >= 3*n.others:
		return listed
	case isForeign:
		return OtherLatin
	default:
		return UnknownLanguage
	}
}
