package technical

import (
	"strings"
)

// dois finds DOIs outside URLs: with their label, or beginning with 10. and four digits.
func (s *Scanner) dois() {
	a := s.answer
	s.labelledDOIs("doi:")
	s.labelledDOIs("DOI:")
	for at := 0; s.mayContinue(1); {
		n := strings.Index(a[at:], "10.")
		if n < 0 {
			return
		}
		start := at + n
		at = start + len("10.")
		if start > 0 && (nameByte(a[start-1]) || a[start-1] == '.') || s.isMentioned(start) {
			continue
		}
		if digits := Registrant(a[start:]); digits >= 4 {
			s.addMention(DOI, start, s.urlEnd(start), noEcosystem)
		}
	}
}

func (s *Scanner) labelledDOIs(label string) {
	a := s.answer
	for at := 0; s.mayContinue(1); {
		n := strings.Index(a[at:], label)
		if n < 0 {
			return
		}
		before := at + n - 1
		at += n + len(label)
		start, _ := trimSpaces(a, at, min(at+2, len(a)))
		if (before < 0 || !nameByte(a[before])) && digitsAt(a, start) > 0 && !s.isMentioned(start) {
			s.addMention(DOI, start, s.urlEnd(start), noEcosystem)
		}
	}
}

// Registrant returns the number of digits after "10.", without further parts of the registrant; 0 unless a slash and a name
// follow.
func Registrant(doi string) int {
	rest, ok := strings.CutPrefix(doi, "10.")
	n := digitsAt(rest, 0)
	if !ok || n > 9 {
		return 0
	}
	end := n
	for end < len(rest) && (rest[end] == '.' || isDigit(rest[end])) {
		end++
	}
	if end+1 >= len(rest) || rest[end] != '/' || !nameByte(rest[end+1]) && strings.IndexByte("(.;:", rest[end+1]) < 0 {
		return 0
	}
	return n
}

// digitsAt returns the number of digits at the offset.
func digitsAt(s string, at int) int {
	n := 0
	for at+n < len(s) && isDigit(s[at+n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// arXivs finds ids with their label: arXiv:2301.01234v2.
func (s *Scanner) arXivs() {
	a := s.answer
	const label = "arXiv"
	for at := 0; s.mayContinue(1); {
		n := strings.IndexByte(a[at:], ':')
		if n < 0 {
			return
		}
		before := at + n - len(label)
		at += n + 1
		if before < 0 || a[at-2] != 'v' || !strings.EqualFold(a[before:at-1], label) || before > 0 && nameByte(a[before-1]) {
			continue
		}
		start, _ := trimSpaces(a, at, min(at+2, len(a)))
		if end := s.arXivEnd(start, len(a)); strings.ContainsAny(a[start:end], "0123456789") && !s.isMentioned(start) {
			s.addMention(ArXiv, start, end, noEcosystem)
		}
	}
}

// arXivEnd returns the end of the arXiv id that begins at the offset.
func (s *Scanner) arXivEnd(start, limit int) int {
	end := start
	for end < limit && (nameByte(s.answer[end]) && s.answer[end] < 0x80 || s.answer[end] == '.' || s.answer[end] == '/') {
		end++
	}
	end = start + len(strings.TrimSuffix(s.answer[start:end], ".pdf"))
	for end > start && strings.IndexByte("./-", s.answer[end-1]) >= 0 {
		end--
	}
	s.work.Spend((end - start) / addressBytes)
	return end
}

// AllDigits reports whether the text consists of digits; an empty one does not.
func AllDigits(s string) bool {
	return s != "" && digitsAt(s, 0) == len(s)
}

// Decimal returns the value of the digits, at most 1<<30.
func Decimal(digits string) int {
	n := 0
	for i := range len(digits) {
		n = min(n*10+int(digits[i]-'0'), 1<<30)
	}
	return n
}
