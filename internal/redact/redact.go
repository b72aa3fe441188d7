package redact

import "unicode/utf8"

// maxPasses limits how often a text is scanned again after a replacement. Usually the second pass finds nothing: a
// replacement uncovers a pattern only when it shortens a longer run. A text in which the last pass still finds something is
// replaced as a whole.
const maxPasses = 16

// ellipsis marks a truncated excerpt.
const ellipsis = "..."

// Redact returns s with every pattern replaced by its label; s itself, without a copy, when there is none.
func Redact(s string) string { return Ranges(s, nil) }

// Append appends the redacted s to dst and returns the extended slice.
func Append(dst []byte, s string) []byte { return append(dst, Redact(s)...) }

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
	ahead lookahead
}

// next returns the first match that starts at or after from.
func (sc *scanner) next(from int) (match, bool) {
	sc.floor = from
	for p := from; p < len(sc.text); {
		class := byteClasses[sc.text[p]]
		if class == otherByte {
			p++
			continue
		}
		w := word{start: p, end: p + 1}
		m, ok := match{}, false
		if class == wordByte {
			w = sc.wordAt(p)
			if w.isPlain(sc) {
				p = w.end
				continue
			}
			m, ok = sc.word(&w)
		} else {
			m, ok = sc.sign(p, class)
		}
		if ok && m.end > m.start {
			return m, true
		}
		p = w.end
	}
	return match{}, false
}

// word is a run of letters, digits and underscores. A matcher begins at the start of one, so that a text which one matcher
// rejects because the word continues is not matched from its middle by another.
type word struct {
	start, end int
	sets       byteSet // of all its bytes
}

func (sc *scanner) wordAt(p int) word {
	w := word{start: p, end: p}
	for ; w.end < len(sc.text); w.end++ {
		set := byteSets[sc.text[w.end]]
		if set&wordSet == 0 {
			break
		}
		w.sets |= set
	}
	return w
}

// isPlain reports a short word without digits, which what follows it excludes from every pattern: most words of a text.
func (w *word) isPlain(sc *scanner) bool {
	if w.sets&digitSet != 0 || w.end-w.start >= minRandom {
		return false
	}
	switch b := sc.byteAt(w.end); {
	case byteSets[b]&loudSet == 0:
		return true
	case b == ' ':
		b = sc.byteAt(w.end + 1)
		return b != ' ' && b != '=' && b != ':' && (w.end-w.start != len(bearerScheme)-1 || toLower(sc.text[w.start]) != bearerScheme[0])
	case b == '.': // of a sentence
		return sc.byteAt(w.end+1) <= ' '
	case b == '\'', b == '"':
		return !sc.mayHoldMail(w.end) && !sc.isAssigned(w.end)
	default:
		return b >= wideLoudByte && !sc.mayHoldMail(w.end)
	}
}

// sign tries the matchers that begin with a sign or a letter beyond ASCII.
func (sc *scanner) sign(p int, c byteClass) (match, bool) {
	switch {
	case c == colonByte:
		return sc.credentials(p)
	case c == wideByte:
		return sc.wideEmail(p)
	case isWordByte(sc.before(p, 1)):
		return match{}, false
	case c == dashByte:
		return sc.privateKey(p)
	}
	if b := sc.byteAt(p + 1); !isDigit(b) && b != '(' {
		return match{}, false
	}
	return sc.phone(p)
}

// word tries the matchers that can begin a word.
func (sc *scanner) word(w *word) (match, bool) {
	p := w.start
	if !isDigit(sc.text[p]) {
		return sc.name(w)
	}
	if sc.before(p, 1) == '.' && isDigit(sc.before(p, 2)) {
		return match{}, false // a later part of 1.2.3
	}
	return sc.number(w)
}

// number tries the matchers that can begin with a digit.
func (sc *scanner) number(w *word) (m match, ok bool) {
	p := w.start
	if sc.mayHoldMail(p) {
		if m, ok = sc.email(p); ok {
			return m, ok
		}
	}
	n := 1
	for n <= maxCardDigits && isDigit(sc.byteAt(p+n)) {
		n++
	}
	after, next := sc.byteAt(p+n), sc.byteAt(p+n+1)
	if n >= minCardDigits || n == 4 && isDigit(next) && (after == ' ' || after == '-') {
		if m, ok = sc.card(p); ok {
			return m, ok
		}
	}
	if n <= 3 && after == '.' && isDigit(next) {
		if m, ok = sc.ipv4(p); ok {
			return m, ok
		}
	}
	if m, ok = sc.ipv6(p); ok {
		return m, ok
	}
	if byteSets[after]&groupSet != 0 && sc.beginsPhone(p, n) {
		if m, ok = sc.phone(p); ok {
			return m, ok
		}
	}
	return sc.random(w)
}

// name tries the matchers that can begin with a letter.
func (sc *scanner) name(w *word) (m match, ok bool) {
	p := w.start
	starts := nameStarts[sc.text[p]]
	if starts&webhookStart != 0 && sc.byteAt(w.end) == '.' {
		if m, ok = sc.webhook(p); ok {
			return m, ok
		}
	}
	if sc.mayHoldMail(p) {
		if m, ok = sc.email(p); ok {
			return m, ok
		}
	}
	if starts != 0 {
		if m, ok = sc.knownName(p, starts); ok {
			return m, ok
		}
	}
	if m, ok = sc.assignment(w); ok {
		return m, ok
	}
	if isDigit(sc.byteAt(p + 2)) {
		if m, ok = sc.iban(p); ok {
			return m, ok
		}
	}
	if m, ok = sc.ipv6(p); ok {
		return m, ok
	}
	return sc.random(w)
}

// knownName tries the matchers of names that begin with one of a few letters.
func (sc *scanner) knownName(p int, starts uint8) (m match, ok bool) {
	if starts&jwtStart != 0 {
		if m, ok = sc.jwt(p); ok {
			return m, ok
		}
	}
	if starts&keyStart != 0 {
		if m, ok = sc.knownKey(p); ok {
			return m, ok
		}
	}
	if starts&bearerStart != 0 {
		return sc.bearer(p)
	}
	return match{}, false
}

// Matchers that begin with one of a few letters.
const (
	webhookStart = 1 << iota
	jwtStart
	keyStart
	bearerStart
)

//nolint:gochecknoglobals // read-only table
var nameStarts = func() (t [256]uint8) {
	for _, host := range webhookHosts {
		t[host[0]] |= webhookStart
		t[host[0]-'a'+'A'] |= webhookStart
	}
	for b, keys := range keysByStart {
		if len(keys) > 0 {
			t[b] |= keyStart
		}
	}
	t['e'] |= jwtStart
	t['b'] |= bearerStart
	t['B'] |= bearerStart
	return t
}()

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
	return !isWordByte(b) && (b != '.' || !isDigit(sc.byteAt(i+1)))
}
