package cells

import (
	"confab/internal/text"
	"confab/internal/text/figures"
)

// keptKey is what a key says about its column, whatever record it is in. Most records have the keys of earlier ones.
type keptKey struct {
	key    []byte
	known  bool   // the rest is read
	column Column // what the key says
	words  []keyWord
}

const (
	keptKeyBits = 10
	maxKeptKey  = 64 // bytes
)

// newColumn returns a column with what the key with the hash says, and appends the words of the key.
func (x *Index) newColumn(key string, h uint64) Column {
	first := len(x.Words)
	if len(key) > maxKeptKey {
		return x.readKey(key)
	}
	k := &x.keptKeys[h>>(64-keptKeyBits)]
	if !k.known || string(k.key) != key {
		k.known, k.key = true, append(k.key[:0], key...)
		k.column = x.readKey(key)
		k.words = append(k.words[:0], x.Words[first:]...)
		x.Words = x.Words[:first]
	}
	c := k.column
	c.FirstWord, c.EndWord = int32(first), int32(first+len(k.words))
	x.Words = append(x.Words, k.words...)
	return c
}

func (x *Index) readKey(key string) Column {
	c := Column{FirstWord: int32(len(x.Words))}
	x.addKey(&c, key)
	c.EndWord = int32(len(x.Words))
	return c
}

// addKey reads the words, the unit and the kind of a key: "max-load-kg", "WiFiAvailable", "Rain (mm)".
func (x *Index) addKey(c *Column, key string) {
	first := len(x.Words)
	from := 0
	for i := 1; i <= len(key); i++ {
		if i < len(key) && (!text.IsUpper(key[i]) || text.IsUpper(key[i-1])) {
			continue
		}
		x.tokens = x.tokenizer.Append(x.tokens[:0], key[from:i])
		for t := range x.tokens {
			x.addKeyWord(c, &x.tokens[t], x.tokens[t].In(key[from:i]), len(x.Words) > first && i == len(key) && t == len(x.tokens)-1)
		}
		from = i
	}
	c.Content = x.countContent(first)
	c.Needed = c.Content
}

// countContent counts the words from first on that say what the key is about. Of "name" or "value" alone every word does.
func (x *Index) countContent(first int) (n int32) {
	for _, w := range x.Words[first:] {
		if !w.Generic && !w.Optional {
			n++
		}
	}
	if n > 0 {
		return n
	}
	for i := first; i < len(x.Words); i++ {
		x.Words[i].Generic, x.Words[i].Optional = false, false
		n++
	}
	return n
}

func (x *Index) addKeyWord(c *Column, w *text.Token, name string, last bool) {
	if moneyWords.Has(w.Hash) {
		c.Money = true
	}
	unit, isUnit := unitOf(w)
	switch {
	case w.Kind == text.Number:
		return
	case percentWords.Has(w.Hash):
		c.Percent = true
	case keyScales[w.Hash] != 0:
		c.Scale = keyScales[w.Hash]
	case isUnit && x.isKeyUnit(c, w, last):
		c.Unit = unit
		isUnit = last
	default:
		isUnit = false
	}
	generic := isUnit || keyScales[w.Hash] != 0 || percentWords.Has(w.Hash) || genericWords.Has(w.Hash) || w.Stop()
	own := x.newWord(name)
	own.Generic, own.Optional, own.vague = generic, optionalWords.Has(w.Hash), genericWords.Has(w.Hash)
	x.Words = append(x.Words, own)
}

// isKeyUnit reports a unit that is the last word of a key, or the first if it can hardly be anything else: "grams", not "min".
func (x *Index) isKeyUnit(c *Column, w *text.Token, last bool) bool {
	return last || len(x.Words) == int(c.FirstWord) && keyUnits[w.Hash] == figures.Unit{} && !optionalWords.Has(w.Hash) && !w.Stop()
}
