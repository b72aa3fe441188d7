package redact

import (
	"math/bits"
	"strings"
)

const (
	// maxCandidate limits the bytes that are read before a candidate is confirmed. A confirmed one is read to its end, where
	// the scan continues, so the total is linear.
	maxCandidate = 256

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
var runSets = [runKinds]byteSet{base64Run: base64Set, tokenRun: tokenSet}

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
	if header-p < 10 {
		return false
	}
	if !strings.HasPrefix(sc.text[header:], ".eyJ") {
		return sc.encrypted(p, header)
	}
	end := tokenPartEnd(sc.text, header+1)
	if sc.byteAt(end) == '.' {
		end = tokenPartEnd(sc.text, end+1)
	}
	return sc.found(p, end, "[jwt]")
}

// encrypted matches an encrypted JSON Web Token: five parts, of which the second may be empty.
func (sc *scanner) encrypted(p, end int) bool {
	for part := range 4 {
		if sc.byteAt(end) != '.' {
			return false
		}
		next := tokenPartEnd(sc.text, end+1)
		if part > 0 && next == end+1 {
			return false
		}
		end = next
	}
	sc.ahead.readAhead(p, end)
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
