package format

import (
	"net/netip"
	"strings"
)

// isURI validates a reference by RFC 3986, or RFC 3987 if international.
func isURI(s string, international, absolute bool) bool {
	if !uriBytes(s, international) {
		return false
	}
	rest := s
	if colon := strings.IndexByte(s, ':'); colon >= 0 && !strings.ContainsAny(s[:colon], "/?#") {
		if !isScheme(s[:colon]) {
			return false // a relative path whose first segment has a colon
		}
		rest = s[colon+1:]
	} else if absolute {
		return false
	}
	rest, fragment, _ := strings.Cut(rest, "#")
	rest, query, _ := strings.Cut(rest, "?")
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		authority, path := after, ""
		if slash := strings.IndexByte(after, '/'); slash >= 0 {
			authority, path = after[:slash], after[slash:]
		}
		if !isAuthority(authority) {
			return false
		}
		rest = path
	}
	return !strings.ContainsAny(fragment, "#[]") && !strings.ContainsAny(rest+query, "[]")
}

// uriBytes reports whether s consists of URI characters with complete percent-encodings.
func uriBytes(s string, international bool) bool {
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case Class(b) != 0, strings.IndexByte("-._~:/?#[]@!$&'()*+,;=", b) >= 0, b >= 0x80 && international:
		case b == '%' && i+2 < len(s) && isHex(s[i+1:i+3]):
			i += 2
		default:
			return false
		}
	}
	return true
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

func isScheme(s string) bool {
	if s == "" || Class(s[0]) != 'a' {
		return false
	}
	for i := range len(s) {
		if Class(s[i]) == 0 && strings.IndexByte("+-.", s[i]) < 0 {
			return false
		}
	}
	return true
}

// isAuthority checks [userinfo@]host[:port].
func isAuthority(s string) bool {
	user, host, found := strings.Cut(s, "@")
	if !found {
		user, host = "", s
	}
	if strings.ContainsAny(user, "[]") || strings.Contains(host, "@") {
		return false
	}
	if literal, ok := strings.CutPrefix(host, "["); ok {
		address, port, closed := strings.Cut(literal, "]")
		return closed && isLiteral(address) && (port == "" || port[0] == ':' && isPort(port[1:]))
	}
	name, port, _ := strings.Cut(host, ":")
	return !strings.ContainsAny(name, "[]") && isPort(port)
}

func isPort(s string) bool { return s == "" || isDigits(s) }

// isLiteral checks the content of a host's brackets: IPv6 or IPvFuture.
func isLiteral(s string) bool {
	if s != "" && s[0]|0x20 == 'v' {
		version, address, dot := strings.Cut(s[1:], ".")
		return dot && version != "" && isHex(version) && address != "" && !strings.ContainsAny(address, "/?#[]@%")
	}
	a, err := netip.ParseAddr(s)
	return err == nil && a.Is6() && a.Zone() == ""
}
