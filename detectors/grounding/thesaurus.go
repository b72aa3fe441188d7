package grounding

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"confab/internal/text"
)

// Relation is how two words are related. Of several, the first in this order counts.
type Relation uint8

// The relations.
const (
	Unrelated Relation = iota
	Form               // irregular inflection: "bought", "buy"
	Synonym
	Opposite
	Wider // wider or narrower term: "car", "vehicle"
)

const relationSigns = "=~!<" // by relation, from Form on

//go:embed words.txt.gz
var packedWords []byte

// relationBits is the width of a relation in an entry; the rest of an entry is a hash.
const relationBits = 3

// entryOf is the hash of a stem without its relation.
func entryOf(stem uint64) uint32 { return uint32(stem>>32) &^ (1<<relationBits - 1) }

// wordTable lists the related words of each word, as hash and relation, behind a hash table with open addressing.
type wordTable struct {
	slots   []wordSlot
	related []uint32
}

type wordSlot struct {
	stem        uint64
	first, last int32 // range of related, empty for a free slot
}

// sharedTable is the table of the embedded words, built on first use.
var sharedTable = sync.OnceValue(func() *wordTable { return readWords(packedWords) }) //nolint:gochecknoglobals // read-only

// readWords builds the table. Damaged input gives a table of the words before the damage; a test holds the embedded one.
func readWords(packed []byte) *wordTable {
	lists := map[uint64][]uint32{}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return &wordTable{slots: make([]wordSlot, 1)}
	}
	var stems []uint64 // in order of appearance, so that every run builds the same table
	relate := func(a, b uint64, relation Relation) {
		if lists[a] == nil {
			stems = append(stems, a)
		}
		lists[a] = append(lists[a], entryOf(b)|uint32(relation))
	}
	for lines := bufio.NewScanner(z); lines.Scan(); {
		head, rest, _ := strings.Cut(lines.Text(), " ")
		a := thesaurusStem(head)
		for word := range strings.FieldsSeq(rest) {
			relation := Relation(1 + strings.IndexByte(relationSigns, word[0]))
			if b := thesaurusStem(word[1:]); a != b {
				relate(a, b, relation)
				relate(b, a, relation)
			}
		}
	}
	t := &wordTable{slots: make([]wordSlot, 1<<bits.Len(uint(2*len(stems))))}
	for _, stem := range stems {
		first := int32(len(t.related))
		t.related = append(t.related, lists[stem]...)
		*t.slot(stem) = wordSlot{stem: stem, first: first, last: int32(len(t.related))}
	}
	return t
}

func thesaurusStem(word string) uint64 {
	if tokens := text.AppendTokens(nil, word); len(tokens) > 0 {
		return tokens[0].Stem
	}
	return 0
}

// slot is the slot of the stem, or the free slot for it.
func (t *wordTable) slot(stem uint64) *wordSlot {
	mask := uint64(len(t.slots) - 1)
	for i := stem & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.last == 0 || s.stem == stem {
			return s
		}
	}
}

// Load reads the embedded words. Otherwise the first [Set.Fill] does.
func Load() { sharedTable() }

// Set is a set of words by stem. The zero value is not ready for use.
type Set struct {
	filter  [16]uint64
	entries []uint32
	words   *wordTable
}

// Fill makes the first content words of the tokens, at most most, the words of the set.
func (s *Set) Fill(tokens []text.Token, most int) {
	if s.words == nil {
		s.words = sharedTable()
	}
	s.entries = slices.Grow(s.entries[:0], min(len(tokens), most))
	entries, n := s.entries[:min(len(tokens), most)], 0
	for i := 0; i < len(tokens) && n < len(entries); i++ { // without branches: stop words follow no pattern
		entries[n] = entryOf(tokens[i].Stem)
		n += isContent(&tokens[i])
	}
	s.filter, s.entries = [16]uint64{}, entries[:n]
	for _, entry := range s.entries {
		s.filter[entry>>28] |= 1 << (entry >> 22 & 63)
	}
}

// isContent is 1 for a content word, else 0.
func isContent(t *text.Token) int {
	no := uint(t.Kind^text.Word) | uint(t.Flags&text.Stop)
	return int((no - 1) >> 63)
}

// Relation returns the relation of the stem to a word of the set, which [Set.Fill] has filled. It does not allocate.
func (s *Set) Relation(stem uint64) Relation {
	slot := s.words.slot(stem)
	best := Unrelated
	for _, related := range s.words.related[slot.first:slot.last] {
		if s.filter[related>>28]>>(related>>22&63)&1 == 0 {
			continue
		}
		if r := Relation(related & (1<<relationBits - 1)); (best == Unrelated || r < best) && slices.Contains(s.entries, related&^(1<<relationBits-1)) {
			best = r
		}
	}
	return best
}
