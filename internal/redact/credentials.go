package redact

import "strings"

// credentials matches user:password in ://user:password@host. The password may contain @, and / ? # where it cannot be a
// port: the match ends at the last @ that can precede the host.
func (sc *scanner) credentials(p int) (match, bool) {
	if !strings.HasPrefix(sc.text[p:], "://") {
		return match{}, false
	}
	start, colon, end := p+len("://"), -1, 0
	for i := start; i < len(sc.text) && i < start+maxCandidate; i++ {
		switch b := sc.text[i]; {
		case b == '@' && colon >= 0:
			end = i
		case b == '@':
			return match{}, false
		case b == ':' && i > start && strings.HasPrefix(sc.text[i:], "://"): // the next address
			return match{start, end, credentialsLabel}, end > 0
		case b == ':' && colon < 0:
			colon = i
		case b == '/' || b == '?' || b == '#':
			if end > 0 && strings.ContainsAny(sc.text[end+1:i], ".:") || end > 0 && i == end+1 || end == 0 && !sc.beginsPassword(colon, i) {
				return match{start, end, credentialsLabel}, end > 0
			}
		case !isPasswordByte(b):
			return match{start, end, credentialsLabel}, end > 0
		}
	}
	return match{start, end, credentialsLabel}, end > 0
}

// beginsPassword reports text after the colon that is no port.
func (sc *scanner) beginsPassword(colon, end int) bool {
	if colon < 0 || end == colon+1 {
		return false
	}
	for i := colon + 1; i < end; i++ {
		if byteClasses[sc.text[i]] != digitByte {
			return true
		}
	}
	return false
}
