package cells

import (
	"slices"

	"confab/detectors"
	"confab/detectors/synonyms"
	"confab/internal/text"
	"confab/internal/text/figures"
)

// conceptRoot is the key of a concept among the entries.
func conceptRoot(c synonyms.Concept) uint64 { return uint64(c) + 1 }

// unitOf returns the unit of a key's word.
func unitOf(w *text.Token) (figures.Unit, bool) {
	if u, ok := keyUnits[w.Hash]; ok {
		return u, ok
	}
	return figures.UnitNamed(w)
}

//nolint:gochecknoglobals // read-only tables
var (
	// keyUnits are units that only keys abbreviate so.
	keyUnits = map[uint64]figures.Unit{
		text.Hash("ms"): {Dimension: figures.Duration, Factor: 0.001}, text.Hash("s"): {Dimension: figures.Duration, Factor: 1},
		text.Hash("h"): {Dimension: figures.Duration, Factor: 3600}, text.Hash("m"): {Dimension: figures.Length, Factor: 1},
		text.Hash("c"): {Dimension: figures.Temperature, Factor: 1}, text.Hash("f"): {Dimension: figures.Temperature, Factor: 1},
		text.Hash("l"): {Dimension: figures.Volume, Factor: 1}, text.Hash("kph"): {Dimension: figures.Speed, Factor: 1},
	}
	keyScales = map[uint64]float64{
		text.Hash("k"): 1e3, text.Hash("thousand"): 1e3, text.Hash("thousands"): 1e3, text.Hash("tsd"): 1e3,
		text.Hash("million"): 1e6, text.Hash("millions"): 1e6, text.Hash("mio"): 1e6, text.Hash("mn"): 1e6,
	}
	periodNouns   = text.HashSet("day days week weeks month months quarter quarters year years")
	optionalWords = text.HashSet("min max avg average maximum minimum mean sched scheduled est estimated planned")
)

func (x *Index) newWord(name string) word {
	root := synonyms.RootOf(name)
	if periodNouns[text.Hash(name)] {
		return word{root: root, concept: synonyms.NoConcept}
	}
	return word{root: root, concept: x.synonyms.Concept(root)}
}

// addWords appends the content words of a key or value. Stop words are left out, unless nothing else is there.
func (x *Index) addWords(s string, key bool) {
	first, from := len(x.words), 0
	for i := 1; i <= len(s); i++ {
		if i < len(s) && !(key && text.IsUpper(s[i]) && !text.IsUpper(s[i-1])) {
			continue
		}
		x.tokens = text.AppendTokens(x.tokens[:0], s[from:i])
		for t := range x.tokens {
			if w := &x.tokens[t]; !w.Stop() && (!key || w.Kind == text.Word) || w.Kind == text.Number {
				name := w.In(s[from:i])
				x.words = append(x.words, x.newWord(name))
			}
		}
		from = i
	}
	if len(x.words) == first && !key {
		x.tokens = text.AppendTokens(x.tokens[:0], s)
		for t := range x.tokens {
			x.words = append(x.words, word{root: synonyms.RootOf(x.tokens[t].In(s)), concept: synonyms.NoConcept})
		}
	}
}

// addKey reads the words, the unit and the kind of a key: "max-load-kg", "WiFiAvailable", "Rain (mm)".
func (x *Index) addKey(c *column, key string) {
	first := len(x.words)
	from := 0
	for i := 1; i <= len(key); i++ {
		if i < len(key) && !(text.IsUpper(key[i]) && !text.IsUpper(key[i-1])) {
			continue
		}
		x.tokens = text.AppendTokens(x.tokens[:0], key[from:i])
		for t := range x.tokens {
			x.addKeyWord(c, &x.tokens[t], x.tokens[t].In(key[from:i]), len(x.words) > first && i == len(key) && t == len(x.tokens)-1)
		}
		from = i
	}
	content := int32(0)
	for i := first; i < len(x.words); i++ {
		if !x.words[i].generic && !x.words[i].optional {
			content++
		}
	}
	if content == 0 { // "name", "value": the key says nothing else
		for i := first; i < len(x.words); i++ {
			x.words[i].generic, x.words[i].optional = false, false
			content++
		}
	}
	c.needed, c.content = content, content
}

func (x *Index) addKeyWord(c *column, w *text.Token, name string, last bool) {
	unit, isUnit := unitOf(w)
	switch {
	case w.Kind == text.Number:
		return
	case percentWords[w.Hash]:
		c.percent = true
	case keyScales[w.Hash] != 0:
		c.scale = keyScales[w.Hash]
	case isUnit && last:
		c.unit = unit
	default:
		isUnit = false
	}
	generic := isUnit || keyScales[w.Hash] != 0 || percentWords[w.Hash] || genericWords[w.Hash] || w.Stop()
	own := x.newWord(name)
	own.generic, own.optional = generic, optionalWords[w.Hash]
	x.words = append(x.words, own)
}

// buildEntries makes the table from words to columns, values and named records, sorted by word.
func (x *Index) buildEntries() {
	for i := range x.columns {
		c := &x.columns[i]
		for w := c.firstWord; w < c.endWord; w++ {
			x.addEntry(entry{column: int32(i), ref: w, kind: keyEntry}, w)
		}
	}
	for i := range x.cells {
		c := &x.cells[i]
		for w := c.firstWord; w < c.endWord; w++ {
			x.addEntry(entry{column: c.column, ref: int32(i), kind: valueEntry}, w)
		}
	}
	for i := range x.records {
		r := &x.records[i]
		if x.groups[r.group].records < 2 {
			continue
		}
		for w := r.firstWord; w < r.endWord; w++ {
			x.addEntry(entry{column: -1, ref: int32(i), kind: recordEntry}, w)
		}
	}
	x.work.Spend(len(x.entries) * 4)
	slices.SortFunc(x.entries, func(a, b entry) int {
		switch {
		case a.root < b.root:
			return -1
		case a.root > b.root:
			return 1
		default:
			return int(a.ref - b.ref)
		}
	})
}

// addEntry adds the entry under the root of the word, and under its concept.
func (x *Index) addEntry(e entry, at int32) {
	e.root = x.words[at].root
	x.entries = append(x.entries, e)
	if concept := x.words[at].concept; concept != synonyms.NoConcept {
		e.root = conceptRoot(concept)
		x.entries = append(x.entries, e)
	}
}

// readRoots reads the words of the answer.
func (x *Index) readRoots(d *detectors.Document) {
	tokens := d.Tokens()
	if !x.work.Spend(wordCost * len(tokens)) {
		return
	}
	for i := range tokens {
		w := x.newWord(tokens[i].In(d.Answer()))
		x.roots, x.concepts = append(x.roots, w.root), append(x.concepts, w.concept)
	}
}

// entriesOf returns the entries of a word.
func (x *Index) entriesOf(root uint64) []entry {
	first, ok := slices.BinarySearchFunc(x.entries, root, func(e entry, root uint64) int {
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
	x.work.Spend(1 + (last-first)/2)
	return x.entries[first:last]
}

// maxEntries is the maximum of cells that one word leads to.
const maxEntries = 64
