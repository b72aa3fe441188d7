package grounding

import (
	"confab/detectors/support"
	"confab/internal/text"
)

// maxWordFeatures is the maximum of hashed features per word.
const maxWordFeatures = 18

// featureHash is the index of the weight of a feature: its kind and values.
func featureHash(kind int, a, b uint64) uint16 {
	h := uint64(kind+1) * 0xD6E8FEB86659FD93
	h = (h ^ a) * support.Spread
	h ^= h >> 29
	return uint16((h ^ b) * support.Spread >> 48)
}

func shareBucket(share float64, n int) uint64 { return uint64(min(max(int(share*float64(n)), 0), n-1)) }

// wordWeigher adds up the weights of the features of each word of one claim.
type wordWeigher struct {
	p       *answerPass
	weights *[featureSlots]byte

	// Features shared by the words.
	recall uint64 // share of the claim in its best window, in fifths
	place  uint64 // of the claim in the answer: only, first, middle, last
	shape  uint64 // sources are records; the prompt has a question
}

// newWeigher prepares for the words of the measured claim.
func (p *answerPass) newWeigher() wordWeigher {
	return wordWeigher{
		p: p, weights: p.model.weights,
		recall: shareBucket(float64(p.vector[colWindow]), 5), place: p.claimPlace(), shape: p.interactionShape(),
	}
}

// add adds the weight of a feature to the sum.
func (c *wordWeigher) add(sum, kind int, a, b uint64) int {
	h := featureHash(kind, a, b)
	return sum + int(int8(c.weights[h]))
}

// weigh returns the sum of the weights of the i-th word. A pair of characters has no features that name it: the words of the
// model are English, and such a feature would be the weight of an unrelated word.
func (c *wordWeigher) weigh(i int) (sum int) {
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
	lexical := t.Kind != text.Gram
	sum = c.add(sum, 0, sk, c.recall)
	if lexical {
		sum = c.add(sum, 1, s, key)
	}
	sum = c.add(sum, 2, s, uint64(before)<<8|uint64(after))
	sum = c.add(sum, 3, uint64(w.pair)<<8|shareBucket(float64(w.local), 4), sk)
	if w.supported() {
		return sum
	}
	sum = c.add(sum, 4, sk, shareBucket(float64(w.rarity), 8))
	sum = c.add(sum, 8, sk, c.place)
	sum = c.add(sum, 13, sk<<8|uint64(before)<<4|uint64(after), c.recall)
	sum = c.add(sum, 15, shareBucket(float64(w.local), 6), s)
	if !lexical {
		return sum
	}
	sum = c.add(sum, 5, sk, c.shape)
	sum = c.add(sum, 6, s<<32|c.shape, key)
	sum = c.add(sum, 7, s, suffixKey(p.answer, t))
	if i > 0 {
		previous := p.tokens[p.words[i-1].token].Stem
		sum = c.add(sum, 9, key, previous)
		sum = c.add(sum, 10, s<<1, previous)
	}
	if i+1 < len(p.words) {
		sum = c.add(sum, 11, s<<1, p.tokens[p.words[i+1].token].Stem)
	}
	if w.token > 0 {
		sum = c.add(sum, 12, sk, p.tokens[w.token-1].Stem)
	}
	sum = c.add(sum, 14, 0, key)
	if w.related != Unrelated {
		sum = c.add(sum, 15, sk, uint64(w.related))
		sum = c.add(sum, 16, uint64(w.pair)<<8|shareBucket(float64(w.local), 4), uint64(w.related)<<8|k)
	}
	return sum
}
