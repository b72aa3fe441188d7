package redact

import "strings"

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
	keyLabel     = "[key]"
	tokenLabel   = "[token]"
	webhookLabel = "[webhook]"

	credentialsLabel = "[credentials]"
)

// value returns the end of the run of bytes in set at p; 0 unless it has at least least bytes and a digit among the first
// maxCandidate. Trailing full stops are not part of it.
func (sc *scanner) value(p, least int, set func(byte) bool) int {
	i, found := p, false
	for ; i < len(sc.text) && set(sc.text[i]); i++ {
		found = found || byteClasses[sc.text[i]] == digitByte
		if !found && i > p+maxCandidate {
			return 0
		}
	}
	for i > p && sc.text[i-1] == '.' {
		i--
	}
	if !found || i-p < least {
		return 0
	}
	return i
}

func isBase64URL(b byte) bool { return isWordByte(b) || b == '-' || b == '.' }

func isToken68(b byte) bool { return isBase64URL(b) || b == '~' || b == '+' || b == '/' || b == '=' }

// isPasswordByte reports whether a password may contain b; it excludes bytes that commonly end one.
func isPasswordByte(b byte) bool {
	return b > ' ' && b != 0x7f && !strings.ContainsRune("\"'`,;()[]{}<>", rune(b))
}

// jwt matches JSON Web Tokens: two or three base64url parts, the first two of which are objects.
func (sc *scanner) jwt(p int) (match, bool) {
	if !strings.HasPrefix(sc.text[p:], "eyJ") || sc.before(p, 1) == '-' {
		return match{}, false
	}
	header := tokenPartEnd(sc.text, p)
	if header-p < 10 || !strings.HasPrefix(sc.text[header:], ".eyJ") {
		return match{}, false
	}
	end := tokenPartEnd(sc.text, header+1)
	if sc.byteAt(end) == '.' {
		end = tokenPartEnd(sc.text, end+1)
	}
	return match{p, end, "[jwt]"}, true
}

func tokenPartEnd(s string, i int) int {
	for i < len(s) && (isWordByte(s[i]) || s[i] == '-') {
		i++
	}
	return i
}

// webhook matches, from the host on, URLs whose path is a credential.
func (sc *scanner) webhook(p int) (match, bool) {
	for _, host := range [...]string{
		"hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "outlook.office.com/webhook/",
	} {
		if toLower(sc.text[p]) != host[0] || len(sc.text) < p+len(host) || !strings.EqualFold(sc.text[p:p+len(host)], host) {
			continue
		}
		end := p + len(host)
		for end < len(sc.text) && isPasswordByte(sc.text[end]) && sc.text[end] != '|' {
			end++
		}
		if end > p+len(host) {
			return match{p, end, webhookLabel}, true
		}
	}
	return match{}, false
}

// bearer matches the token of "Bearer <token>".
func (sc *scanner) bearer(p int) (match, bool) {
	const scheme = "bearer "
	if len(sc.text) < p+len(scheme) || !strings.EqualFold(sc.text[p:p+len(scheme)], scheme) {
		return match{}, false
	}
	start := p + len(scheme)
	if end := sc.value(start, minBearer, isToken68); end > 0 {
		return match{start, end, tokenLabel}, true
	}
	return match{}, false
}

