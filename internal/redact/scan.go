package redact

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Labels of what is replaced.
const (
	birthLabel       = "[birth-date]"
	cardLabel        = "[card]"
	credentialsLabel = "[credentials]"
	mailLabel        = "[email]"
	ibanLabel        = "[iban]"
	idLabel          = "[id]"
	ipLabel          = "[ip]"
	jwtLabel         = "[jwt]"
	keyLabel         = "[key]"
	phoneLabel       = "[phone]"
	privateKeyLabel  = "[private-key]"
	secretLabel      = "[secret]"
	tokenLabel       = "[token]"
	walletLabel      = "[wallet]"
	webhookLabel     = "[webhook]"
)

// maxCandidate limits the bytes that are read before a candidate is confirmed. A confirmed one is read to its end, where
// the scan continues, so the total is linear.
const maxCandidate = 256

// byteSet is a set of sets of bytes.
type byteSet uint16

const (
	wordSet     byteSet = 1 << iota // letters, digits and the underscore, of ASCII
	digitSet                        // ASCII digits
	base64Set                       // of base64url, and the full stop
	tokenSet                        // of a token after Bearer
	passwordSet                     // of a password; it excludes bytes that commonly end one
	randomSet                       // of a random string
	groupSet                        // between groups of a number
	joinSet                         // after a word of letters, a byte with which it may be sensitive
	insideSet                       // inside a word: what does not end an announcement
	eventSet                        // bytes at which the scan stops
)

//nolint:gochecknoglobals // read-only table
var byteSets = func() (t [256]byteSet) {
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			t[b] = wordSet | insideSet | base64Set | tokenSet | passwordSet | randomSet
		case '0' <= b && b <= '9':
			t[b] = wordSet | digitSet | base64Set | tokenSet | passwordSet | randomSet | eventSet
		case b > ' ' && b != 0x7f && !strings.ContainsRune("\"'`,;()[]{}<>", rune(b)):
			t[b] = passwordSet
		}
		if 0x80 <= b && b < 0xE2 { // signs are above, and scripts without spaces between words
			t[b] |= insideSet
		}
	}
	for set, members := range map[byteSet]string{
		base64Set: "-.", tokenSet: "-.~+/=", randomSet: "+/=-", groupSet: " -/.", joinSet: "-./+=:", eventSet: "_:@%+([{-./=",
	} {
		for i := range len(members) {
			t[members[i]] |= set
		}
	}
	return t
}()

// isWordByte reports whether b is a letter, a digit or an underscore.
func isWordByte(b byte) bool { return byteSets[b]&wordSet != 0 }

func isDigit(b byte) bool { return b-'0' <= 9 }

func isHexDigit(b byte) bool { return isDigit(b) || b|0x20-'a' <= 'f'-'a' }

func isUpper(b byte) bool { return b-'A' <= 'Z'-'A' }

func isLetter(b byte) bool { return b|0x20-'a' <= 'z'-'a' }

// scanner finds the matches of a text. It reads the text as people do: full-width forms are ASCII, every space and hyphen is the
// ASCII one, and characters without width are left out.
type scanner struct {
	text  string
	at    []int32 // the place in the source of each byte of text, and of its end; nil where text is the source
	found []Span
	start int // of the last match, in the text that is read
	end   int // of it
	tail  int // end of the last mail address or credentials, which are no mailbox
}

// find returns what one pass over s replaces, in order.
func find(s string) []Span {
	sc := scanner{text: s}
	sc.fold()
	sc.scan()
	sc.announced()
	rank := func(m Span) int { return strings.Count(m.Label, "secret") } // others say more
	slices.SortStableFunc(sc.found, func(a, b Span) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End), cmp.Compare(rank(a), rank(b)))
	})
	end := 0
	return slices.DeleteFunc(sc.found, func(m Span) bool {
		if m.Start < end {
			return true
		}
		end = m.End
		return false
	})
}

// fold makes the text that is read.
func (sc *scanner) fold() {
	s := sc.text
	wide := false
	for _, lead := range [...]byte{0xC2, 0xE2, 0xE3, 0xEF} {
		wide = wide || strings.IndexByte(s, lead) >= 0
	}
	if !wide {
		return
	}
	out := make([]byte, 0, len(s))
	at := make([]int32, 0, len(s)+1)
	changed := false
	for i, size := 0, 0; i < len(s); i += size {
		var r rune
		r, size = utf8.DecodeRuneInString(s[i:])
		if folded := foldWide(r); folded != r {
			changed = true
			if folded >= 0 {
				out, at = append(out, byte(folded)), append(at, int32(i))
			}
			continue
		}
		for k := range size {
			out, at = append(out, s[i+k]), append(at, int32(i+k))
		}
	}
	if changed {
		sc.text, sc.at = string(out), append(at, int32(len(s)))
	}
}

// foldWide is the byte that a character of a wide form is read as; negative where it is left out.
func foldWide(r rune) rune {
	const fullWidth = 0xFEE0
	switch {
	case r < '\u00a0':
	case '\uff01' <= r && r <= '\uff5e':
		return r - fullWidth
	case r == '\u2010', r == '\u2011', r == '\u2212':
		return '-'
	case r == '\u00a0', '\u2000' <= r && r <= '\u200a', r == '\u202f', r == '\u205f', r == '\u3000':
		return ' '
	case r == '\u00ad', '\u200b' <= r && r <= '\u200f', '\u202a' <= r && r <= '\u202e', '\u2060' <= r && r <= '\u206f', r == '\ufeff':
		return -1
	}
	return r
}

