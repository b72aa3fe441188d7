package redact

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Forms of mail addresses. Letters are those of scripts with spaces between words: other letters end an address.
//
//nolint:gochecknoglobals // read-only
var (
	mailLetters = `a-zA-Z\p{Latin}\p{Greek}\p{Cyrillic}\p{Armenian}\p{Hebrew}\p{Arabic}\p{Devanagari}\p{Thai}\p{Georgian}`
	domainForm  = regexp.MustCompile(`^(?:(?:[` + mailLetters + `\d-]+\.)+[` + mailLetters + `][` + mailLetters + `\d-]+|\[[0-9a-fA-F.:]{0,40}\d[0-9a-fA-F.:]{0,5}\])`)
	quotedForm  = regexp.MustCompile(`"[^"\n\]@]{0,64}"$`)
	icon        = regexp.MustCompile(`^\dx\.`) // icon@2x.png
	spelledForm = regexp.MustCompile(`(?i)^[(\[{] ?at ?[)\]}] ?[\w-]+(?:(?: ?[(\[{] ?(?:dot|punkt) ?[)\]}] ?|\.)[\w-]+)+`)
)

const (
	maxMailbox = 64
	maxDomain  = 255
	mailSigns  = ".+%'-"
)

// mail matches mailbox@domain, where the domain has a dot and its last label begins with a letter. The @ is from p to end.
func (sc *scanner) mail(p, end int) bool {
	tail := sc.text[end:min(len(sc.text), end+maxDomain)]
	if tail == "" || tail[0] <= ' ' || p == sc.tail || icon.MatchString(tail) {
		return false
	}
	domain := domainForm.FindString(tail)
	if domain == "" {
		return false
	}
	start := p
	for start > sc.tail {
		r, size := utf8.DecodeLastRuneInString(sc.text[sc.tail:start])
		if r >= firstUnspaced || r >= utf8.RuneSelf && !unicode.IsLetter(r) || r < utf8.RuneSelf && !isWordByte(byte(r)) && strings.IndexByte(mailSigns, byte(r)) < 0 {
			break
		}
		start -= size
	}
	mailbox := strings.TrimLeft(sc.text[start:p], mailSigns)
	if mailbox == "" {
		mailbox = quotedForm.FindString(sc.text[max(sc.tail, p-maxMailbox-2):p])
	}
	if mailbox == "" {
		return false
	}
	sc.tail = end + len(domain)
	return sc.add(p-len(mailbox), sc.tail, mailLabel)
}

// firstUnspaced is the first code point of the scripts written without spaces.
const firstUnspaced = 0x2E80

// spelledMail matches mailbox (at) domain (dot) com, whose first bracket is at p.
func (sc *scanner) spelledMail(p int) bool {
	end := p + len(spelledForm.FindString(sc.window(p)))
	mailbox := strings.TrimSuffix(sc.text[max(sc.tail, p-maxMailbox):p], " ")
	mailbox = mailbox[strings.LastIndexFunc(mailbox, func(r rune) bool {
		return r >= utf8.RuneSelf || !isWordByte(byte(r)) && !strings.ContainsRune(mailSigns, r)
	})+1:]
	if mailbox == "" || end == p {
		return false
	}
	sc.tail = end
	return sc.add(p-len(mailbox)-(p-len(strings.TrimSuffix(sc.text[:p], " "))), end, mailLabel)
}

// credentials matches user:password in ://user:password@host. The password may contain @, and / ? # where it cannot be a
// port: the match ends at the last @ that can precede the host.
func (sc *scanner) credentials(p int) bool {
	if !strings.HasPrefix(sc.text[p:], "://") {
		return false
	}
	start, colon, end := p+len("://"), -1, 0
	password, host := false, false // a byte after the colon that is not of a port, a sign of a host after the end
	for i := start; i < min(len(sc.text), start+maxCandidate); i++ {
		b := sc.text[i]
		scheme := b == ':' && strings.HasPrefix(sc.text[i:], "://")
		if b == ':' && colon < 0 && (i == start || !scheme) {
			colon = i
			continue
		}
		if byteSets[b]&passwordSet == 0 || colon < 0 && b == '@' || scheme { // the next address
			break
		}
		if b == '@' {
			end, host = i, false
		}
		if b == '/' || b == '?' || b == '#' {
			if end > 0 && (host || i == end+1) || end == 0 && !password {
				break
			}
		}
		password = password || colon >= 0 && !isDigit(b)
		host = host || b == '.' || b == ':'
	}
	if end > 0 {
		sc.tail = end
	}
	return sc.add(start, end, credentialsLabel)
}
