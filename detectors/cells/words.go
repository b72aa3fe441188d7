package cells

import (
	"slices"
	"unicode/utf8"

	"confab/detectors"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// ConceptRoot is the key of a concept among the entries.
func ConceptRoot(c synonyms.Concept) uint64 { return uint64(c) + 1 }

// ShortUnit returns the unit of an abbreviation that is one in keys only, such as "h"; ok is false for another word.
func ShortUnit(w *text.Token) (u figures.Unit, ok bool) {
	u, ok = keyUnits[w.Hash]
	return u, ok
}

// unitOf returns the unit of a key's word.
func unitOf(w *text.Token) (figures.Unit, bool) {
	if u, ok := ShortUnit(w); ok {
		return u, ok
	}
	return figures.UnitNamed(w)
}

//nolint:gochecknoglobals // read-only tables
var (
	// genericWords are left out of keys: they say little about the value.
	genericWords = text.HashSet(`is has was are have id name no number num type value state flag date at on of per the to by
available cover coverage allowed enabled required included includes include used expected advised permitted present provided possible active total amount
list info data field item code ref key kind level`)
	// moneyWords are in keys of amounts that may have no currency.
	moneyWords = text.HashSet(`price cost fee total subtotal amount principal balance salary wage rent budget revenue income tax
deposit payment premium refund charge bill preis betrag summe`)
	percentWords = text.HashSet("pct percent percentage prozent")
	// keyUnits are units that only keys abbreviate so.
	keyUnits = map[uint64]figures.Unit{
		text.Hash("ms"): {Dimension: figures.Duration, Factor: 0.001}, text.Hash("s"): {Dimension: figures.Duration, Factor: 1},
		text.Hash("h"): {Dimension: figures.Duration, Factor: 3600}, text.Hash("m"): {Dimension: figures.Length, Factor: 1},
		text.Hash("c"): {Dimension: figures.Celsius, Factor: 1}, text.Hash("f"): {Dimension: figures.Fahrenheit, Factor: 1},
		text.Hash("l"): {Dimension: figures.Volume, Factor: 1}, text.Hash("kph"): {Dimension: figures.Speed, Factor: 1},
	}
	keyScales = map[uint64]float64{
		text.Hash("k"): 1e3, text.Hash("thousand"): 1e3, text.Hash("thousands"): 1e3, text.Hash("tsd"): 1e3,
		text.Hash("million"): 1e6, text.Hash("millions"): 1e6, text.Hash("mio"): 1e6, text.Hash("mn"): 1e6,
	}
	periodNouns   = text.HashSet("day days week weeks month months quarter quarters year years")
	optionalWords = text.HashSet("min max avg average maximum minimum mean sched scheduled est estimated planned")
)

// newWord is the word of a key, a value or the answer.
func (x *Index) newWord(name string) keyWord {
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf { // words with and without accents have the same hash
			return x.readWord(name, text.Hash(name))
		}
	}
	h := text.Hash(name)
	kept := &x.kept[h>>(64-keptBits)]
	if kept.hash != h {
		kept.hash, kept.word = h, x.readWord(name, h)
	}
	return kept.word
}

func (x *Index) readWord(name string, h uint64) keyWord {
	root := synonyms.RootOf(name)
	if periodNouns.Has(h) {
		return keyWord{Root: root, Concept: synonyms.NoConcept}
	}
	return keyWord{Root: root, Concept: x.Synonyms.Concept(root)}
}

// keptWord is a word of ASCII letters and digits with its hash.
type keptWord struct {
	hash uint64
	word keyWord
}

const keptBits = 10

// useSynonyms sets the table of concepts. Words and keys that were kept with another one are dropped.
func (x *Index) useSynonyms(t *synonyms.Table) {
	if x.Synonyms != t {
		x.Synonyms = t
		clear(x.kept[:])
		clear(x.keptKeys[:])
	}
}

