package redact

import "unicode/utf8"

// maxPasses bounds how often a text is looked at again after something was replaced. Two are the rule: the second finds
// nothing. A replacement can uncover a pattern only where it cut a longer run short.
const maxPasses = 6

// ellipsis marks an excerpt that was cut.
const ellipsis = "..."

// Redact is s with every pattern replaced by its label: s itself, without a copy, when there is none.
func Redact(s string) string {
	sc := scanner{text: s}
	if _, ok := sc.next(0); !ok {
		return s
	}
	return string(Append(nil, s))
}

// Append appends the redacted s to dst and returns the extended slice.
func Append(dst []byte, s string) []byte {
	base := len(dst)
	dst, found := appendOnce(dst, s)
	for range maxPasses {
		if !found {
			break
		}
		again := string(dst[base:])
		dst, found = appendOnce(dst[:base], again)
	}
	return dst
}

// Excerpt is the redacted s, cut to at most limit characters followed by "..." when it was longer. A label is never
// cut in two.
func Excerpt(s string, limit int) string {
	s = Redact(s)
	cut, open := 0, -1
	for n := 0; cut < len(s); n++ {
		if n == limit {
			if open >= 0 {
				cut = open
			}
			return s[:cut] + ellipsis
		}
		switch s[cut] {
		case '[':
			open = cut
		case ' ', '\n', ']':
			open = -1
		}
		_, size := utf8.DecodeRuneInString(s[cut:])
		cut += size
	}
	return s
}

func appendOnce(dst []byte, s string) (_ []byte, found bool) {
	sc := scanner{text: s}
	at := 0
	for {
		m, ok := sc.next(at)
		if !ok {
			return append(dst, s[at:]...), found
		}
		found = true
		dst = append(dst, s[at:m.start]...)
		dst = append(dst, m.label...)
		at = m.end
	}
}

// match is a stretch of text to be replaced by its label.
type match struct {
	start, end int
	label      string
}

// scanner walks a text once, from left to right.
type scanner struct {
	text  string
	floor int // end of the last match; what lies before it reads as the label that replaced it
	mail  mailRun
}

// next is the first match that starts at or after from.
func (sc *scanner) next(from int) (match, bool) {
	sc.floor = from
	for p := from; p < len(sc.text); p++ {
		class := byteClasses[sc.text[p]]
		if class == otherByte {
			continue
		}
		m, ok := sc.at(p, class)
		if ok && m.end > m.start {
			return m, true
		}
	}
	return match{}, false
}

// at tries the matchers that may begin at p. All but one begin at the start of a word, so that what one matcher refuses
// because a word goes on cannot be taken from the middle by another.
func (sc *scanner) at(p int, c byteClass) (match, bool) {
	if c == colonByte {
		return sc.credentials(p)
	}
	if isWordByte(sc.before(p, 1)) {
		return match{}, false
	}
	switch c {
	case dashByte:
		return sc.privateKey(p)
	case phoneStart:
		return sc.phone(p)
	case digitByte:
		if sc.before(p, 1) == '.' && byteClasses[sc.before(p, 2)] == digitByte {
			return match{}, false // a later part of 1.2.3
		}
		return sc.number(p)
	default:
		return sc.name(p)
	}
}

// number tries what may begin with a digit.
func (sc *scanner) number(p int) (m match, ok bool) {
	if m, ok = sc.email(p); ok {
		return m, ok
	}
	if m, ok = sc.card(p); ok {
		return m, ok
	}
	if m, ok = sc.ipv4(p); ok {
		return m, ok
	}
	if m, ok = sc.ipv6(p); ok {
		return m, ok
	}
	if m, ok = sc.phone(p); ok {
		return m, ok
	}
	return sc.random(p)
}

// name tries what may begin with a letter.
func (sc *scanner) name(p int) (m match, ok bool) {
	if m, ok = sc.webhook(p); ok {
		return m, ok
	}
	if m, ok = sc.email(p); ok {
		return m, ok
	}
	if m, ok = sc.jwt(p); ok {
		return m, ok
	}
	if m, ok = sc.knownKey(p); ok {
		return m, ok
	}
	if m, ok = sc.bearer(p); ok {
		return m, ok
	}
	if m, ok = sc.assignment(p); ok {
		return m, ok
	}
	if m, ok = sc.iban(p); ok {
		return m, ok
	}
	if m, ok = sc.ipv6(p); ok {
		return m, ok
	}
	return sc.random(p)
}

// before is the k-th byte before p as a reader of the redacted text sees it.
func (sc *scanner) before(p, k int) byte {
	switch {
	case p-k >= sc.floor:
		return sc.text[p-k]
	case sc.floor > 0:
		return ']'
	}
	return ' '
}

// byteAt is the byte at i, a space past the end.
func (sc *scanner) byteAt(i int) byte {
	if i < len(sc.text) {
		return sc.text[i]
	}
	return ' '
}

// endsNumber says whether a number that ends before i is complete: no word goes on, and no further part of 1.2.3 follows.
func (sc *scanner) endsNumber(i int) bool {
	b := sc.byteAt(i)
	return !isWordByte(b) && (b != '.' || byteClasses[sc.byteAt(i+1)] != digitByte)
}

// byteClass is what a byte may begin.
type byteClass uint8

const (
	otherByte byteClass = iota
	letterByte
	digitByte
	phoneStart // of a phone number
	dashByte
	colonByte
)

// byteClasses is a read-only table.
//
//nolint:gochecknoglobals // read-only table
var byteClasses = func() (t [256]byteClass) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			t[b] = letterByte
		case '0' <= b && b <= '9':
			t[b] = digitByte
		}
	}
	t['+'], t['('], t['-'], t[':'] = phoneStart, phoneStart, dashByte, colonByte
	return t
}()

// isWordByte says whether b is part of a word: a letter, a digit or an underscore.
func isWordByte(b byte) bool { return byteClasses[b] == letterByte || byteClasses[b] == digitByte }

func toLower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}
