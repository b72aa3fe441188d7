package records

import (
	"strings"

	"confab/internal/text"
)

// keptKey is what a key says, whatever record it is in. Most records have the keys of earlier ones.
type keptKey struct {
	key      []byte
	known    bool         // the rest is read
	words    []text.Token // offsets count in the word's own part of the key
	concept  int32
	day      int8
	schedule bool
}

const (
	keptBits   = 10
	maxKeptKey = 64 // bytes
)

// addKey sets what the key says about the field.
func (r *Index) addKey(f *field, key string) {
	k := r.readKey(key)
	f.concept, f.day, f.schedule = k.concept, k.day, k.schedule
	f.first = int32(len(r.keyWords))
	r.keyWords = append(r.keyWords, k.words...)
	f.last = int32(len(r.keyWords))
}

// readKey reads the key, unless the key before it in its place is the same.
func (r *Index) readKey(key string) *keptKey {
	k := &r.longKey
	if len(key) <= maxKeptKey {
		k = &r.kept[text.Hash(key)>>(64-keptBits)]
	}
	if k.known && string(k.key) == key {
		return k
	}
	k.known, k.key = true, append(k.key[:0], key...)
	k.words = r.appendWords(k.words[:0], key)
	k.concept, k.day = conceptOf(key), weekdayNamed(key)
	k.schedule = k.day != 0 || namesHours(key)
	return k
}

// appendWords appends the words of a key such as OutdoorSeating, outdoor_seating or GoodForKids.
func (r *Index) appendWords(words []text.Token, key string) []text.Token {
	first := 0
	for i := 1; i <= len(key); i++ {
		if i == len(key) || text.IsUpper(key[i]) && !text.IsUpper(key[i-1]) {
			words = r.tokenizer.Append(words, key[first:i])
			first = i
		}
	}
	return words
}

func namesHours(key string) bool {
	return strings.EqualFold(key, "hours") || strings.HasSuffix(key, "_hours")
}

// nameFields counts the fields with a concept and drops first words that several keys of one object share.
func (r *Index) nameFields() {
	for i := range r.fields {
		f := &r.fields[i]
		if f.concept >= 0 && f.isComparable() {
			r.named++
		}
		if f.last-f.first < 2 {
			continue
		}
		for k := i + 1; k < len(r.fields) && k < i+64; k++ {
			other := &r.fields[k]
			if other.parent == f.parent && other.source == f.source && other.last-other.first >= 2 &&
				r.keyWords[other.first].Hash == r.keyWords[f.first].Hash {
				f.first++
				r.dropShared(k, f)
				break
			}
		}
	}
}

// listCompared lists the fields with a value to compare, and counts the words of the keys.
func (r *Index) listCompared() {
	for i := range r.fields {
		f := &r.fields[i]
		words := r.keyWords[f.first:f.last]
		for k := range words {
			if !words[k].Stop() {
				f.content++
				f.stems.add(words[k].Stem)
			}
		}
		if f.isComparable() {
			r.compared = append(r.compared, int32(i))
		}
	}
}

// dropShared drops the first word of f from the later fields that share it.
func (r *Index) dropShared(from int, f *field) {
	shared := r.keyWords[f.first-1].Hash
	for k := from; k < len(r.fields); k++ {
		other := &r.fields[k]
		if other.parent == f.parent && other.source == f.source && other.last-other.first >= 2 && r.keyWords[other.first].Hash == shared {
			other.first++
		}
	}
}