// addWords appends the content words of a value with the tokens, none if it has more than maxTextWords. Stop words are left
// out, unless nothing else is there.
func (x *Index) addWords(s string) {
	first := len(x.Words)
	for t := range x.tokens {
		w := &x.tokens[t]
		if w.Stop() && w.Kind != text.Number {
			continue
		}
		if len(x.Words) == first+maxTextWords {
			x.Words = x.Words[:first]
			return
		}
		x.Words = append(x.Words, x.newWord(w.In(s)))
	}
	if len(x.Words) > first || len(x.tokens) > maxTextWords {
		return
	}
	for t := range x.tokens {
		x.Words = append(x.Words, keyWord{Root: synonyms.RootOf(x.tokens[t].In(s)), Concept: synonyms.NoConcept})
	}
}

// buildEntries makes the table from words to columns, values and named records.
func (x *Index) buildEntries() {
	for i := range x.Columns {
		c := &x.Columns[i]
		for w := c.FirstWord; w < c.EndWord; w++ {
			x.addEntry(Entry{Column: int32(i), Ref: w, Kind: KeyEntry}, w)
		}
	}
	for i := range x.Cells {
		c := &x.Cells[i]
		for w := c.FirstWord; w < c.EndWord; w++ {
			x.addEntry(Entry{Column: c.Column, Ref: int32(i), Kind: valueEntry}, w)
		}
	}
	for i := range x.Records {
		r := &x.Records[i]
		if x.Groups[r.Group].Records < 2 {
			continue
		}
		for w := r.firstWord; w < r.endWord; w++ {
			x.addEntry(Entry{Column: -1, Ref: int32(i), Kind: RecordEntry}, w)
		}
	}
	x.Work.Spend(len(x.entries) * 4) // of sortEntries
	x.sorted = false
}

// sortEntries sorts the table by word, which only look-ups in it need.
func (c *Content) sortEntries() {
	if c.sorted {
		return
	}
	c.sorted = true
	slices.SortFunc(c.entries, func(a, b Entry) int {
		switch {
		case a.root < b.root:
			return -1
		case a.root > b.root:
			return 1
		default:
			return int(a.Ref - b.Ref)
		}
	})
}

// addEntry adds the entry under the root of the word, and under its concept.
func (x *Index) addEntry(e Entry, at int32) {
	e.root = x.Words[at].Root
	x.entries = append(x.entries, e)
	if concept := x.Words[at].Concept; concept != synonyms.NoConcept {
		e.root = ConceptRoot(concept)
		x.entries = append(x.entries, e)
	}
}

// Prepare prepares look-ups of the words of the answer, on the first call for a document: only some claims are compared with
// cells. Its cost is part of reading the cells.
func (x *Index) Prepare(d *detectors.Document) {
	x.sortEntries()
	tokens := d.Tokens()
	if len(x.Roots) == len(tokens) {
		return
	}
	for i := range tokens {
		w := x.newWord(tokens[i].In(d.Answer()))
		x.Roots, x.Concepts = append(x.Roots, w.Root), append(x.Concepts, w.Concept)
	}
}

// EntriesOf returns the entries of a word.
func (x *Index) EntriesOf(root uint64) []Entry {
	first, ok := slices.BinarySearchFunc(x.entries, root, func(e Entry, root uint64) int {
		switch {
		case e.root < root:
			return -1
		case e.root > root:
			return 1
		default:
			return 0
		}
	})
	if !ok {
		return nil
	}
	last := first
	for last < len(x.entries) && x.entries[last].root == root && last-first < maxEntries {
		last++
	}
	x.Work.Spend(1 + (last-first)/2)
	return x.entries[first:last]
}

// maxEntries is the maximum of cells that one word leads to.
const maxEntries = 64

// MembersOf reports whether the words of the cell's text have the concept, and whether they have another member of the scale.
func (x *Index) MembersOf(c *Cell, concept synonyms.Concept, scale int16) (same, other bool) {
	for w := c.FirstWord; w < c.EndWord; w++ {
		own := x.Words[w].Concept
		same = same || own == concept
		other = other || x.Synonyms.Scale(own) == scale
	}
	return same, other
}
