package redact

import (
	"math/bits"
	"strings"
)

const (
	// maxCandidate limits the bytes that are read before a candidate is confirmed. A confirmed one is read to its end, where
	// the scan continues, so the total is linear.
	maxCandidate = 256

	maxName      = 64 // bytes of a setting's name, such as database_password
	minSecret    = 8  // characters of the value of a secret setting
	minBearer    = 16
	minRandom    = 24  // letters and digits of a random string
	minChanges   = .42 // changes among lower, upper and digit per pair of neighbours; random base 62 has .62, camelCase .33
	minDifferent = 12  // distinct characters of a random string
	secretLabel  = "[secret]"
	bearerScheme = "bearer "
	keyLabel     = "[key]"
	tokenLabel   = "[token]"
	webhookLabel = "[webhook]"

	credentialsLabel = "[credentials]"
)

// runSets are the sets of the runs that a scanner remembers.
//
//nolint:gochecknoglobals // read-only table
var runSets = [runKinds]byteSet{base64Run: base64Set, tokenRun: tokenSet, passwordRun: passwordSet, nameRun: nameSet}

// value returns the end of the run of bytes of the kind at p; 0 unless it has at least least bytes and a digit among the first
// maxCandidate. Trailing full stops are not part of it.
func (sc *scanner) value(p, least, kind int) int {
	digit := sc.nextDigit(p)
	if digit > p+maxCandidate+1 {
		return 0
	}
	r := sc.runAt(p, kind)
	if r.end <= digit || r.trimmed-p < least {
		return 0
	}
	return r.trimmed
}

// jwt matches JSON Web Tokens: two or three base64url parts, the first two of which are objects.
func (sc *scanner) jwt(p int) bool {
	if !strings.HasPrefix(sc.text[p:], "eyJ") || sc.before(p, 1) == '-' {
		return false
	}
	header := tokenPartEnd(sc.text, p)
	sc.ahead.readAhead(p, header)
	if header-p < 10 || !strings.HasPrefix(sc.text[header:], ".eyJ") {
		return false
	}
	end := tokenPartEnd(sc.text, header+1)
	if sc.byteAt(end) == '.' {
		end = tokenPartEnd(sc.text, end+1)
	}
	return sc.found(p, end, "[jwt]")
}

func tokenPartEnd(s string, i int) int {
	for i < len(s) && (isWordByte(s[i]) || s[i] == '-') {
		i++
	}
	return i
}

//nolint:gochecknoglobals // read-only table
var webhookHosts = [...]string{
	"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "outlook.office.com/webhook/",
}

// webhook matches, from the host on, URLs whose path is a credential.
func (sc *scanner) webhook(p int) bool {
	for _, host := range webhookHosts {
		if toLower(sc.text[p]) != host[0] || len(sc.text) < p+len(host) || !strings.EqualFold(sc.text[p:p+len(host)], host) {
			continue
		}
		end := p + len(host)
		for end < len(sc.text) && byteSets[sc.text[end]]&passwordSet != 0 && sc.text[end] != '|' {
			end++
		}
		if end > p+len(host) {
			return sc.found(p, end, webhookLabel)
		}
	}
	return false
}

// bearer matches the token of "Bearer <token>".
func (sc *scanner) bearer(p int) bool {
	start := p + len(bearerScheme)
	if len(sc.text) < start || !strings.EqualFold(sc.text[p:start], bearerScheme) {
		return false
	}
	if end := sc.value(start, minBearer, tokenRun); end > 0 {
		return sc.found(start, end, tokenLabel)
	}
	return false
}

// assignment matches the value of a setting with a secret name, such as password=…, "api_key": "…" or Authorization: Basic …,
// if it has at least eight characters with a letter and a digit.
func (sc *scanner) assignment(w word) bool {
	p, end := w.start, w.end
	if sc.byteAt(end) == '-' {
		end = sc.runAt(end, nameRun).end
	}
	if !sc.isAssigned(end) || end > p+maxName+1 || !secretName(sc.text[p:end]) {
		return false
	}
	i := sc.skipSpace(sc.skipQuote(end))
	open := sc.skipSpace(i + 1)
	start := sc.skipQuote(open)
	quote := sc.text[open:start] // "" or its end is the quote
	for _, scheme := range [...]string{"basic ", "bearer ", "token ", "digest "} {
		if len(sc.text) >= start+len(scheme) && strings.EqualFold(sc.text[start:start+len(scheme)], scheme) {
			start += len(scheme)
			break
		}
	}
	stop := sc.value(start, minSecret, passwordRun)
	if quote != "" {
		stop = max(stop, sc.quoted(start, quote[len(quote)-1]))
	}
	if stop == 0 || !strings.ContainsFunc(sc.text[start:min(stop, start+maxCandidate)], func(r rune) bool {
		return r < 0x80 && byteSets[byte(r)]&letterSet != 0
	}) {
		return false
	}
	return sc.found(start, stop, secretLabel)
}

