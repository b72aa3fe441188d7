package grounding

import (
	"math/bits"

	"confab/detectors/support"
	"confab/internal/text"
	"confab/internal/thesaurus"
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
	token        int32
	id           int32 // of its stem, -1 for polarity words
	state        wordState
	kind         wordKind
	pair         pairState          // with the previous content word
	negated      bool               // shortly after a negation
	rarity       float32            // 0 common to 1 rare
	local        float32            // share of its neighbors in one source sentence with it
	related      thesaurus.Relation // of an unsupported word to a word of the best window
	features     [maxWordFeatures]uint16
	featureCount int // of features in use
}

// supported reports a word in the best window.
func (w *claimWord) supported() bool { return w.state == wordInWindow }

// missing reports a word that is in no source.
func (w *claimWord) missing() bool { return w.state >= wordPrefixMatch && w.state <= wordOpposed }

type pairState uint8

const (
	pairNone pairState = iota
	pairHeld
	pairTurned // in the sources in the other order
	pairNew
)

// maxWordFeatures is the maximum of hashed features per word.
const maxWordFeatures = 18

// featureHash is the index of the weight of a feature: its kind and values.
func featureHash(kind int, a, b uint64) uint16 {
	h := uint64(kind+1) * 0xD6E8FEB86659FD93
	h = (h ^ a) * support.Spread
	h ^= h >> 29
	h = (h ^ b) * support.Spread
	return uint16((h ^ h>>29) >> 48)
}

// setFeature sets the n-th feature and returns the index of the next one.
func (w *claimWord) setFeature(n, kind int, a, b uint64) int {
	w.features[n] = featureHash(kind, a, b)
	return n + 1
}

func shareBucket(share float64, n int) uint64 { return uint64(min(max(int(share*float64(n)), 0), n-1)) }

// featureContext holds the features shared by the words of one claim.
type featureContext struct {
	p      *answerPass
	recall uint64 // share of the claim in its best window, in fifths
	place  uint64 // of the claim in the answer: only, first, middle, last
	shape  uint64 // sources are records; the prompt has a question
}

// setFeatures computes the features of the i-th word. A pair of characters has none that name it: the words of the model are
// English, and such a feature would be the weight of an unrelated word.
func (c *featureContext) setFeatures(i int) {
	p := c.p
	w := &p.words[i]
	before, after := wordNone, wordNone
	if i > 0 {
		before = p.words[i-1].state
	}
	if i+1 < len(p.words) {
		after = p.words[i+1].state
	}
	s, k := uint64(w.state), uint64(w.kind)
	t := &p.tokens[w.token]
	key := t.Stem
	if w.id >= 0 {
		key = p.Index.Key(w.id)
	}
	sk := s<<8 | k
	n := 0
	lexical := t.Kind != text.Gram
	n = w.setFeature(n, 0, sk, c.recall)
	if lexical {
		n = w.setFeature(n, 1, s, key)
	}
	n = w.setFeature(n, 2, s, uint64(before)<<8|uint64(after))
	n = w.setFeature(n, 3, uint64(w.pair)<<8|shareBucket(float64(w.local), 4), sk)
	if w.supported() {
		w.featureCount = n
		return
	}
	n = w.setFeature(n, 4, sk, shareBucket(float64(w.rarity), 8))
	n = w.setFeature(n, 8, sk, c.place)
	n = w.setFeature(n, 13, sk<<8|uint64(before)<<4|uint64(after), c.recall)
	n = w.setFeature(n, 15, shareBucket(float64(w.local), 6), s)
	if !lexical {
		w.featureCount = n
		return
	}
	n = w.setFeature(n, 5, sk, c.shape)
	n = w.setFeature(n, 6, s<<32|c.shape, key)
	n = w.setFeature(n, 7, s, suffixKey(p.answer, t))
	if i > 0 {
		n = w.setFeature(n, 9, key, p.tokens[p.words[i-1].token].Stem)
		n = w.setFeature(n, 10, s<<1, p.tokens[p.words[i-1].token].Stem)
	}
	if i+1 < len(p.words) {
		n = w.setFeature(n, 11, s<<1, p.tokens[p.words[i+1].token].Stem)
	}
	if w.token > 0 {
		n = w.setFeature(n, 12, sk, p.tokens[w.token-1].Stem)
	}
	n = w.setFeature(n, 14, 0, key)
	if w.related != thesaurus.Unrelated {
		n = w.setFeature(n, 15, sk, uint64(w.related))
		n = w.setFeature(n, 16, uint64(w.pair)<<8|shareBucket(float64(w.local), 4), uint64(w.related)<<8|k)
	}
	w.featureCount = n
}

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
			word.state, word.kind, word.rarity = p.wordState(t, id, w), p.wordKind(t, id), p.rarity(id, token)
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

// neighborReach is how many content words on each side are neighbors of a word.
const neighborReach = 3

// fillNeighbors sets local of the words from the first-th on, which are loaded.
func (p *answerPass) fillNeighbors(first int) {
	x := p.Index
	words, masks := p.words[first:], p.scratch.masks[:0]
	for i := range words {
		if id := words[i].id; id >= 0 {
			masks = append(masks, x.Mask(id))
		}
	}
	p.scratch.masks = masks
	at := -1 // of the word among the masks
	for i := range words {
		w := &words[i]
		if w.id < 0 {
			continue
		}
		if at++; x.Count(w.id) == 0 {
			continue
		}
		around := uint64(0)
		for _, mask := range masks[max(0, at-neighborReach):min(len(masks), at+neighborReach+1)] {
			around |= mask
		}
		around &^= masks[at]
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
