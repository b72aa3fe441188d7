package detectors

import "confab/internal/text"

// Comparable reports whether answer and sources can be compared by words: both use the same supported script and a source
// is in the answer's language, as far as languages can be detected. If not, the outcome is not_checkable: language.
func (d *Document) Comparable() bool {
	if d.beginPart(madeComparable) {
		d.comparable = d.computeComparable()
	}
	return d.comparable
}

// MatchMode is how words of the answer and the sources are compared.
func (d *Document) MatchMode() text.MatchMode {
	d.Comparable()
	return d.matchMode
}

// Language is the language of the answer, if its script is supported.
func (d *Document) Language() text.Language {
	d.Comparable()
	return d.language
}

func (d *Document) computeComparable() bool {
	d.Work().Spend(scriptCost * (1 + len(d.sources)))
	script := text.ScriptOf(d.Text())
	d.matchMode, d.language = script == text.Cyrillic, text.UnknownLanguage
	if script == text.NoScript {
		return true // figures compare in any script
	}
	if !isSupportedScript(script) {
		return false
	}
	d.Work().Spend(len(d.Tokens()) / languageTokens)
	d.language = text.LanguageOf(script, d.Tokens())
	if !d.hasSourceIn(script) {
		return false
	}
	if script != text.Latin {
		return true
	}
	d.Work().Spend(len(d.SourceTokens()) / languageTokens)
	sources := text.LanguageOf(text.Latin, d.SourceTokens())
	if d.language.Differs(sources) && (d.language != text.EnglishLanguage || d.holdsProse()) {
		d.matchMode = text.MatchMode(d.language.IsForeign())
		return d.hasSourceInLanguage()
	}
	d.matchMode = text.MatchMode(d.language.IsForeign() || sources.IsForeign())
	return true
}

// hasSourceIn reports whether any source uses the script, or has no letters.
func (d *Document) hasSourceIn(script text.Script) bool {
	for _, s := range d.sources {
		if other := text.ScriptOf(s); other == script || other == text.NoScript {
			return true
		}
	}
	return len(d.sources) == 0
}

// languageSample is how many tokens at the start of a source are read for its language.
const languageSample = 256

// hasSourceInLanguage reports whether any source is in the language of the answer.
func (d *Document) hasSourceInLanguage() bool {
	for i, s := range d.sources {
		tokens := d.TokensRead(i)
		tokens = tokens[:min(len(tokens), languageSample)]
		d.Work().Spend(scriptCost + len(tokens)/languageTokens)
		if l := text.LanguageOf(text.ScriptOf(s), tokens); l != text.UnknownLanguage && !l.Differs(d.language) {
			return true
		}
	}
	return false
}

// isSupportedScript reports scripts whose quality was measured: docs/languages.md has the figures.
func isSupportedScript(s text.Script) bool {
	switch s {
	case text.Latin, text.Cyrillic, text.Arabic, text.Hangul, text.Ideographic, text.Thai, text.Devanagari:
		return true
	default:
		return false
	}
}
