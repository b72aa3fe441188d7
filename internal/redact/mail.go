package redact

import (
	"strings"
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
			sc.mail.addrEnd = max(domainEnd(sc.text, end+1), literalEnd(sc.text, end+1))
			end = mailboxEnd(sc.text, end+1) // a domain has the characters of a mailbox
		} else if at := strings.Index(sc.text[p:end], escapedAt); at > 0 {
			sc.mail.addrEnd = domainEnd(sc.text, p+at+len(escapedAt))
		}
		sc.ahead.readAhead(p, end)
	}
	if sc.mail.addrEnd == 0 {
		return false
	}
	return sc.found(p, sc.mail.addrEnd, mailLabel)
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

const (
	escapedAt  = "%40"
	mailLabel  = "[email]"
	maxMailbox = 64
)

// literalEnd returns the end of the address in brackets at i, as in a@[192.0.2.7]; 0 for none.
func literalEnd(s string, i int) int {
	if i >= len(s) || s[i] != '[' {
		return 0
	}
	digit := false
	for end := i + 1; end < len(s) && end < i+maxAddress; end++ {
		switch b := s[end]; {
		case b == ']' && digit:
			return end + 1
		case isDigit(b):
			digit = true
		case b != '.' && b != ':' && !isHexDigit(b):
			return 0
		}
	}
	return 0
}

// quotedMailbox matches "any words"@domain, whose @ is at p.
func (sc *scanner) quotedMailbox(from, p int) bool {
	if sc.before(p, 1) != '"' || p-1 < from {
		return false
	}
	for start := p - 2; start >= max(from, p-maxMailbox); start-- {
		switch sc.text[start] {
		case '"':
			return sc.found(start, max(domainEnd(sc.text, p+1), start), mailLabel)
		case '\n', ']', '@':
			return false
		}
	}
	return false
}

// spelledEmail matches mailbox (at) domain (dot) com, whose first bracket is at p.
func (sc *scanner) spelledEmail(from, p int) bool {
	at := sc.bracketed(p, "at")
	if at == 0 {
		return false
	}
	end := p
	if end > from && sc.text[end-1] == ' ' {
		end--
	}
	start := end
	for start > max(from, end-maxMailbox) && byteSets[sc.text[start-1]]&mailboxSet != 0 {
		start--
	}
	if start == end {
		return false
	}
	domain, labels := at, 0
	for {
		i := sc.skipAny(domain, " ")
		size := 0
		for isWordByte(sc.byteAt(i)) || sc.byteAt(i) == '-' {
			i++
			size++
		}
		if size < 2 && labels == 0 || size == 0 {
			return false
		}
		labels++
		next := sc.skipAny(i, " ")
		switch {
		case sc.bracketed(next, "dot") > 0:
			domain = sc.bracketed(next, "dot")
		case sc.bracketed(next, "punkt") > 0:
			domain = sc.bracketed(next, "punkt")
		case sc.byteAt(i) == '.' && isWordByte(sc.byteAt(i+1)):
			domain = i + 1
		default:
			return labels > 1 && sc.found(start, i, mailLabel)
		}
	}
}

// bracketed is the end of the word in brackets at i; 0 for another text.
func (sc *scanner) bracketed(i int, word string) int {
	b := sc.byteAt(i)
	if b != '(' && b != '[' && b != '{' {
		return 0
	}
	start := sc.skipAny(i+1, " ")
	if end := start + len(word); end <= len(sc.text) && strings.EqualFold(sc.text[start:end], word) {
		if end = sc.skipAny(end, " "); strings.IndexByte(")]}", sc.byteAt(end)) >= 0 {
			return end + 1
		}
	}
	return 0
}
