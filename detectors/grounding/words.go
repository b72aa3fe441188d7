package grounding

import (
	"math/bits"

	"confab/detectors/support"
	"confab/internal/text"
)

// wordState says where a word of a claim occurs.
type wordState uint8

const (
	wordInWindow    wordState = iota // in the best window
	wordElsewhere                    // in another sentence of a source
	wordPrefixMatch                  // a source has a word with the same first letters
	wordSynonym                      // the best window has a synonym
	wordInPrompt                     // only in the prompt
	wordNowhere
	wordOpposed // the best window has its opposite
	wordNone    // before the first and after the last word
)

// wordKind is the lexical kind of a word.
type wordKind uint8

const (
	plainWord wordKind = iota
	figureWord
	nameWord     // capital inside a sentence
	capitalWord  // capital at the start of a sentence
	polarityWord // a stop word that is a polarity cue: "never", "all"
)

// claimWord is one compared word of a claim.
type claimWord struct {
	token   int32
	id      int32 // of its stem, -1 for polarity words
	state   wordState
	kind    wordKind
	pair    pairState // with the previous content word
	negated bool      // shortly after a negation
	rarity  float32   // 0 common to 1 rare
	local   float32   // share of its neighbors in one source sentence with it
	related Relation  // of an unsupported word to a word of the best window
}

// supported reports a word in the best window.
func (w *claimWord) supported() bool { return w.state == wordInWindow }

// missing reports a word that is in no source.
func (w *claimWord) missing() bool { return w.state-wordPrefixMatch <= wordOpposed-wordPrefixMatch }

type pairState uint8

const (
	pairNone pairState = iota
	pairHeld
	pairTurned // in the sources in the other order
	pairNew
	pairStates
)

// readWords appends the words of the loaded tokens from..to, compared with the window.
func (p *answerPass) readWords(from, to int32, w *support.Window, window []text.Token) {
	x, held := p.Index, &p.sums.held
	previous, first := int32(-1), len(p.words)
	negation := from - support.NegationReach - 1
	for t := from; t < to; t++ {
		token, id := &p.tokens[t], x.Stem(t)
		if token.Has(text.Negation) {
			negation = t
		}
		number := polarityCues.cueOf(token)
		p.sums.addCue(number)
		if id < 0 && (number == noCue || token.Has(text.Marker)) {
			continue
		}
		p.words = append(p.words, claimWord{})
		word := &p.words[len(p.words)-1]
		word.token, word.id, word.kind, word.negated = t, id, polarityWord, t-negation <= support.NegationReach
		if id < 0 {
			word.state = wordNowhere
			if held.has(number) {
				word.state = wordInWindow
			}
		} else {
			word.state, word.kind = p.wordState(t, id, w), p.wordKind(t, id)
			word.pair = pairOf(x, previous, id)
			previous = id
		}
		if !word.supported() && number > 0 && held.has(number^1) {
			word.state = wordOpposed
		}
	}
	p.fillNeighbors(first)
	p.relate(p.words[first:], window)
}

// neighborReach is how many content words on each side are neighbors of a word; fillNeighbors lists them one by one.
const neighborReach = 3

// fillNeighbors sets rarity and local of the words from the first-th on, which are loaded. Rarities are read one right after the
// other, so that the cache misses of their table overlap.
func (p *answerPass) fillNeighbors(first int) {
	x := p.Index
	words, masks := p.words[first:], append(p.scratch.masks[:0], 0, 0, 0) // words beyond the ends have none
	for i := range words {
		if w := &words[i]; w.id >= 0 {
			masks = append(masks, x.Mask(w.id))
			w.rarity = p.rarity(w.id, &p.tokens[w.token])
		}
	}
	masks = append(masks, 0, 0, 0)
	p.scratch.masks = masks
	for i := range words {
		w := &words[i]
		if w.id < 0 {
			continue
		}
		near := (*[2*neighborReach + 1]uint64)(masks)
		masks = masks[1:]
		if x.Count(w.id) == 0 {
			continue
		}
		around := (near[0] | near[1] | near[2] | near[4] | near[5] | near[6]) &^ near[neighborReach]
		w.local = float32(x.CoOccurring(w.id, around)) / float32(max(1, bits.OnesCount64(around)))
	}
}

func (p *answerPass) wordState(token, id int32, w *support.Window) wordState {
	x := p.Index
	switch {
	case w.Mask&x.Mask(id) != 0:
		return wordInWindow
	case x.Count(id) > 0:
		return wordElsewhere
	case !x.IsFigure(id) && x.HasPrefix(p.Doc, &p.tokens[token]):
		return wordPrefixMatch
	case x.InPrompt(id):
		return wordInPrompt
	default:
		return wordNowhere
	}
}

func (p *answerPass) wordKind(token, id int32) wordKind {
	start := p.tokens[token].Start
	switch {
	case p.Index.IsFigure(id):
		return figureWord
	case !text.IsUpper(p.answer[start]):
		return plainWord
	case support.BeginsSentence(p.answer[max(0, int(start)-8):start]):
		return capitalWord
	default:
		return nameWord
	}
}

// gramRarity is the rarity of a pair of characters, about that of an English content word.
const gramRarity = 0.8

// rarity is 0 for the most common words and 1 for words that are not in the frequency table.
func (p *answerPass) rarity(id int32, t *text.Token) float32 {
	if t.Kind == text.Gram {
		return gramRarity
	}
	return 1 - float32(p.model.frequencies[p.Index.Key(id)>>48])/255
}

func pairOf(x *support.Index, a, b int32) pairState {
	switch {
	case a < 0 || a == b:
		return pairNone
	case x.HoldsPair(a, b):
		return pairHeld
	case x.HoldsPair(b, a):
		return pairTurned
	default:
		return pairNew
	}
}
