package redact

import "strings"

// credentials matches user:password in ://user:password@host. The password may contain @, and / ? # where it cannot be a
// port: the match ends at the last @ that can precede the host.
func (sc *scanner) credentials(p int) bool {
	if !strings.HasPrefix(sc.text[p:], "://") {
		return false
	}
	start, colon, end := p+len("://"), -1, 0
	password := false // a byte after the colon that is not of a port
	host := false     // a sign of a host after the end
	for i := start; i < min(len(sc.text), start+maxCandidate); i++ {
		b := sc.text[i]
		switch {
		case b == ':' && colon < 0 && (i == start || !strings.HasPrefix(sc.text[i:], "://")):
			colon = i
			continue
		case byteSets[b]&passwordSet == 0, colon < 0 && b == '@', b == ':' && strings.HasPrefix(sc.text[i:], "://"): // the next address
			return end > 0 && sc.found(start, end, credentialsLabel)
		case b == '@':
			end, host = i, false
		case b == '/' || b == '?' || b == '#':
			if end > 0 && (host || i == end+1) || end == 0 && !password {
				return end > 0 && sc.found(start, end, credentialsLabel)
			}
		}
		password = password || colon >= 0 && !isDigit(b)
		host = host || b == '.' || b == ':'
	}
	return end > 0 && sc.found(start, end, credentialsLabel)
}
