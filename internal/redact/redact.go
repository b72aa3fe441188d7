package redact

import (
	"strings"
	"unicode/utf8"
)

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
	view
	match match // the last one, in the view
	floor int   // end of the last match; bytes before it count as the label that replaced it
	mail  mailRun
	ahead lookahead
}

// found sets the match.
func (sc *scanner) found(start, end int, label string) bool {
	sc.match = match{start, end, label}
	return end > start
}

// next finds the first match that starts at or after from, the end of the last one.
func (sc *scanner) next(from int) bool {
	sc.floor = from
	return sc.first(from)
}

// first finds the first match that starts at or after from.
func (sc *scanner) first(from int) bool {
	announced, ok := sc.announced(from)
	limit := len(sc.text)
	if ok {
		limit = announced.end
	}
	found := sc.scan(from, limit)
	if m := sc.match; !ok || found && (m.start < announced.start || m.start == announced.start && m.end >= announced.end) {
		return found
	}
	sc.match = announced
	return true
}

// scan finds the first match of a pattern that starts at or after from and, but for its last word, before limit. Most words hold nothing that a pattern needs: it looks for the
// bytes that some pattern does need, in or behind its first word.
func (sc *scanner) scan(from, limit int) bool {
	s, tried := sc.text, from
	for p := from; p < limit; p++ {
		set := byteSets[s[p]]
		switch {
		case set&eventSet == 0:
			continue
		case set&wordSet == 0:
			if sc.behindWord(tried, p) || set&startSet != 0 && sc.sign(from, p) || s[p] == '@' && sc.quotedMailbox(from, p) {
				return true
			}
		case set&digitSet != 0 || s[p] == '_':
			w := sc.wordAround(tried, p)
			if sc.word(w) {
				return true
			}
			tried = w.end
			p = tried - 1
		case sc.beginsBearer(tried, p) && sc.word(word{p, p + len(bearerScheme) - 1}):
			return true
		}
	}
	return false
}

// word is a run of letters, digits and underscores. A matcher begins at the start of one, so that a text which one matcher
// rejects because the word continues is not matched from its middle by another.
type word struct{ start, end int }

// wordAround returns the word at p, which begins at or after from.
func (sc *scanner) wordAround(from, p int) word {
	w := sc.wordBefore(from, p)
	for w.end < len(sc.text) && isWordByte(sc.text[w.end]) {
		w.end++
	}
	return w
}

// wordBefore returns the word that ends at p and begins at or after from.
func (sc *scanner) wordBefore(from, p int) word {
	w := word{p, p}
	for w.start > from && isWordByte(sc.text[w.start-1]) {
		w.start--
	}
	return w
}

// behindWord tries the word before the sign at p, if it begins at or after from.
func (sc *scanner) behindWord(from, p int) bool {
	b := sc.text[p]
	switch {
	case byteSets[b]&loudSet == 0:
		return false
	case b == '.' && sc.byteAt(p+1) <= ' ': // of a sentence
		return false
	case b == '\'' || b == '"':
		if !sc.mayHoldMail(p) {
			return false
		}
	case b >= wideLoudByte && !sc.mayHoldMail(p):
		return false
	}
	w := sc.wordBefore(from, p)
	return w.start < w.end && sc.word(w)
}

// beginsBearer reports whether the scheme of a token begins at p, where a word may begin at from.
func (sc *scanner) beginsBearer(from, p int) bool {
	end := p + len(bearerScheme)
	return end <= len(sc.text) && (p == from || !isWordByte(sc.text[p-1])) && strings.EqualFold(sc.text[p:end], bearerScheme)
}

// sign tries the matchers that begin with a sign or a letter beyond ASCII.
func (sc *scanner) sign(from, p int) bool {
	switch b := sc.text[p]; {
	case b == ':':
		return sc.credentials(p) || !isWordByte(sc.before(p, 1)) && sc.byteAt(p+1) == ':' && sc.ipv6(p)
	case b >= wideLoudByte:
		return sc.wideEmail(p)
	case b == '(' || b == '[' || b == '{':
		if next := toLower(sc.byteAt(p + 1)); (next == 'a' || next == ' ') && sc.spelledEmail(from, p) {
			return true
		}
	}
	switch b := sc.text[p]; {
	case b == '[' || b == '{':
		return false
	case isWordByte(sc.before(p, 1)):
		return false
	case b == '-':
		return sc.privateKey(p)
	}
	b := sc.byteAt(p + 1)
	return (isDigit(b) || b == '(') && sc.phone(p)
}

// word tries the matchers that can begin a word.
func (sc *scanner) word(w word) bool {
	if !isDigit(sc.text[w.start]) {
		return sc.name(w)
	}
	if sc.before(w.start, 1) == '.' && isDigit(sc.before(w.start, 2)) {
		return false // a later part of 1.2.3
	}
	return sc.number(w)
}

// number tries the matchers that can begin with a digit.
func (sc *scanner) number(w word) bool {
	p, n := w.start, 1
	for n <= maxCardDigits && isDigit(sc.byteAt(p+n)) {
		n++
	}
	if n < minBareID && p+n == w.end && byteSets[sc.byteAt(w.end)]&numberSet == 0 {
		return false
	}
	after, next := sc.byteAt(p+n), sc.byteAt(p+n+1)
	if sc.mayHoldMail(p) && sc.email(p) {
		return true
	}
	if (n >= minCardDigits || n == 4 && sc.beginsCard(p)) && sc.card(p) {
		return true
	}
	if n <= 3 && after == '.' && isDigit(next) && sc.ipv4(p) {
		return true
	}
	if (after == ':' || p+n < w.end) && sc.ipv6(p) {
		return true
	}
	return byteSets[after]&groupSet != 0 && sc.beginsPhone(p, n) && sc.phone(p) || sc.numericID(p, n) || sc.wallet(w) || sc.random(w)
}

// name tries the matchers that can begin with a letter.
func (sc *scanner) name(w word) bool {
	p := w.start
	starts := nameStarts[sc.text[p]]
	if starts&webhookStart != 0 && sc.byteAt(w.end) == '.' && sc.webhook(p) {
		return true
	}
	if sc.mayHoldMail(p) && sc.email(p) {
		return true
	}
	if starts&jwtStart != 0 && sc.jwt(p) || starts&keyStart != 0 && sc.knownKey(p) || starts&bearerStart != 0 && sc.bearer(p) {
		return true
	}
	return isDigit(sc.byteAt(p+2)) && sc.iban(p) || sc.ipv6(p) || sc.letteredID(w) || sc.random(w)
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
