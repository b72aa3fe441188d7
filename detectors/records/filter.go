package records

import "confab/internal/text"

// wordFilter is a set of hashes that may seem to hold others, too. Most claims name few fields, and the filter shows that
// without a comparison of each word.
type wordFilter [4]uint64

func (f *wordFilter) add(h uint64) { f[h>>62] |= 1 << (h >> 56 & 63) }

// mayHold is false if the hash was not added.
func (f *wordFilter) mayHold(h uint64) bool { return f[h>>62]>>(h>>56&63)&1 != 0 }

// mayShare is false if no hash was added to both.
func (f *wordFilter) mayShare(g *wordFilter) bool {
	return f[0]&g[0]|f[1]&g[1]|f[2]&g[2]|f[3]&g[3] != 0
}

// claimWords are the words of a claim and their stems.
type claimWords struct{ words, stems wordFilter }

func (c *claimWords) read(tokens []text.Token) {
	*c = claimWords{}
	for i := range tokens {
		c.words.add(tokens[i].Hash)
		c.stems.add(tokens[i].Stem)
	}
}
