package redact

import "unicode/utf8"

// maxPasses limits how often a text is scanned again after a replacement. Usually the second pass finds nothing: a
// replacement uncovers a pattern only when it shortens a longer run. A text in which the last pass still finds something is
// replaced as a whole.
const maxPasses = 16

// ellipsis marks a truncated excerpt.
const ellipsis = "..."

// Redact returns s with every pattern replaced by its label; s itself, without a copy, when there is none.
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
			return dst
		}
		again := string(dst[base:])
		dst, found = appendOnce(dst[:base], again)
	}
	if found {
		return append(dst[:base], secretLabel...)
	}
	return dst
}

// Excerpt returns the redacted s, truncated to at most limit characters plus "..." when it is longer. Labels are not split.
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

// match is a span to replace by its label.
type match struct {
	start, end int
	label      string
}

// scanner scans a text once, from left to right.
type scanner struct {
	text  string
	floor int // end of the last match; bytes before it count as the label that replaced it
	mail  mailRun
}

// next returns the first match that starts at or after from.
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

// at tries the matchers that can begin at p. All but one begin at the start of a word, so that a text which one matcher
// rejects because the word continues is not matched from its middle by another.
func (sc *scanner) at(p int, c byteClass) (match, bool) {
	if isWordByte(sc.before(p, 1)) && c != colonByte && c != wideByte {
		return match{}, false
	}
	switch c {
	case colonByte:
		return sc.credentials(p)
	case wideByte:
		return sc.wideEmail(p)
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

// number tries the matchers that can begin with a digit.
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

// name tries the matchers that can begin with a letter.
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

// before returns the k-th byte before p in the redacted text; ']' stands for a label.
func (sc *scanner) before(p, k int) byte {
	switch {
	case p-k >= sc.floor:
		return sc.text[p-k]
	case sc.floor > 0:
		return ']'
	}
	return ' '
}

// byteAt returns the byte at i, a space past the end.
func (sc *scanner) byteAt(i int) byte {
	if i < len(sc.text) {
		return sc.text[i]
	}
	return ' '
}

// endsNumber reports whether a number that ends before i is complete: no word continues, and no further part of 1.2.3 follows.
func (sc *scanner) endsNumber(i int) bool {
	b := sc.byteAt(i)
	return !isWordByte(b) && (b != '.' || byteClasses[sc.byteAt(i+1)] != digitByte)
}

// byteClass says what a byte can begin.
type byteClass uint8

const (
	otherByte byteClass = iota
	letterByte
	digitByte
	phoneStart // of a phone number
	dashByte
	colonByte
	wideByte // the first byte of a letter beyond ASCII that a mail address may begin with
)

//nolint:gochecknoglobals // read-only table
var byteClasses = func() (t [256]byteClass) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			t[b] = letterByte
		case '0' <= b && b <= '9':
			t[b] = digitByte
		case 0xC3 <= b && b <= 0xE2: // U+00C0 to U+2FFF
			t[b] = wideByte
		}
	}
	t['+'], t['('], t['-'], t[':'] = phoneStart, phoneStart, dashByte, colonByte
	return t
}()

// isWordByte reports whether b is a letter, a digit or an underscore.
func isWordByte(b byte) bool { return byteClasses[b] == letterByte || byteClasses[b] == digitByte }

func toLower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}
