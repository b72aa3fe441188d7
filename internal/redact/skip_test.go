package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// nextSlowly is scanner.scan without anything that skips a matcher: it tries each of them at every word and sign.
func (sc *scanner) nextSlowly(from int) bool {
	sc.floor = from
	for p := from; p < len(sc.text); p++ {
		inside := isWordByte(sc.before(p, 1))
		found := false
		switch b := sc.text[p]; {
		case b == ':':
			found = sc.credentials(p) || !inside && sc.byteAt(p+1) == ':' && sc.ipv6(p)
		case b == '@':
			found = sc.quotedMailbox(from, p)
		case (b == '(' || b == '[' || b == '{') && sc.spelledEmail(from, p):
			found = true
		case 0xC3 <= b && b <= 0xE2:
			found = sc.wideEmail(p)
		case inside:
		case b == '-':
			found = sc.privateKey(p)
		case b == '+' || b == '(':
			found = sc.phone(p)
		case isDigit(b):
			w := sc.wordAround(p, p)
			n := 1
			for isDigit(sc.byteAt(p + n)) {
				n++
			}
			found = (sc.before(p, 1) != '.' || !isDigit(sc.before(p, 2))) &&
				(sc.email(p) || sc.card(p) || sc.ipv4(p) || sc.ipv6(p) || sc.phone(p) || sc.numericID(p, n) || sc.wallet(w) || sc.random(w))
		case isWordByte(b):
			w := sc.wordAround(p, p)
			found = sc.webhook(p) || sc.email(p) || sc.jwt(p) || sc.knownKey(p) || sc.bearer(p) || sc.iban(p) ||
				sc.ipv6(p) || sc.letteredID(w) || sc.random(w)
		}
		if found {
			return true
		}
	}
	return false
}

// What next skips could not match.
func TestSkippedMatchersFindNothing(t *testing.T) {
	parts := []string{
		"hooks.slack.com/a", "Discord.com/api/webhooks/", "a@b.co", "é@x.de", "ª@x.de", "o'neil", "@", "+49 30 1234567", "(030) 12345678", "020 7946 0958", "1 800 555 0199",
		"555-123-4567", "4111 1111 1111 1111", "3782-822463-10005", "DE89 3704 0044 0532 0130 00", "DE89370400440532013000", "10.0.0.1", "version 10.0.0.1", "::1", "fe80::1",
		"1:2:3:4:5:6:7:8", "12:30:45", "eyJhbGciOiJI", ".eyJzdWIi", "bearer ", "Bearer", "abcdefghij0123456789", "a1", "sk-", "AKIA", "SG.", "ghp_", "password", "api-key", "TOKEN", " = ", "  : ",
		"\"", "'", "\\\"", "://", "u:p", "-----BEGIN ", "PRIVATE KEY", "aB3xK9mQ2pL7zR4tY8wE5uI1", "well-known", "it's", "e.g.", "B2B", "U.S.", "2026-11-21", "1,234.56", "the", "Über", "(at)", " (dot) ", "%40", "\"a b\"@c.de", "131052-308T", "12345678Z", "RSSMRA85T10A562S", "::ffff:1", "06 39 98 01 23", "0049 ", "hf_", "_", "я", "日本",
		" ", " ", " ", "  ", ".", ",", "-", "/", "=", ":", "+", "(", ")", "%", "_", "\n", "\xff", "\xc3", "0", "7", "x", "b",
	}
	r := rand.New(rand.NewPCG(19, 5))
	matches := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		fast, slow := scanner{view: view{text: b.String()}}, scanner{view: view{text: b.String()}}
		for at := 0; ; at = fast.match.end {
			found := slow.nextSlowly(at)
			fast.floor = at
			require.Equal(t, found, fast.scan(at, len(fast.text)), "%q from %d", b.String(), at)
			if !found {
				break
			}
			require.Equal(t, slow.match, fast.match, "%q from %d", b.String(), at)
			matches++
		}
	}
	require.Greater(t, matches, 5_000)
}

// Passes that begin near the first replacement of the one before find what passes over the whole text find.
func TestLaterPasses(t *testing.T) {
	wholePasses := func(s string) string {
		for range maxPasses + 1 {
			next, _, found := replaceOnce(s, 0, nil)
			if !found {
				return s
			}
			s = next
		}
		return secretLabel
	}
	for _, before := range []string{"", "a ", strings.Repeat("-", 900), strings.Repeat("a1/", 2000), strings.Repeat("x.", 3000) + "a@", strings.Repeat("a b ", 3000)} {
		for _, peeled := range []string{"a.e1::", "a1::2.", "x1::1.1.1.1.", "a@1::"} {
			for _, n := range []int{3, 12, 200, 900} {
				s := before + strings.Repeat(peeled, n) + " a@b.co"
				require.Equal(t, wholePasses(s), Redact(s), "%.20q %q %d", before, peeled, n)
			}
		}
	}
}
