package records

import "confab/internal/text"

// wordFilter is a set of hashes that may seem to hold others, too. Most claims name few fields, and the filter shows that
// without a comparison of each word.
type wordFilter [4]uint64

func (f *wordFilter) add(h uint64) { f[h>>62] |= 1 << (h >> 56 & 63) }

// mayHoldAll is false if a hash was added to g only.
func (f *wordFilter) mayHoldAll(g *wordFilter) bool {
	return g[0]&^f[0]|g[1]&^f[1]|g[2]&^f[2]|g[3]&^f[3] == 0
}

// conceptSet is a set of concepts: bit i stands for the i-th.
type conceptSet uint32

func (s conceptSet) has(concept int32) bool { return s>>concept&1 != 0 }

// claimWords is what the words of a claim may name.
type claimWords struct {
	stems    wordFilter
	concepts conceptSet // a phrase of the concept may begin with one of the words
}

func (c *claimWords) read(tokens []text.Token) {
	*c = claimWords{}
	for i := range tokens {
		c.stems.add(tokens[i].Stem)
		c.concepts |= conceptsByWord.Get(tokens[i].Hash)
	}
}
