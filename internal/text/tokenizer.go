package text

import (
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

// read makes w the ASCII word s[i:j] with the hash h.
func (w *keptWord) read(s string, i, j int, h uint64) {
	*w = keptWord{hash: h, stem: h}
	if byteClasses[s[i]] == digit {
		w.flags = Digits
	}
	if e := lexicon[h]; e != nil {
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
