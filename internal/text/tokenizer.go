package text

import (
	"math/bits"
	"strings"
	"unicode/utf8"
)

// Tokenizer is AppendTokens for many texts: it keeps the stems of frequent words. The zero value does not keep any until
// Keep is called. It is not safe for concurrent use.
type Tokenizer struct{ kept *[1 << keptBits]keptWord }

// keptWord is what depends on the letters of a word only.
type keptWord struct {
	hash, stem uint64
	flags      Flags
}

const keptBits = 13

// Keep makes t keep stems: about 200 kB.
func (t *Tokenizer) Keep() {
	if t.kept == nil {
		t.kept = new([1 << keptBits]keptWord)
	}
}

// Append appends the tokens of s in order, as [AppendTokens] describes.
func (t *Tokenizer) Append(dst []Token, s string) []Token {
	marked := 0 // the end of the marker
	for i := 0; i < len(s); {
		if t.kept != nil && i >= marked {
			if dst, i = t.appendPlain(dst, s, i); i == len(s) {
				break
			}
		}
		c, n := byteClasses[s[i]], len(dst)
		switch {
		case c == 0:
			if s[i] == '[' && i >= marked {
				marked = i + numberedMarker(s[i:])
			}
			i++
			continue
		case c&wide != 0:
			if i >= marked && strings.HasPrefix(s[i:], "【") {
				marked = i + markerLen(s[i:])
			}
			dst, i = appendWide(dst, s, i)
		default:
			dst, i = t.appendASCII(dst, s, i)
		}
		for ; i <= marked && n < len(dst); n++ {
			dst[n].Flags |= Marker
		}
	}
	return dst
}

// appendASCII appends the word or number at s[i], which starts with an ASCII letter or digit, and returns its end.
func (t *Tokenizer) appendASCII(dst []Token, s string, i int) ([]Token, int) {
	if byteClasses[s[i]] == digit && i+8 <= len(s) {
		v := load8(s, i)
		if size := plainDigits(v); size > 0 {
			h, end := mixHash(hashSeed^uint64(size/8), v&(1<<(size&63)-1)|foldMask), i+size/8
			h ^= h >> 29
			return append(dst, Token{Hash: h, Stem: h, Kind: Number, Start: int32(i), End: int32(end)}), end
		}
	}
	j, seen := asciiRun(s, i)
	for j+1 < len(s) {
		c, next := s[j], byteClasses[s[j+1]]
		if c == '\'' && seen&letter != 0 && next&letter != 0 || (c == '.' || c == ',') && seen == digit && next&digit != 0 {
			var run uint8
			j, run = asciiRun(s, j+1)
			seen |= run
			continue
		}
		break
	}
	if j < len(s) && s[j] >= utf8.RuneSelf && extendsWord(s, j) {
		return appendWide(dst, s, i)
	}
	if seen == digit {
		return append(dst, numberToken(s, i, j)), j
	}
	if j == i+1 && j < len(s) && s[j] == '.' {
		if end := initialsEnd(s, i); end > 0 {
			return append(dst, initialsToken(s, i, end)), end
		}
	}
	h := hashASCII(s, i, j)
	w := &keptWord{}
	if t.kept != nil {
		w = &t.kept[h>>(64-keptBits)]
	}
	if w.hash != h {
		w.read(s, i, j, h)
	}
	return append(dst, Token{Hash: h, Stem: w.stem, Flags: w.flags, Start: int32(i), End: int32(j)}), j
}

// asciiRun returns the end of the ASCII letters and digits from s[i] on, and their classes.
func asciiRun(s string, i int) (end int, seen uint8) {
	for ; i < len(s) && byteClasses[s[i]]&(letter|digit) != 0; i++ {
		seen |= byteClasses[s[i]]
	}
	return i, seen
}

const (
	eachByte = 0x0101010101010101
	highBits = 0x80 * eachByte
)

