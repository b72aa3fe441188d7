package text

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	hashSeed = 0x9E3779B97F4A7C15
	hashMul  = 0xD6E8FEB86659FD93
	foldMask = 0x2020202020202020 // lower-cases ASCII letters; digits and apostrophes have the bit already
)

// Hash is the hash of a word as in Token.Hash: case-folded, without accents. It is stable across processes and versions, so
// it may be stored.
func Hash(word string) uint64 {
	if h, seen := hashLetters(word); seen&0x8080808080808080 == 0 {
		return h
	}
	return hashWide(word)
}

// hashASCII hashes the word s[i:j] of ASCII letters, digits and apostrophes.
func hashASCII(s string, i, j int) uint64 {
	h, _ := hashLetters(s[i:j])
	return h
}

// hashLetters hashes an ASCII word, eight bytes at a time, and returns all bits that any of its bytes has.
func hashLetters(word string) (h, seen uint64) {
	h = uint64(hashSeed) ^ uint64(len(word))
	for ; len(word) >= 8; word = word[8:] {
		v := load8(word, 0)
		h, seen = mixHash(h, v|foldMask), seen|v
	}
	if word != "" {
		v := uint64(0)
		for k := range len(word) {
			v |= uint64(word[k]) << (8 * k)
		}
		h, seen = mixHash(h, v|foldMask), seen|v
	}
	return h ^ h>>29, seen
}

func load8(s string, i int) uint64 {
	b := s[i : i+8]
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

func mixHash(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^v, hashMul)
	return hi ^ lo
}

// hashBytes hashes a folded word. It agrees with hashASCII on ASCII words.
func hashBytes(b []byte) uint64 {
	h := uint64(hashSeed) ^ uint64(len(b))
	for ; len(b) >= 8; b = b[8:] {
		h = mixHash(h, binary.LittleEndian.Uint64(b))
	}
	if n := len(b); n > 0 {
		v := uint64(foldMask) << (8 * n)
		for k, c := range b {
			v |= uint64(c) << (8 * k)
		}
		h = mixHash(h, v)
	}
	return h ^ h>>29
}

// maxFolded is the largest part of a word that is folded; the rest is hashed unchanged.
const maxFolded = 96

// hashWide hashes a word with non-ASCII characters.
func hashWide(word string) uint64 {
	var buf [maxFolded]byte
	folded, read := foldWide(buf[:0], word)
	h := hashBytes(folded)
	if read < len(word) {
		h = mixHash(h, hashASCII(word, read, len(word)))
	}
	return h
}

// foldWide appends word in lower case, without accents and marks, with accented Latin letters and full-width forms as
// ASCII. It stops at the capacity of dst and returns the number of bytes read.
func foldWide(dst []byte, word string) (folded []byte, read int) {
	for i := 0; i < len(word); {
		r, size := utf8.DecodeRuneInString(word[i:])
		r = foldRune(r)
		if len(dst)+utf8.RuneLen(max(r, 0)) > cap(dst) {
			return dst, i
		}
		if r >= 0 {
			dst = utf8.AppendRune(dst, r)
		}
		i += size
	}
	return dst, len(word)
}

// latinBase has the base letters of U+00C0 to U+017F; a space keeps the letter.
const latinBase = "aaaaaa ceeeeiiii" + " nooooo ouuuuy  " + "aaaaaa ceeeeiiii" + " nooooo ouuuuy y" +
	"aaaaaaccccccccdd" + "ddeeeeeeeeeegggg" + "gggghhhhiiiiiiii" + "ii  jjkk lllllll" + "lllnnnnnnn  oooo" + "oo  rrrrrrssssss" + "ssttttttuuuuuuuu" + "uuuuwwyyyzzzzzzs"

// foldRune maps a character to its folded form; -1 removes it.
func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	case r >= 0xC0 && r < 0x180:
		if base := latinBase[r-0xC0]; base != ' ' {
			return rune(base)
		}
		return unicode.ToLower(r)
	case r == '\u2019' || r == '\u02BC':
		return '\''
	case r >= 0x300 && r < 0x370, r >= 0x591 && r < 0x5C8, r >= 0x64B && r < 0x660, r == 0x670,
		r == 0xAD, r == 0x200B, r == 0x200C, r == 0x200D, r == 0x2060, r == 0xFEFF:
		return -1 // combining accents, optional vowel points and invisible characters
	case r >= 0xFF01 && r <= 0xFF5E:
		return foldRune(r - 0xFEE0)
	default:
		return unicode.ToLower(r)
	}
}

// WordSet is a set of words by their hashes. filter has a bit for each, to reject most others fast.
type WordSet struct {
	words  map[uint64]struct{}
	filter *[64]uint64
}

// Has reports whether the set has the word of that hash.
func (s WordSet) Has(hash uint64) bool {
	if s.filter[hash>>6&63]>>(hash&63)&1 == 0 {
		return false
	}
	_, ok := s.words[hash]
	return ok
}

// HashSet is the set of the words in the list.
func HashSet(words string) WordSet {
	set := WordSet{map[uint64]struct{}{}, new([64]uint64)}
	for w := range strings.FieldsSeq(words) {
		h := Hash(w)
		set.words[h] = struct{}{}
		set.filter[h>>6&63] |= 1 << (h & 63)
	}
	return set
}
