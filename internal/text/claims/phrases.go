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
)

// roleNames are the names of the roles in the tables, in the order of the bits.
const roleNames = "opener excuse polite silent absent document aside announcer advice contact"

// phrase is a sequence of words.
type phrase struct {
	words []uint64
	roles role
}

const (
	filterBits  = 14 // a filter of the first words, so that most words cost one load
	filterShift = 64 - filterBits
)

// phraseTable finds the phrases that begin with a word.
type phraseTable struct {
	filter [1 << filterBits / 64]uint64
	first  map[uint64][]phrase
}

var knownPhrases = newPhraseTable(english, german, spanish, french, chinese) //nolint:gochecknoglobals // a read-only table

// newPhraseTable reads tables with lines "role: phrase | phrase". A paragraph is one role.
func newPhraseTable(tables ...string) *phraseTable {
	t := &phraseTable{first: map[uint64][]phrase{}}
	for _, table := range tables {
		for entry := range strings.SplitSeq(strings.TrimSpace(table), "\n\n") {
			name, list, _ := strings.Cut(entry, ":")
			for bit, known := range strings.Fields(roleNames) {
				if known == strings.TrimSpace(name) {
					t.addList(list, 1<<bit)
				}
			}
		}
	}
	return t
}

func (t *phraseTable) addList(list string, r role) {
	for words := range strings.SplitSeq(list, "|") {
		p := phrase{roles: r}
		for _, token := range text.AppendTokens(nil, words) {
			p.words = append(p.words, token.Hash)
		}
		if len(p.words) == 0 {
			continue
		}
		h := p.words[0]
		bit := h >> filterShift
		t.filter[bit/64] |= 1 << (bit % 64)
		t.first[h] = append(t.first[h], p)
	}
}

// find returns the phrases that begin with the word.
func (t *phraseTable) find(h uint64) []phrase {
	bit := h >> filterShift
	if t.filter[bit/64]&(1<<(bit%64)) == 0 {
		return nil
	}
	return t.first[h]
}

// phraseAt is the length of the longest phrase with one of the wanted roles at token i, and its roles; 0 for none.
func (p *claimParser) phraseAt(i int, wanted role) (length int, roles role) {
	if i >= len(p.tokens) {
		return 0, 0
	}
	list := knownPhrases.find(p.tokens[i].Hash)
	for k := range list {
		q := &list[k]
		if q.roles&wanted == 0 || len(q.words) < length || i+len(q.words) > len(p.tokens) || !p.matches(i, q.words) {
			continue
		}
		if len(q.words) > length {
			length, roles = len(q.words), 0
		}
		roles |= q.roles & wanted
	}
	return length, roles
}

// startsWith is the length of the longest phrase of the role at token i, 0 for none.
func (p *claimParser) startsWith(i int, r role) int {
	n, _ := p.phraseAt(i, r)
	return n
}

func (p *claimParser) matches(i int, words []uint64) bool {
	for k, h := range words {
		if p.tokens[i+k].Hash != h {
			return false
		}
	}
	return true
}
