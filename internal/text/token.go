package text

import (
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

// AppendTokens appends the tokens of s in order. Hyphens, underscores and dots separate words: "well-known" equals "well
// known". Initials with dots ("U.S.") are one word, equal to the letters without dots. Tokens in a citation marker ([1],
// [2, 3], 【1†a】) have the flag Marker.
func AppendTokens(dst []Token, s string) []Token {
	var t Tokenizer
	return t.Append(dst, s)
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
	if e := lexicon[h]; e != nil {
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
