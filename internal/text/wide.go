package text

import (
	"slices"
	"unicode"
	"unicode/utf8"
)

// appendWide reads a token with non-ASCII characters at s[i]: a word, a number or a run of character pairs. It skips any
// other character. It returns the next position.
func appendWide(dst []Token, s string, i int) ([]Token, int) {
	r, size := utf8.DecodeRuneInString(s[i:])
	if joinsWords(r) {
		return appendGrams(dst, s, i)
	}
	if isApostrophe(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) {
		return dst, i + size
	}
	j, digits := i, true
	for j < len(s) {
		r, size := utf8.DecodeRuneInString(s[j:])
		if joinsWords(r) {
			break
		}
		inside := isApostrophe(r) || r == '\''
		switch {
		case unicode.IsLetter(r) && !inside:
			digits = false
		case unicode.IsDigit(r):
		case j > i && (unicode.IsMark(r) || isInvisible(r)):
		case j > i && inside && !digits && startsLetter(s[j+size:]):
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		j += size
	}
	return append(dst, wideToken(s, i, j, digits)), j
}

func wideToken(s string, i, j int, digits bool) Token {
	var buf [maxFolded]byte
	t := Token{Start: int32(i), End: int32(j)}
	folded, read := foldWide(buf[:0], s[i:j])
	t.Hash = hashBytes(folded)
	if read < j-i {
		t.Hash = mixHash(t.Hash, hashASCII(s, i+read, j))
	}
	t.Stem = t.Hash
	switch {
	case digits:
		t.Kind = Number
	case read < j-i:
	default:
		if e := lexicon[t.Hash]; e != nil {
			t.Flags, t.Stem = e.flags, e.stem
		} else if len(folded) > 3 && len(folded) <= maxStemmed && !slices.ContainsFunc(folded, func(c byte) bool { return c >= utf8.RuneSelf }) {
			t.Stem = hashBytes(cutEnglish(folded))
		}
	}
	if t.Kind == Word && byteClasses[s[i]] == digit {
		t.Flags |= Digits
	}
	return t
}

// appendGrams appends overlapping pairs of the run of characters at s[i], which have no word boundaries. A single character
// is one gram.
func appendGrams(dst []Token, s string, i int) ([]Token, int) {
	first, size := utf8.DecodeRuneInString(s[i:])
	end, before, alone := i+size, i, true
	previous := first
	for end < len(s) {
		r, size := utf8.DecodeRuneInString(s[end:])
		if !joinsWords(r) {
			break
		}
		dst = append(dst, gramToken(previous, r, before, end+size))
		before, previous, alone = end, r, false
		end += size
	}
	if alone {
		dst = append(dst, gramToken(first, 0, i, end))
	}
	return dst, end
}

func gramToken(a, b rune, start, end int) Token {
	h := mixHash(hashSeed, uint64(foldRune(a))<<32|uint64(foldRune(b)))
	t := Token{Hash: h, Stem: h, Start: int32(start), End: int32(end), Kind: Gram}
	if isParticle(a) || isParticle(b) || isHiragana(a) && isHiragana(b) {
		t.Flags = Stop
	}
	return t
}

// isParticle reports the most common Chinese function words. Pairs with one of them are stop words.
func isParticle(r rune) bool {
	switch r {
	case '的', '了', '着', '是', '在', '和', '与', '及', '也', '都', '就', '被', '把', '将', '之', '并':
		return true
	default:
		return false
	}
}

// isHiragana reports the Japanese syllables used for inflections and particles.
func isHiragana(r rune) bool { return r >= 0x3041 && r < 0x30A0 }

// PaddingAt is the length of the first character of s, and whether it is padding: white space, control, format and
// zero-width characters, fillers, and combining marks.
func PaddingAt(s string) (size int, pad bool) {
	if c := s[0]; c < utf8.RuneSelf {
		return 1, c <= ' ' || c == 0x7f
	}
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case r == '\u115f' || r == '\u1160' || r == '\u2800' || r == '\u3164' || r == '\uffa0':
		return size, true
	case unicode.IsLetter(r):
		return size, false
	default:
		return size, unicode.In(r, unicode.White_Space, unicode.Cf, unicode.Cc, unicode.M)
	}
}
