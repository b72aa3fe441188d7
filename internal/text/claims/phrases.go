package claims

import (
	"strings"

	"confab/internal/text"
)

// role is what a phrase says about its sentence. A phrase may have several.
type role uint16

const (
	opener    role = 1 << iota // at the start: not part of the claim
	excuse                     // at the start: the claim begins after a "but"
	polite                     // at the start: no claim
	silent                     // at the start: an abstention
	absent                     // an abstention in a sentence with a document
	document                   // a word for a source or the speaker
	aside                      // anywhere: no claim
	announcer                  // at the start: something follows
	advice                     // before a contact: no claim
	contact                    // a verb for turning to someone
	silence                    // no phrase: a word of an abstention that needs no negation
)

// roleNames are the names of the roles in the tables, in the order of the bits.
const roleNames = "opener excuse polite silent absent document aside announcer advice contact"

// phrase is a sequence of words.
type phrase struct {
	words []uint64
	roles role
}

const (
	filterBits  = 13
	filterShift = 64 - filterBits
)

// phraseTable finds the phrases that begin with a word.
type phraseTable struct {
	roles [1 << filterBits]role // by the first bits of the first word, so that most words cost one load
	first map[uint64][]phrase
}

var knownPhrases = newPhraseTable(english, german, spanish, french, chinese) //nolint:gochecknoglobals // a read-only table

// newPhraseTable reads tables with lines "role: phrase | phrase". A paragraph is one role.
func newPhraseTable(tables ...string) *phraseTable {
	t := &phraseTable{}
	first := map[uint64][]phrase{}
	for _, table := range tables {
		for entry := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
			name, list, _ := strings.Cut(entry, ":")
			for bit, known := range strings.Fields(roleNames) {
				if known == strings.TrimSpace(name) {
					t.addList(first, list, 1<<bit)
				}
			}
		}
	}
	t.first = first
	for _, h := range []uint64{hashSilent, hashUnclear, hashInsufficient} {
		t.roles[h>>filterShift] |= silence
	}
	return t
}

func (t *phraseTable) addList(first map[uint64][]phrase, list string, r role) {
	for words := range strings.SplitSeq(list, "|") {
		p := phrase{roles: r}
		for _, token := range text.AppendTokens(nil, words) {
			p.words = append(p.words, token.Hash)
		}
		if len(p.words) == 0 {
			continue
		}
		h := p.words[0]
		t.roles[h>>filterShift] |= r
		first[h] = append(first[h], p)
	}
}

// rolesOf are the roles of phrases that may begin with the word.
func (t *phraseTable) rolesOf(h uint64) role { return t.roles[h>>filterShift] }

// startsWith is the length of the longest phrase with one of the roles at token i, 0 for none.
func (p *claimParser) startsWith(i int, wanted role) (length int) {
	if i >= len(p.tokens) || knownPhrases.rolesOf(p.tokens[i].Hash)&wanted == 0 {
		return 0
	}
	return p.longestPhrase(i, wanted)
}

func (p *claimParser) longestPhrase(i int, wanted role) (length int) {
	list := knownPhrases.first[p.tokens[i].Hash]
	for k := range list {
		q := &list[k]
		if q.roles&wanted != 0 && len(q.words) > length && i+len(q.words) <= len(p.tokens) && p.matches(i, q.words) {
			length = len(q.words)
		}
	}
	return length
}

func (p *claimParser) matches(i int, words []uint64) bool {
	for k, h := range words {
		if p.tokens[i+k].Hash != h {
			return false
		}
	}
	return true
}
