package markup

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"confab/internal/text/jsonscan"
)

// Unescape writes out the escapes of white space and of characters in JSON, where letters of an escape would be read as a
// part of a word. Text that does not begin as JSON, in a fence or not, is returned as it is. Offsets stay: what gets shorter is
// filled up with characters that are invisible in a word.
func Unescape(s string) string {
	if strings.IndexByte(s, '\\') < 0 || !jsonscan.Begins(strings.TrimPrefix(strings.TrimPrefix(strings.TrimLeft(s, " \t\r\n"), "```"), "json")) {
		return s
	}
	var b blanker
	for at := 0; ; {
		n := strings.IndexByte(s[at:], '\\')
		if n < 0 || at+n+1 == len(s) {
			return b.text(s)
		}
		at += n
		switch s[at+1] {
		case 'n':
			b.blank(s, at, at+2)
			b.set(at+1, '\n')
		case 'r', 't':
			b.blank(s, at, at+2)
		case 'u':
			at = b.unescapeRun(s, at)
			continue
		}
		at += 2
	}
}

const escapeSize = len(`\u00e9`)

// unescapeRun writes out the numbered escapes at s[from], as many as follow each other, and returns their end.
func (b *blanker) unescapeRun(s string, from int) int {
	var buf [64]byte
	chars, at := buf[:0], from
	for at+escapeSize <= len(s) && len(chars)+utf8.UTFMax <= len(buf) && strings.HasPrefix(s[at:], `\u`) {
		r, ok := escaped(s[at:])
		if !ok {
			break
		}
		at += escapeSize
		if second, paired := escaped(s[at:]); utf16.IsSurrogate(r) && paired {
			r = utf16.DecodeRune(r, second)
			at += escapeSize
		}
		chars = utf8.AppendRune(chars, r)
	}
	if at == from {
		return from + 2
	}
	b.blank(s, from, at)
	end := at - len(chars)
	copy(b.copied[end:], chars)
	if (end-from)%2 == 1 {
		end -= copy(b.copied[end-len("\u200b"):], "\u200b")
	}
	for ; end > from; end -= len("\u00ad") {
		copy(b.copied[end-len("\u00ad"):], "\u00ad")
	}
	return at
}

// escaped is the number of the escape at the start of s.
func escaped(s string) (r rune, ok bool) {
	if len(s) < escapeSize || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[2:escapeSize], 16, 16)
	return rune(n), err == nil && n >= ' '
}
