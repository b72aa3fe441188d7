package grounding

import (
	"confab/detectors/support"
	"confab/internal/text"
)

// maxWindowWords bounds the words of a window that are searched for related ones.
const maxWindowWords = 256

// relateCost is the cost of an unsupported word, in units of [detectors.Work].
const relateCost = 4

// windowTokens are the tokens of the window.
func (p *answerPass) windowTokens(w *support.Window) []text.Token {
	if w.Last == 0 {
		return nil
	}
	sentences := p.Doc.AllSourceSentences()
	return p.Doc.SourceTokens()[sentences[w.First].First:sentences[w.Last-1].Last]
}

// windowCues are the polarity cues of the window's tokens.
func (p *answerPass) windowCues(tokens []text.Token) (set cueSet) {
	p.Doc.Work().Spend(len(tokens) / 2)
	for t := range tokens {
		if n := polarityCues.cueOf(&tokens[t]); n != noCue {
			set.add(n)
		}
	}
	return set
}

// relate looks for related words of unsupported words in the window: a synonym is a rewording, an opposite a fault.
func (p *answerPass) relate(words []claimWord, window []text.Token) {
	near, filled := &p.scratch.near, false
	for i := range words {
		w := &words[i]
		if w.id < 0 || w.supported() || w.kind == figureWord {
			continue
		}
		if !p.Doc.Work().Spend(relateCost) {
			return
		}
		if !filled {
			near.Fill(window, maxWindowWords)
			filled = true
		}
		w.related = near.Relation(p.tokens[w.token].Stem)
		switch w.related {
		case Form, Synonym:
			if w.missing() && w.state != wordOpposed {
				w.state = wordSynonym
			}
		case Opposite:
			w.state = wordOpposed
		default:
		}
	}
}