// add notes a match that is not empty.
func (sc *scanner) add(start, end int, label string) bool {
	if end <= start {
		return false
	}
	sc.start, sc.end = start, end
	m := Span{start, end, label}
	if sc.at != nil {
		m.Start, m.End = int(sc.at[start]), int(sc.at[end])
	}
	sc.found = append(sc.found, m)
	return true
}

// scan finds what needs no announcement. Most words hold nothing that a form needs: it stops at bytes that some form has in or
// behind its first word. A form begins at the start of a word, so that a text which one rejects because the word continues is not
// matched from its middle by another.
func (sc *scanner) scan() {
	s, tried := sc.text, 0
	for p := 0; p < len(s); p++ {
		set := byteSets[s[p]]
		if set&eventSet == 0 {
			continue
		}
		start, end := p, p
		for start > tried && isWordByte(s[start-1]) {
			start--
		}
		for end < len(s) && isWordByte(s[end]) {
			end++
		}
		switch {
		case start < end && (end > p || set&joinSet != 0) && sc.word(start, end), end == p && sc.sign(p):
			tried = max(end, sc.end)
		default:
			tried = max(end, p+1)
		}
		p = tried - 1
	}
}

// word tries the forms that begin with the word from p to end.
func (sc *scanner) word(p, end int) bool {
	switch {
	case !isDigit(sc.text[p]):
		return sc.webhook(p, end) || sc.jwt(p) || sc.knownKey(p) || sc.iban(p) || sc.ipv6(p, end) || sc.letteredID(p) || sc.random(p, end)
	case sc.before(p, 1) == '.' && isDigit(sc.before(p, 2)):
		return false // a later part of 1.2.3
	}
	n := 1
	for n <= maxGroup && isDigit(sc.byteAt(p+n)) {
		n++
	}
	after, next := sc.byteAt(p+n), sc.byteAt(p+n+1)
	grouped := byteSets[after]&groupSet != 0 && (isDigit(next) || next == '(')
	if grouped || n >= minBareID {
		digits, dots := sc.countDigits(p)
		if digits >= 13 && sc.card(p) || dots >= 3 && sc.ipv4(p) || digits >= 10 && grouped && sc.phone(p, n) {
			return true
		}
	}
	return (after == ':' || p+n < end) && sc.ipv6(p, end) || sc.numericID(p, n) || sc.wallet(p, end) || sc.random(p, end)
}

// countDigits counts digits and full stops of the groups that begin at p, as far as a number can have some.
func (sc *scanner) countDigits(p int) (digits, dots int) {
	for i := p; i < len(sc.text) && digits < 13; i++ {
		switch b := sc.text[i]; {
		case isDigit(b):
			digits++
		case b == '.':
			dots++
		case b != ' ' && b != '-' && b != '/' && b != '(' && b != ')':
			return digits, dots
		}
	}
	return digits, dots
}

// sign tries the forms that have the sign at p.
func (sc *scanner) sign(p int) bool {
	next := sc.byteAt(p + 1)
	inside := isWordByte(sc.before(p, 1))
	switch sc.text[p] {
	case '@':
		return sc.mail(p, p+1)
	case '%': // an escaped @
		return strings.HasPrefix(sc.text[p:], "%40") && sc.mail(p, p+len("%40"))
	case ':':
		return sc.credentials(p) || !inside && next == ':' && sc.ipv6(p, p)
	case '-':
		return !inside && next == '-' && sc.privateKey(p)
	case '(', '[', '{':
		return (next == ' ' || next|0x20 == 'a') && sc.spelledMail(p) || !inside && sc.text[p] == '(' && isDigit(next) && sc.phone(p, 0)
	case '+':
		return !inside && (isDigit(next) || next == '(') && sc.phone(p, 0)
	}
	return false
}

// before returns the k-th byte before p, a space before the text.
func (sc *scanner) before(p, k int) byte {
	if p < k {
		return ' '
	}
	return sc.text[p-k]
}

// byteAt returns the byte at i, a space past the end.
func (sc *scanner) byteAt(i int) byte {
	if i < len(sc.text) {
		return sc.text[i]
	}
	return ' '
}

// window is the text from p on, as much as a form of numbers or names has at most.
func (sc *scanner) window(p int) string { return sc.text[p:min(len(sc.text), p+maxCandidate)] }

// runEnd is the end of the run of bytes of the set that begins at p.
func (sc *scanner) runEnd(p int, set byteSet) int {
	for p < len(sc.text) && byteSets[sc.text[p]]&set != 0 {
		p++
	}
	return p
}

// endsNumber reports whether a number that ends before i is complete: no word continues, and no further part of 1.2.3 follows.
func (sc *scanner) endsNumber(i int) bool {
	b := sc.byteAt(i)
	return !isWordByte(b) && (b != '.' || !isDigit(sc.byteAt(i+1)))
}
