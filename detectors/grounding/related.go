package grounding

import (
	"confab/detectors/support"
	"confab/internal/text"
	"confab/internal/thesaurus"
)

// maxWindowWords bounds the words of a window that are searched for related ones.
const maxWindowWords = 256

// relateCost is the cost of an unsupported word, in units of [detectors.Work].
const relateCost = 4

// readWindow reads the window: its words for relate, its polarity cues and its number of tokens.
func (p *answerPass) readWindow(w *support.Window) (set cueSet, words int) {
	tokens, sentences := p.Doc.SourceTokens(), p.Doc.AllSourceSentences()
	near, left := &p.scratch.near, maxWindowWords
	near.Clear()
	for s := w.First; s < w.Last; s++ {
		for t := sentences[s].First; t < sentences[s].Last; t++ {
			token := &tokens[t]
			if n := polarityCues.cueOf(token); n != noCue {
				set.add(n)
			}
			if left > 0 && token.Kind == text.Word && !token.Stop() {
				near.Add(token.Stem)
				left--
			}
		}
		words += int(sentences[s].Last - sentences[s].First)
		p.Doc.Work().Spend(int(sentences[s].Last-sentences[s].First) / 2)
	}
	return set, words
}

// relate looks for related words of unsupported words in the window: a synonym is a rewording, an opposite a fault.
func (p *answerPass) relate(words []claimWord) {
	for i := range words {
		w := &words[i]
		if w.id < 0 || w.supported() || w.kind == figureWord {
			continue
		}
		if !p.Doc.Work().Spend(relateCost) {
			return
		}
		w.related = p.scratch.near.Relation(p.tokens[w.token].Stem)
		switch w.related {
		case thesaurus.Form, thesaurus.Synonym:
			if w.missing() && w.state != wordOpposed {
				w.state = wordSynonym
			}
		case thesaurus.Opposite:
			w.state = wordOpposed
		default:
		}
	}
}