// isAssigned reports whether a value follows the name that ends at end.
func (sc *scanner) isAssigned(end int) bool {
	b := sc.byteAt(end)
	if byteSets[b]&loudSet == 0 && b != ' ' {
		return false
	}
	b = sc.byteAt(sc.skipSpace(sc.skipQuote(end)))
	return b == '=' || b == ':'
}

// quoted returns the end of the value at start in these quotes, which may contain spaces; 0 unless it ends on the line, with at least
// minSecret bytes and a digit, and does not contain a label.
func (sc *scanner) quoted(start int, quote byte) int {
	found := false
	for i := start; i < len(sc.text) && i < start+maxCandidate; i++ {
		switch b := sc.text[i]; b {
		case quote:
			if i > start && sc.text[i-1] == '\\' {
				i--
			}
			if found && i-start >= minSecret {
				return i
			}
			return 0
		case '\n', '[', ']':
			return 0
		default:
			found = found || isDigit(b)
		}
	}
	return 0
}

// skipQuote skips a quote, which a backslash may escape.
func (sc *scanner) skipQuote(i int) int {
	if sc.byteAt(i) == '\\' && sc.byteAt(i+1) == '"' {
		i++
	}
	if b := sc.byteAt(i); b == '"' || b == '\'' {
		i++
	}
	return i
}

func (sc *scanner) skipSpace(i int) int {
	for stop := i + 3; i < stop && sc.byteAt(i) == ' ' && i < len(sc.text); {
		i++
	}
	return i
}

// secretNames are the ends of names of secret settings by their last letter.
//
//nolint:gochecknoglobals // read-only table
var secretNames = func() (t [256][]string) {
	for _, name := range [...]string{
		"password", "passwd", "pwd", "secret", "token", "apikey", "api_key", "api-key", "access_key", "secret_key",
		"private_key", "authorization", "accesskey", "secretkey", "accountkey", "account_key", "account-key", "passphrase",
	} {
		last := name[len(name)-1]
		t[last] = append(t[last], name)
	}
	return t
}()

// secretName reports whether the name is that of a secret setting.
func secretName(name string) bool {
	for _, suffix := range secretNames[toLower(name[len(name)-1])] {
		if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
			return true
		}
	}
	return false
}

// privateKey matches a PEM block of a private key, to the end of the text if its end is missing.
func (sc *scanner) privateKey(p int) bool {
	const begin, mark = "-----BEGIN ", "PRIVATE KEY"
	if !strings.HasPrefix(sc.text[p:], begin) {
		return false
	}
	head := sc.text[p:min(len(sc.text), p+len(begin)+40)]
	if !strings.Contains(head, mark) {
		return false
	}
	end := len(sc.text)
	if i := strings.Index(sc.text[p:], "-----END "); i >= 0 {
		tail := p + i + len("-----END ")
		if j := strings.Index(sc.text[tail:min(len(sc.text), tail+40)], "-----"); j >= 0 {
			end = tail + j + len("-----")
		}
	}
	return sc.found(p, end, "[private-key]")
}

// random matches random strings: at least 24 letters and digits of both cases that change kind more often than words do.
// Digests and UUIDs, which have one case, are kept.
func (sc *scanner) random(w word) bool {
	p, end := w.start, w.end
	if end-p < minRandom && byteSets[sc.byteAt(end)]&randomSet == 0 || byteSets[sc.before(p, 1)]&randomSet != 0 {
		return false
	}
	for end < len(sc.text) && byteSets[sc.text[end]]&randomSet != 0 {
		end++
	}
	sc.ahead.readAhead(p, end)
	return end-p >= minRandom && isRandom(sc.text[p:end]) && sc.found(p, end, secretLabel)
}

// Kinds of the bytes of a random string.
const (
	lowerKind = iota
	upperKind
	digitKind
	signKind
)

func isRandom(s string) bool {
	var seen [2]uint64
	var kinds [4]int
	changes, last := 0, signKind
	for i := range len(s) {
		b := s[i]
		kind := signKind
		switch {
		case 'a' <= b && b <= 'z':
			kind = lowerKind
		case 'A' <= b && b <= 'Z':
			kind = upperKind
		case isDigit(b):
			kind = digitKind
		}
		kinds[kind]++
		if kind != signKind {
			if last != kind && last != signKind {
				changes++
			}
			seen[b>>6] |= 1 << (b & 63)
		}
		last = kind
	}
	count := kinds[lowerKind] + kinds[upperKind] + kinds[digitKind]
	return count >= minRandom && kinds[lowerKind] > 0 && kinds[upperKind] > 0 && kinds[digitKind] >= 2 &&
		bits.OnesCount64(seen[0])+bits.OnesCount64(seen[1]) >= minDifferent && float64(changes) >= minChanges*float64(count-1)
}
