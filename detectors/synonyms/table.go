package synonyms

import (
	_ "embed"
	"errors"
	"fmt"
	"strings"
	"sync"

	"confab/internal/strictyaml"
)

// File is the content of a synonym file.
type File struct {
	Words     [][]string        `yaml:"words"`     // groups of words with one meaning
	Opposites [][]string        `yaml:"opposites"` // pairs that deny each other
	Codes     map[string]string `yaml:"codes"`     // values that abbreviate a word
	Exclusive [][]string        `yaml:"exclusive"` // values of which a field has only one
}

// Concept is a meaning that several words may have.
type Concept int16

// NoConcept is the concept of a word that the table does not have.
const NoConcept Concept = -1

// Table maps words to concepts. It is read-only.
type Table struct {
	byRoot   map[uint64]Concept
	opposite []Concept
	codes    map[string]Concept
	scale    []int16 // index of the exclusive values with the concept, -1 for none
}

//go:embed default.yaml
var defaultFile []byte

var defaultTable = sync.OnceValue(func() *Table { //nolint:gochecknoglobals // a read-only table
	t, err := Parse(defaultFile)
	if err != nil {
		return &Table{}
	}
	return t
})

// Default returns the table that the program contains.
func Default() *Table { return defaultTable() }

// Parse reads a synonym file. Unknown keys, wrong types and words with two meanings are errors.
func Parse(data []byte) (*Table, error) {
	var f File
	d := strictyaml.NewDecoder(nil)
	d.File(data, "", &f)
	if err := d.Err(); err != nil {
		return nil, errors.New("read synonyms: " + err.Error())
	}
	return New(f)
}

// New makes the table of the file.
func New(f File) (*Table, error) {
	t := &Table{byRoot: map[uint64]Concept{}, codes: map[string]Concept{}}
	for _, add := range []func(File) error{t.addWords, t.addOpposites, t.addExclusive, t.addCodes} {
		if err := add(f); err != nil {
			return nil, err
		}
	}
	return t, nil
}

func (t *Table) addWords(f File) error {
	for _, group := range f.Words {
		own := t.add()
		for _, w := range group {
			if !isWord(w) {
				return wordError("words", w)
			}
			if known, ok := t.byRoot[RootOf(w)]; ok && known != own {
				return fmt.Errorf("words: %q is in two groups, perhaps with another ending; keep it in one", w)
			}
			t.byRoot[RootOf(w)] = own
		}
	}
	return nil
}

func (t *Table) addOpposites(f File) error {
	for _, pair := range f.Opposites {
		if len(pair) != 2 || !isWord(pair[0]) || !isWord(pair[1]) {
			return fmt.Errorf("opposites: %q is not a pair of words", pair)
		}
		a, b := t.conceptFor(pair[0]), t.conceptFor(pair[1])
		if a == b || !t.mayOppose(a, b) || !t.mayOppose(b, a) {
			return fmt.Errorf("opposites: %q repeats a word; each word has one opposite", pair)
		}
		t.opposite[a], t.opposite[b] = b, a
	}
	return nil
}

func (t *Table) mayOppose(a, b Concept) bool { return t.opposite[a] == NoConcept || t.opposite[a] == b }

func (t *Table) addExclusive(f File) error {
	for i, values := range f.Exclusive {
		for _, w := range values {
			if !isWord(w) {
				return wordError("exclusive", w)
			}
			c := t.conceptFor(w)
			if t.scale[c] >= 0 && t.scale[c] != int16(i) {
				return fmt.Errorf("exclusive: %q is in two lists; keep it in one", w)
			}
			t.scale[c] = int16(i)
		}
	}
	return nil
}

func (t *Table) addCodes(f File) error {
	for code, w := range f.Codes {
		if !isWord(w) {
			return wordError("codes", w)
		}
		t.codes[code] = t.conceptFor(w)
	}
	return nil
}

func wordError(key, w string) error {
	return fmt.Errorf("%s: %q is not one word; remove spaces and punctuation", key, w)
}

// Code returns the concept that a value abbreviates.
func (t *Table) Code(value string) Concept {
	if c, ok := t.codes[value]; ok {
		return c
	}
	return NoConcept
}

func isWord(w string) bool { return w != "" && !strings.ContainsAny(w, " \t-_.,;:") }

func (t *Table) add() Concept {
	t.opposite, t.scale = append(t.opposite, NoConcept), append(t.scale, -1)
	return Concept(len(t.opposite) - 1)
}

func (t *Table) conceptFor(w string) Concept {
	root := RootOf(w)
	if c, ok := t.byRoot[root]; ok {
		return c
	}
	t.byRoot[root] = t.add()
	return t.byRoot[root]
}

// Concept returns the concept of the word with the root.
func (t *Table) Concept(root uint64) Concept {
	if c, ok := t.byRoot[root]; ok {
		return c
	}
	return NoConcept
}

// Opposite returns the concept that denies c, NoConcept for none.
func (t *Table) Opposite(c Concept) Concept {
	if c == NoConcept {
		return NoConcept
	}
	return t.opposite[c]
}

// Scale returns the list of exclusive values that c belongs to, -1 for none.
func (t *Table) Scale(c Concept) int16 {
	if c == NoConcept {
		return -1
	}
	return t.scale[c]
}
