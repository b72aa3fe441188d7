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
	switch script {
	case NoScript:
		return UnknownLanguage
	case Latin:
		return latinLanguage(tokens)
	default:
		return otherScript + Language(script)
	}
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

// latinLanguage is English if a fifth of the words are English stop words and words of other languages are few. Another
// language is known if an eighth of the words are its function words, and they outnumber the English ones.
func latinLanguage(tokens []Token) Language {
	words, signs := 0, uint64(0)
	for i := range tokens { // without branches: flags of words follow no pattern
		word := 1 - min(int(tokens[i].Kind), 1)
		words += word
		signs += uint64(tokens[i].Flags & -Flags(word) & (Stop | foreignSign))
	}
	stops, foreign := int(signs&uint64(foreignSign-1)), int(signs/uint64(foreignSign)) // the lowest and the highest flag
	switch {
	case words < fewestWords:
		return UnknownLanguage
	case 5*stops >= words && stops >= 4*foreign:
		return EnglishLanguage
	default:
		return countFunctionWords(tokens).language(words, stops)
	}
}

// functionWords counts the function words of a text by language, but those that English has, too. Many are of several.
type functionWords struct{ german, spanish, french, others, foreign int }

func countFunctionWords(tokens []Token) (n functionWords) {
	for i := range tokens {
		f := tokens[i].Flags
		if tokens[i].Kind != Word || f&Stop != 0 || f&(foreignWord|foreignStop|anyListed) == 0 {
			continue
		}
		count := func(flag Flags, n *int) {
			if f&flag != 0 {
				*n++
			}
		}
		count(germanWord, &n.german)
		count(spanishWord, &n.spanish)
		count(frenchWord, &n.french)
		count(foreignWord, &n.foreign)
		if f&anyListed == 0 {
			n.others++
		}
	}
	return n
}

// language is the language of a text with this many words and English stop words.
func (n functionWords) language(words, stops int) Language {
	best, listed := n.german, GermanLanguage
	second := max(n.spanish, n.french)
	switch {
	case n.spanish > max(n.german, n.french):
		best, listed, second = n.spanish, SpanishLanguage, max(n.german, n.french)
	case n.french > max(n.german, n.spanish):
		best, listed, second = n.french, FrenchLanguage, max(n.german, n.spanish)
	}
	isForeign := 8*n.foreign >= words && n.foreign > stops
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
