package records

import (
	"strings"

	"confab/internal/text"
	textclaims "confab/internal/text/claims"
)

// wordFilter is a set of hashes that may seem to hold others, too. Most claims name few fields, and the filter shows that
// without a comparison of each word.
type wordFilter [4]uint64

func (f *wordFilter) add(h uint64) { f[h>>62] |= 1 << (h >> 56 & 63) }

// mayHoldAll is false if a hash was added to g only.
func (f *wordFilter) mayHoldAll(g *wordFilter) bool {
	return g[0]&^f[0]|g[1]&^f[1]|g[2]&^f[2]|g[3]&^f[3] == 0
}

// topics is what a word of a claim may be about: bit i stands for the i-th concept, the highest bits for the topics below.
type topics uint32

const (
	topicDenial  topics = 1 << (31 - iota) // a negation
	topicSilence                           // what the sources do not say
	topicOpening                           // opening hours
)

func (s topics) has(concept int32) bool { return s>>concept&1 != 0 }

//nolint:gochecknoglobals // read-only tables
var (
	topicsByWord = readTopics()
	anyConcept   = topics(1)<<len(concepts) - 1
)

// readTopics returns the topics of words. A concept is one of the first words of its phrases.
func readTopics() map[uint64]topics {
	words := map[uint64]topics{}
	for i := range concepts {
		for _, p := range concepts[i].phrases {
			words[p[0]] |= 1 << i
		}
	}
	for topic, list := range map[topics]string{topicDenial: denialWords + " no", topicSilence: silenceWords, topicOpening: openingWords} {
		for w := range strings.FieldsSeq(list) {
			words[text.Hash(w)] |= topic
		}
	}
	return words
}

// claimWords are the words of a claim.
type claimWords struct {
	stems   wordFilter
	topics  topics      // of all words
	topical []topicWord // the words with a topic
}

type topicWord struct {
	token  int32
	topics topics
}

func (c *claimWords) read(tokens []text.Token, claim *textclaims.Claim) {
	*c = claimWords{topical: c.topical[:0]}
	for t := claim.First; t < claim.Last; t++ {
		c.stems.add(tokens[t].Stem)
		if about := topicsByWord[tokens[t].Hash]; about != 0 {
			c.topics |= about
			c.topical = append(c.topical, topicWord{t, about})
		}
	}
}

// deniesMention reports a claim that the sources do not say something.
func (c *claimWords) deniesMention() bool {
	return c.topics&topicSilence != 0 && c.topics&topicDenial != 0
}
