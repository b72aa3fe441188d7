package text

import (
	"unicode"
	"unicode/utf8"
)

// Script is the writing system that most letters of a text belong to.
type Script uint8

// The scripts. Words of different scripts are never equal.
const (
	NoScript    Script = iota // no letters
	Latin                     //
	Greek                     //
	Cyrillic                  //
	Arabic                    //
	Hebrew                    //
	Hangul                    //
	Ideographic               // Chinese and Japanese: no word boundaries, split into character pairs
	Thai                      // no word boundaries, split into character pairs
	Southeast                 // Lao, Khmer, Burmese, Tibetan: as Thai
	Devanagari                // Hindi, Marathi, Nepali
	OtherScript               // any other; words are separated by spaces
	scripts
)

// scriptSample is how many bytes of a text are read to find its script.
const scriptSample = 512

// ScriptOf is the script of most letters at the start of s.
func ScriptOf(s string) Script {
	s, _ = Cut(s, scriptSample)
	var counts [scripts]int
	latin := 0
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			latin += int(byteClasses[c] & letter)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if unicode.IsLetter(r) {
			counts[scriptOf(r)]++
		}
		i += size
	}
	counts[Latin] += latin
	counts[Ideographic] *= 3 // one character corresponds to several letters
	best := NoScript
	for k := range counts {
		if counts[k] > counts[best] {
			best = Script(k)
		}
	}
	return best
}

func scriptOf(r rune) Script {
	switch {
	case r < 0x250, r >= 0x1E00 && r < 0x1F00, r >= 0xFF21 && r <= 0xFF5A:
		return Latin
	case r >= 0x370 && r < 0x400, r >= 0x1F00 && r < 0x2000:
		return Greek
	case r >= 0x400 && r < 0x530:
		return Cyrillic
	case r >= 0x590 && r < 0x600:
		return Hebrew
	case r >= 0x600 && r < 0x780, r >= 0xFB50 && r < 0xFE00, r >= 0xFE70 && r < 0xFF00:
		return Arabic
	case r >= 0xAC00 && r < 0xD7B0, r >= 0x1100 && r < 0x1200, r >= 0x3130 && r < 0x3190:
		return Hangul
	case isIdeographic(r):
		return Ideographic
	case r >= 0xE00 && r < 0xE80:
		return Thai
	case isSoutheast(r):
		return Southeast
	case r >= 0x900 && r < 0x980:
		return Devanagari
	default:
		return OtherScript
	}
}

// joinsWords reports letters and marks of scripts without spaces between words.
func joinsWords(r rune) bool {
	return r >= 0xE00 && (isIdeographic(r) || isSoutheast(r) || isSyllable(r)) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// isSyllable reports Korean syllables. They are split into pairs because particles are attached to words.
func isSyllable(r rune) bool { return r >= 0xAC00 && r < 0xD7A4 }

func isIdeographic(r rune) bool {
	return r >= 0x3005 && r <= 0x3007 || r >= 0x3041 && r < 0x3130 || r >= 0x3400 && r < 0x4DC0 || r >= 0x4E00 && r < 0xA000 ||
		r >= 0xF900 && r < 0xFB00 || r >= 0xFF66 && r < 0xFFA0 || r >= 0x20000 && r < 0x32400
}

func isSoutheast(r rune) bool {
	return r >= 0xE00 && r < 0x1000 || r >= 0x1000 && r < 0x10A0 || r >= 0x1780 && r < 0x1800
}