// assignment matches the value of a setting with a secret name, such as password=…, "api_key": "…" or Authorization: Basic …,
// if it has at least eight characters with a letter and a digit.
func (sc *scanner) assignment(p int) (match, bool) {
	end := p
	for end < len(sc.text) && end <= p+maxName && (isWordByte(sc.text[end]) || sc.text[end] == '-') {
		end++
	}
	if !secretName(sc.text[p:end]) {
		return match{}, false
	}
	i := sc.skipQuote(end)
	i = sc.skipSpace(i)
	if b := sc.byteAt(i); b != '=' && b != ':' {
		return match{}, false
	}
	open := sc.skipSpace(i + 1)
	start := sc.skipQuote(open)
	quote := sc.text[open:start] // "" or its end is the quote
	for _, scheme := range [...]string{"basic ", "bearer ", "token ", "digest "} {
		if len(sc.text) >= start+len(scheme) && strings.EqualFold(sc.text[start:start+len(scheme)], scheme) {
			start += len(scheme)
			break
		}
	}
	stop := sc.value(start, minSecret, isPasswordByte)
	if quote != "" {
		stop = max(stop, sc.quoted(start, quote[len(quote)-1]))
	}
	if stop == 0 || !strings.ContainsFunc(sc.text[start:min(stop, start+maxCandidate)], func(r rune) bool {
		return r < 0x80 && byteClasses[byte(r)] == letterByte
	}) {
		return match{}, false
	}
	return match{start, stop, secretLabel}, true
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
			found = found || byteClasses[b] == digitByte
		}
	}
	return 0
}

// skipQuote skips a quote, which a backslash may escape.
func (sc *scanner) skipQuote(i int) int {
	if sc.byteAt(i) == '\\' && sc.byteAt(i+1) == '"' {
		i++
	}
	return sc.skip(i, "\"'")
}

func (sc *scanner) skip(i int, set string) int {
	if strings.IndexByte(set, sc.byteAt(i)) >= 0 {
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

func secretName(name string) bool {
	for _, suffix := range [...]string{
		"password", "passwd", "pwd", "secret", "token", "apikey", "api_key", "api-key", "access_key", "secret_key",
		"private_key", "authorization", "accesskey", "secretkey", "accountkey", "account_key", "account-key", "passphrase",
	} {
		if n := len(name) - len(suffix); n >= 0 && strings.EqualFold(name[n:], suffix) {
			return true
		}
	}
	return false
}

// privateKey matches a PEM block of a private key, to the end of the text if its end is missing.
func (sc *scanner) privateKey(p int) (match, bool) {
	const begin, mark = "-----BEGIN ", "PRIVATE KEY"
	if !strings.HasPrefix(sc.text[p:], begin) {
		return match{}, false
	}
	head := sc.text[p:min(len(sc.text), p+len(begin)+40)]
	if !strings.Contains(head, mark) {
		return match{}, false
	}
	end := len(sc.text)
	if i := strings.Index(sc.text[p:], "-----END "); i >= 0 {
		tail := p + i + len("-----END ")
		if j := strings.Index(sc.text[tail:min(len(sc.text), tail+40)], "-----"); j >= 0 {
			end = tail + j + len("-----")
		}
	}
	return match{p, end, "[private-key]"}, true
}

// random matches random strings: at least 24 letters and digits of both cases that change kind more often than words do.
// Digests and UUIDs, which have one case, are kept.
func (sc *scanner) random(p int) (match, bool) {
	if isRandomByte(sc.before(p, 1)) {
		return match{}, false
	}
	var seen [256]bool
	var kinds [3]int
	count, changes, different, last := 0, 0, 0, -1
	i := p
	for ; i < len(sc.text) && isRandomByte(sc.text[i]); i++ {
		b := sc.text[i]
		kind := -1
		switch {
		case 'a' <= b && b <= 'z':
			kind = 0
		case 'A' <= b && b <= 'Z':
			kind = 1
		case byteClasses[b] == digitByte:
			kind = 2
		}
		if kind >= 0 {
			count++
			kinds[kind]++
			if last >= 0 && last != kind {
				changes++
			}
			if !seen[b] {
				seen[b] = true
				different++
			}
		}
		last = kind
	}
	if count < minRandom || kinds[0] == 0 || kinds[1] == 0 || kinds[2] < 2 || different < minDifferent ||
		float64(changes) < minChanges*float64(count-1) {
		return match{}, false
	}
	return match{p, i, secretLabel}, true
}

func isRandomByte(b byte) bool { return isWordByte(b) || b == '+' || b == '/' || b == '=' || b == '-' }
