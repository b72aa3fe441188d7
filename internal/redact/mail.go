package redact

import (
	"unicode"
	"unicode/utf8"
)

// firstUnspaced is the first code point of the scripts written without spaces, whose letters end a mail address.
const firstUnspaced = 0x2E80

// mailRun caches the last run of mailbox bytes, so that each is scanned once.
type mailRun struct {
	end     int // of the run
	addrEnd int // of the address that begins with it, 0 for none
}

// email matches mailbox@domain, where the domain has a dot and its last label begins with a letter. An @ follows p.
func (sc *scanner) email(p int) bool {
	if p >= sc.mail.end {
		end := mailboxEnd(sc.text, p)
		sc.mail = mailRun{end: end}
		if end < len(sc.text) && sc.text[end] == '@' {
			sc.mail.addrEnd = domainEnd(sc.text, end+1)
			end = mailboxEnd(sc.text, end+1) // a domain has the characters of a mailbox
		}
		sc.ahead.readAhead(p, end)
	}
	if sc.mail.addrEnd == 0 {
		return false
	}
	return sc.found(p, sc.mail.addrEnd, "[email]")
}

// wideEmail matches an address that begins with a letter beyond ASCII.
func (sc *scanner) wideEmail(p int) bool {
	if !sc.mayHoldMail(p) || p < sc.mail.end && sc.mail.addrEnd == 0 {
		return false
	}
	if r, _ := utf8.DecodeRuneInString(sc.text[p:]); r >= firstUnspaced || !unicode.IsLetter(r) {
		return false
	}
	return sc.email(p)
}

// mailboxEnd returns the end of the run of mailbox characters that begins at i.
func mailboxEnd(s string, i int) int {
	for i < len(s) {
		switch b := s[i]; {
		case byteSets[b]&mailboxSet != 0:
			i++
		case b < utf8.RuneSelf:
			return i
		default:
			r, size := utf8.DecodeRuneInString(s[i:])
			if r >= firstUnspaced || !unicode.IsLetter(r) {
				return i
			}
			i += size
		}
	}
	return i
}

// domainEnd returns the end of the longest domain name that begins at i, 0 for none.
func domainEnd(s string, i int) int {
	if i+2 < len(s) && isDigit(s[i]) && s[i+1] == 'x' && s[i+2] == '.' {
		return 0 // icon@2x.png
	}
	end, labels := 0, 0
	for {
		start, size := i, 0
		for i < len(s) && (isWordByte(s[i]) && s[i] != '_' || s[i] == '-' || s[i] >= utf8.RuneSelf) {
			r, n := utf8.DecodeRuneInString(s[i:])
			if n > 1 && (r >= firstUnspaced || !unicode.IsLetter(r)) || r == utf8.RuneError {
				break
			}
			i += n
			size++
		}
		if size == 0 {
			return end
		}
		labels++
		if labels > 1 && size > 1 && !isDigit(s[start]) && s[start] != '-' {
			end = i
		}
		if i >= len(s) || s[i] != '.' {
			return end
		}
		i++
	}
}
