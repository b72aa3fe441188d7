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
	keptBits   = 8
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
