package technical

import (
	"strings"

	"confab/internal/names"
)

const noEcosystem names.Ecosystem = ""

// urls finds web addresses with a scheme or with www. instead.
func (s *Scanner) urls() {
	a := s.answer
	for at := 0; s.mayContinue(1); {
		n := strings.Index(a[at:], "://")
		if n < 0 {
			break
		}
		at += n + len("://")
		start := schemeStart(a, at-len("://"))
		if start < 0 {
			continue
		}
		end := s.urlEnd(at)
		s.url(start, at, end)
		at = max(at, end)
	}
	for at := 0; s.mayContinue(1); {
		n := strings.Index(a[at:], "www.")
		if n < 0 {
			return
		}
		start := at + n
		at = start + len("www.")
		if start > 0 && (nameByte(a[start-1]) || strings.IndexByte("./@", a[start-1]) >= 0) || s.isMentioned(start) {
			continue
		}
		end := s.urlEnd(at)
		if strings.IndexByte(a[at:end], '.') > 0 {
			s.url(start, start, end)
		}
		at = max(at, end)
	}
}

// schemeStart returns the start of the web scheme that ends at the offset, -1 for another scheme.
func schemeStart(a string, end int) int {
	for _, scheme := range [...]string{"https", "http", "ftp"} {
		start := end - len(scheme)
		if start >= 0 && strings.EqualFold(a[start:end], scheme) && (start == 0 || !identifierByte(a[start-1])) {
			return start
		}
	}
	return -1
}

// urlEnd returns the end of the address whose authority begins at the offset, without punctuation of the sentence or of
// Markdown and without an unopened closing parenthesis.
func (s *Scanner) urlEnd(authority int) int {
	a, end := s.answer, authority
	if strings.HasPrefix(a[end:], "[") { // an IPv6 address
		end++
		for end < len(a) && urlByte(a[end]) {
			end++
		}
		if end < len(a) && a[end] == ']' {
			end++
		}
	}
	for end < len(a) && urlByte(a[end]) && !isWidePunctuation(a[end:]) {
		end++
	}
	s.work.Spend((end - authority) / addressBytes)
	return trimPunctuation(a, authority, end)
}

// trimPunctuation returns the end of the address without trailing punctuation.
func trimPunctuation(a string, authority, end int) int {
	closed := strings.Count(a[authority:end], ")") - strings.Count(a[authority:end], "(")
	for ; end > authority; end-- {
		switch c := a[end-1]; {
		case strings.IndexByte(".,;:!?'*_", c) >= 0:
		case c == ')' && closed > 0:
			closed--
		default:
			return end
		}
	}
	return end
}

func urlByte(c byte) bool {
	return c > ' ' && c != 0x7f && strings.IndexByte("<>\"`{}|\\^[]", c) < 0
}

// isWidePunctuation reports whether the text begins with a full-width form, an ideographic mark or a typographic quote, which
// end an address.
func isWidePunctuation(s string) bool {
	if s[0] < 0xE2 || len(s) < 3 {
		return false
	}
	switch s[0] {
	case 0xE2:
		return s[1] == 0x80 // dashes, quotes, dots
	case 0xE3:
		return s[1] == 0x80 // ideographic punctuation
	case 0xEF:
		return s[1] == 0xBC || s[1] == 0xBD // full-width forms
	}
	return false
}

// url records an address, or the identifier that it resolves.
func (s *Scanner) url(start, authority, end int) {
	rest := s.answer[authority:end]
	host, path, _ := strings.Cut(rest, "/")
	host = strings.TrimPrefix(strings.ToLower(host), "www.")
	at := end - len(path)
	switch {
	case path != "" && (host == "doi.org" || host == "dx.doi.org"):
		s.addMention(DOI, at, end, noEcosystem)
	case host == "arxiv.org" && isArXivPath(path):
		at += strings.IndexByte(path, '/') + 1
		s.addMention(ArXiv, at, s.arXivEnd(at, end), noEcosystem)
	case end < len(s.answer) && s.answer[end] == '{' || strings.IndexByte(rest, '$') >= 0:
		// a template: the final address is unknown
	case rest != "":
		s.addMention(URL, start, end, noEcosystem)
	}
}

func isArXivPath(path string) bool {
	kind, id, found := strings.Cut(path, "/")
	return found && id != "" && (kind == "abs" || kind == "pdf" || kind == "html")
}

// mails finds mail addresses.
func (s *Scanner) mails() {
	a := s.answer
	for at := 0; s.mayContinue(mentionCost); {
		n := strings.IndexByte(a[at:], '@')
		if n < 0 {
			return
		}
		sign := at + n
		at = sign + 1
		start := sign
		for start > 0 && mailByte(a[start-1]) {
			start--
		}
		end := at
		for end < len(a) && (HostByte(a[end]) || a[end] == '.') {
			end++
		}
		for end > at && strings.IndexByte(".-", a[end-1]) >= 0 {
			end--
		}
		if s.isMail(start, sign, end) {
			s.addMention(Mail, start, end, noEcosystem)
		}
		at = max(at, end)
	}
}

// isMail distinguishes mail addresses from package@1.2, git@host:path and @user@host.
func (s *Scanner) isMail(start, sign, end int) bool {
	host := s.answer[sign+1 : end]
	dot := strings.LastIndexByte(host, '.')
	if start == sign || dot < 1 || len(host)-dot < 3 || s.isMentioned(sign) || strings.ContainsAny(host[dot:], "0123456789") {
		return false
	}
	if start > 0 && strings.IndexByte("@/:", s.answer[start-1]) >= 0 && !strings.HasSuffix(s.answer[:start], "mailto:") {
		return false
	}
	return !continuesName(s.answer[end:])
}

// continuesName reports whether the text after a host makes it part of something else.
func continuesName(behind string) bool {
	switch {
	case behind == "":
		return false
	case behind[0] == ':':
		return len(behind) > 1 && nameByte(behind[1])
	default:
		return behind[0] == '/' || behind[0] == '@'
	}
}

func mailByte(c byte) bool { return HostByte(c) || strings.IndexByte("._+%", c) >= 0 }

// HostByte reports whether a host name may contain the byte.
func HostByte(c byte) bool {
	return 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c == '-' || c >= 0x80
}
