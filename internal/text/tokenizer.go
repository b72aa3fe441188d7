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

const keptBits = 12

// Keep makes t keep stems: about 100 kB.
func (t *Tokenizer) Keep() {
	if t.kept == nil {
		t.kept = new([1 << keptBits]keptWord)
	}
}

// Append appends the tokens of s in order, as [AppendTokens] describes.
func (t *Tokenizer) Append(dst []Token, s string) []Token {
	marked := 0 // the end of the marker
	for i := 0; i < len(s); {
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
	if dst, end := t.appendShort(dst, s, i); end > i {
		return dst, end
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
	if t.kept != nil {
		return t.appendWord(dst, s, i, j, h), j
	}
	flags, stem := readWord(s, i, j, h)
	return append(dst, Token{Hash: h, Stem: stem, Flags: flags, Start: int32(i), End: int32(j)}), j
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

// wordBytes returns the high bit of each byte of v that is an ASCII letter, and of each that is a digit.
func wordBytes(v uint64) (letters, digits uint64) {
	ascii := ^v & highBits
	folded, plain := (v|foldMask)&^highBits, v&^highBits
	letters = (folded + (0x80-'a')*eachByte) &^ (folded + (0x7f-'z')*eachByte) & ascii
	digits = (plain + (0x80-'0')*eachByte) &^ (plain + (0x7f-'9')*eachByte) & ascii
	return letters, digits
}

// appendShort appends the word at s[i] if it has at most 15 letters and digits, one of them a letter. It reads such a word
// at once. For all others end is i.
func (t *Tokenizer) appendShort(dst []Token, s string, i int) (tokens []Token, end int) {
	if t.kept == nil || i+16 > len(s) {
		return dst, i
	}
	v := load8(s, i)
	letters, digits := wordBytes(v)
	n := bits.TrailingZeros64((letters|digits)^highBits) &^ 7
	if n == 64 {
		return t.appendLonger(dst, s, i, letters, v)
	}
	inside, next := uint64(1)<<n-1, uint8(v>>(n&63))
	if letters&inside == 0 || !ends[next] || n == 8 && next == '.' {
		return dst, i
	}
	h := mixHash(hashSeed^uint64(n/8), v&inside|foldMask)
	return t.appendWord(dst, s, i, i+n/8, h^h>>29), i + n/8
}

// appendLonger is appendShort for a word whose first eight bytes are first, with the letters among them.
func (t *Tokenizer) appendLonger(dst []Token, s string, i int, letters, first uint64) (tokens []Token, end int) {
	v := load8(s, i+8)
	more, digits := wordBytes(v)
	n := bits.TrailingZeros64((more|digits)^highBits) &^ 7
	inside, next := uint64(1)<<n-1, uint8(v>>(n&63))
	if n == 64 || letters|more&inside == 0 || !ends[next] {
		return dst, i
	}
	h := mixHash(hashSeed^uint64(8+n/8), first|foldMask)
	if n > 0 {
		h = mixHash(h, v&inside|foldMask)
	}
	return t.appendWord(dst, s, i, i+8+n/8, h^h>>29), i + 8 + n/8
}

// appendWord appends the token of the ASCII word s[i:j] with the hash h. It writes in place because it is the hottest function.
func (t *Tokenizer) appendWord(dst []Token, s string, i, j int, h uint64) []Token {
	w := &t.kept[h>>(64-keptBits)]
	if w.hash != h {
		w.hash = h
		w.flags, w.stem = readWord(s, i, j, h)
	}
	return append(dst, Token{Hash: h, Stem: w.stem, Flags: w.flags, Start: int32(i), End: int32(j)})
}

// readWord is the flags and the stem of the ASCII word s[i:j] with the hash h.
func readWord(s string, i, j int, h uint64) (Flags, uint64) {
	if e := lexicon.find(h); e != nil {
		return e.flags, e.stem
	}
	n := j - i
	if n <= 3 || n > maxStemmed || !mayBeInflected(s[j-2]|0x20, s[j-1]|0x20) {
		return 0, h
	}
	var buf [maxStemmed]byte
	for k := range n {
		buf[k] = s[i+k] | 0x20
	}
	return 0, hashBytes(stemWord(buf[:n]))
}
