package text

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a token.
type Kind uint8

// The kinds of a token.
const (
	Word   Kind = iota // letters, possibly with digits: "10am", "B12", "don't"
	Number             // digits, with thousands separators or a decimal point
	Gram               // two neighboring characters of a script without word boundaries
)

// Token is one word, number or character pair of a text.
type Token struct {
	Hash       uint64 // of the case-folded word without accents; of a number without separators and redundant zeros
	Stem       uint64 // hash of the stem; equal to Hash for numbers, stop words and grams
	Start, End int32  // bytes of the text
	Kind       Kind
	Flags      Flags
}

// Has reports whether the token has any of the flags.
func (t *Token) Has(f Flags) bool { return t.Flags&f != 0 }

// Stop reports whether the token is a stop word.
func (t *Token) Stop() bool { return t.Flags&Stop != 0 }

// In is the token's text.
func (t *Token) In(s string) string { return s[t.Start:t.End] }

// Classes of ASCII bytes.
const (
	letter = 1 << iota
	digit
	wide // the first byte of a character beyond ASCII
)

var byteClasses = classTable() //nolint:gochecknoglobals // a read-only table

func classTable() (t [256]uint8) {
	for c := range 256 {
		switch {
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
			t[c] = letter
		case '0' <= c && c <= '9':
			t[c] = digit
		case c >= utf8.RuneSelf:
			t[c] = wide
		}
	}
	return t
}

// ends reports for each byte whether a word with a letter ends before it. A dot may belong to initials.
var ends = endTable() //nolint:gochecknoglobals // a read-only table

func endTable() (t [256]bool) {
	for c := range 256 {
		t[c] = byteClasses[c] == 0 && c != '\''
	}
	return t
}

// AppendTokens appends the tokens of s in order. Hyphens, underscores and dots separate words: "well-known" equals "well
// known". Initials with dots ("U.S.") are one word, equal to the letters without dots. Tokens in a citation marker ([1],
// [2, 3], 【1†a】) have the flag Marker.
func AppendTokens(dst []Token, s string) []Token {
	var t Tokenizer
	return t.Append(dst, s)
}

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

// asciiRun returns the end of the ASCII letters and digits from s[i] on, and their classes. It reads eight bytes at a time.
func asciiRun(s string, i int) (end int, seen uint8) {
	for ; i+8 <= len(s); i += 8 {
		letters, digits := wordBytes(load8(s, i))
		n := bits.TrailingZeros64((letters|digits)^highBits) &^ 7
		if inside := uint64(1)<<n - 1; letters&inside != 0 {
			seen |= letter
		}
		if inside := uint64(1)<<n - 1; digits&inside != 0 {
			seen |= digit
		}
		if n < 64 {
			return i + n/8, seen
		}
	}
	for i < len(s) && byteClasses[s[i]]&(letter|digit) != 0 {
		seen |= byteClasses[s[i]]
		i++
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

// appendShort appends the word at s[i] if it has at most seven letters and digits, one of them a letter. It reads such a word
// at once. For all others end is i.
func (t *Tokenizer) appendShort(dst []Token, s string, i int) (tokens []Token, end int) {
	if t.kept == nil || i+8 > len(s) {
		return dst, i
	}
	v := load8(s, i)
	letters, digits := wordBytes(v)
	n := bits.TrailingZeros64((letters|digits)^highBits) &^ 7
	inside, next := uint64(1)<<n-1, uint8(v>>(n&63))
	if n == 64 || letters&inside == 0 || !ends[next] || n == 8 && next == '.' {
		return dst, i
	}
	h := mixHash(hashSeed^uint64(n/8), v&inside|foldMask)
	return t.appendWord(dst, s, i, i+n/8, h^h>>29), i + n/8
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

// maxStemmed is the longest word, in bytes, that is stemmed.
const maxStemmed = 32

// numberToken returns the token of digits with separators: "1,050.00" equals 1050.
func numberToken(s string, i, j int) Token {
	var buf [maxStemmed]byte
	t := Token{Start: int32(i), End: int32(j), Kind: Number}
	digits := buf[:0]
	point := -1
	for k := i; k < j && len(digits) < maxStemmed; k++ {
		switch c := s[k]; {
		case c == ',':
		case c == '.' && point < 0:
			point = len(digits)
			digits = append(digits, c)
		case c == '0' && len(digits) == 0 && k+1 < j && byteClasses[s[k+1]]&digit != 0:
		default:
			digits = append(digits, c)
		}
	}
	if len(digits) == maxStemmed {
		t.Hash = hashASCII(s, i, j)
	} else {
		t.Hash = hashBytes(trimFraction(digits, point))
	}
	t.Stem = t.Hash
	return t
}

// trimFraction drops trailing zeros of a fraction, and the point if no digit is left after it.
func trimFraction(digits []byte, point int) []byte {
	if point < 0 {
		return digits
	}
	for len(digits) > point+1 && digits[len(digits)-1] == '0' {
		digits = digits[:len(digits)-1]
	}
	if len(digits) == point+1 {
		return digits[:point]
	}
	return digits
}

// maxInitials is the maximum of initials in a row, so that a long host of single letters costs linear time.
const maxInitials = 16

// initialsEnd returns the end of two to maxInitials single letters with dots ("U.S.", "e.g."), 0 if there are none.
func initialsEnd(s string, i int) int {
	n, j := 0, i
	for j+1 < len(s) && byteClasses[s[j]]&letter != 0 && s[j+1] == '.' {
		n++
		j += 2
		if n > maxInitials {
			return 0
		}
	}
	if j < len(s) && byteClasses[s[j]] != 0 && n >= 1 && byteClasses[s[j]]&letter != 0 {
		if j+1 >= len(s) || byteClasses[s[j+1]] == 0 { // "U.S" without its last dot
			return j + 1
		}
		return 0 // "a.m.example": a host, not initials
	}
	if n < 2 {
		return 0
	}
	return j
}

func initialsToken(s string, i, end int) Token {
	var buf [maxStemmed]byte
	letters := buf[:0]
	for k := i; k < end && len(letters) < maxStemmed; k += 2 {
		letters = append(letters, s[k]|0x20)
	}
	h := hashBytes(letters)
	t := Token{Hash: h, Stem: h, Start: int32(i), End: int32(end)}
	if e := lexicon.find(h); e != nil {
		t.Flags = e.flags
	}
	return t
}

// extendsWord reports whether the non-ASCII character at s[j] belongs to the word before it.
func extendsWord(s string, j int) bool {
	r, size := utf8.DecodeRuneInString(s[j:])
	if isApostrophe(r) {
		return startsLetter(s[j+size:])
	}
	return (unicode.IsLetter(r) && !joinsWords(r)) || unicode.IsMark(r) || isInvisible(r)
}

func isApostrophe(r rune) bool { return r == '\u2019' || r == '\u02BC' }

// isInvisible reports invisible characters that may be inside a word: soft hyphen, zero-width characters.
func isInvisible(r rune) bool {
	return r == 0xAD || r >= 0x200B && r <= 0x200D || r == 0x2060 || r == 0xFEFF
}

func startsLetter(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsLetter(r)
}