// appendPlain appends the words of s from i on as long as they are letters only, at most 15, as nearly all are. It returns the
// position of anything else. It is the hottest loop: it reads a word at once and calls nothing if its stem is kept.
func (t *Tokenizer) appendPlain(dst []Token, s string, i int) (tokens []Token, next int) {
	kept, n, free := t.kept, len(dst), dst[:cap(dst)]
	for n < len(free) {
		for uint(i) < uint(len(s)) && wordEnds[s[i]] == gapByte {
			i++
		}
		var v uint64
		switch {
		case i+8 <= len(s):
			v = load8(s, i)
		case len(s) >= 8 && i < len(s):
			v = load8(s, len(s)-8) >> (8 * uint(i+8-len(s))) // zeros stand for the end of the text
		default:
			return dst[:n], i
		}
		size := leadingBits(otherThanLetters(v)) // of the word
		if size == 0 {
			break
		}
		h, end := uint64(hashSeed)^uint64(size/8), i+size/8
		if size == 64 {
			if i+16 > len(s) {
				break
			}
			first := v
			v = load8(s, i+8)
			if size = leadingBits(otherThanLetters(v)); size == 64 {
				break
			}
			h, end = mixHash(hashSeed^uint64(8+size/8), first|foldMask), end+size/8
		} else if size == 8 && uint8(v>>8) == '.' {
			break
		}
		after := uint8(v >> (size & 63))
		if size > 0 {
			h = mixHash(h, v&(1<<(size&63)-1)|foldMask)
		}
		h ^= h >> 29
		skip := wordEnds[after]
		if skip == 0 {
			break
		}
		w := &kept[h>>(64-keptBits)]
		if w.hash != h {
			w.read(s, i, end, h)
		}
		x := &free[n]
		x.Hash, x.Stem, x.Flags, x.Kind, x.Start, x.End = h, w.stem, w.flags, Word, int32(i), int32(end)
		n, i = n+1, end
		if skip == gapByte { // a branch, which the processor predicts: the next word is read without waiting for skip
			i++
		}
	}
	return dst[:n], i
}

// leadingBits is the number of bits before the first byte of the mask.
func leadingBits(mask uint64) int { return bits.TrailingZeros64(mask) &^ 7 }

// plainDigits is the size in bits of the number at the start of v if it has at most six digits, neither separators nor
// leading zeros, and ends there; else 0.
func plainDigits(v uint64) int {
	size := leadingBits(otherThanDigits(v))
	after, next := uint8(v>>(size&63)), uint8(v>>((size+8)&63))
	if size > 48 || size > 8 && uint8(v) == '0' || wordEnds[after] == 0 || (after == '.' || after == ',') && byteClasses[next]&digit != 0 {
		return 0
	}
	return size
}

// otherThanLetters returns the high bit of each byte of v that is not an ASCII letter.
func otherThanLetters(v uint64) uint64 {
	folded := (v | foldMask) &^ highBits
	return (v | (folded + (0x7f-'z')*eachByte) | ^(folded + (0x80-'a')*eachByte)) & highBits
}

// otherThanDigits returns the high bit of each byte of v that is not an ASCII digit.
func otherThanDigits(v uint64) uint64 {
	plain := v &^ highBits
	return (v | (plain + (0x7f-'9')*eachByte) | ^(plain + (0x80-'0')*eachByte)) & highBits
}

// read makes w the ASCII word s[i:j] with the hash h.
func (w *keptWord) read(s string, i, j int, h uint64) {
	*w = keptWord{hash: h, stem: h}
	if byteClasses[s[i]] == digit {
		w.flags = Digits
	}
	if e := lexicon.find(h); e != nil {
		w.flags, w.stem = w.flags|e.flags, e.stem
		return
	}
	n := j - i
	if n <= 3 || n > maxStemmed || !MayBeInflected(s[j-2]|0x20, s[j-1]|0x20) {
		return
	}
	var buf [maxStemmed]byte
	for k := range n {
		buf[k] = s[i+k] | 0x20
	}
	w.stem = hashBytes(cutEnglish(buf[:n]))
}
