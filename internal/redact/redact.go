package redact

import "unicode/utf8"

// passes bounds how often a text is looked at again after something was replaced. Two are the rule: the second finds
// nothing. A replacement can uncover a pattern only where it cut a longer run short.
const passes = 6

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
	for range passes {
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
		class := classes[sc.text[p]]
		if class == other {
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
func (sc *scanner) at(p int, c class) (match, bool) {
	if c == colon {
		return sc.credentials(p)
	}
	if word(sc.before(p, 1)) {
		return match{}, false
	}
	switch c {
	case dash:
		return sc.privateKey(p)
	case opening:
		return sc.phone(p)
	case digit:
		if sc.before(p, 1) == '.' && classes[sc.before(p, 2)] == digit {
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

// ended says whether a number that ends before i is complete: no word goes on, and no further part of 1.2.3 follows.
func (sc *scanner) ended(i int) bool {
	b := sc.byteAt(i)
	return !word(b) && (b != '.' || classes[sc.byteAt(i+1)] != digit)
}

// class is what a byte may begin.
type class uint8

const (
	other class = iota
	letter
	digit
	opening // of a phone number
	dash
	colon
)

// classes is a read-only table.
//
//nolint:gochecknoglobals // read-only table
var classes = func() (t [256]class) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			t[b] = letter
		case '0' <= b && b <= '9':
			t[b] = digit
		}
	}
	t['+'], t['('], t['-'], t[':'] = opening, opening, dash, colon
	return t
}()

// word says whether b is part of a word: a letter, a digit or an underscore.
func word(b byte) bool { return classes[b] == letter || classes[b] == digit }

func lower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}
