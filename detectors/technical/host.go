package technical

import (
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

const (
	noteHostForm    = "no host can have this name"
	notePort        = "no port can have this number"
	noteTLD         = "there is no such top-level domain"
	noteLookalike   = "the host imitates another one by similar letters"
	noteUserinfo    = "what looks like the host is a login; the host comes after the @"
	notePlaceholder = "a placeholder for an address"
	noteAddress     = "a bare IP address that is in neither the prompt nor the sources"
	noteOtherPage   = "the prompt or the sources contain the host, but not this page"
)

// url assesses a web address.
func (c *mentionChecker) url(address string) assessment {
	bare := withoutScheme(address)
	if c.known.contains(strings.TrimSuffix(bare, "/")) {
		return assessment{}
	}
	authority := bare[:CutAny(bare, "/?#")]
	path := strings.Trim(bare[len(authority):], "/?#")
	login, host, found := cutLast(authority, '@')
	if found && strings.IndexByte(login, '.') >= 0 {
		return assessment{faultMalformed, weightUserinfo, noteUserinfo}
	}
	host, port, bad := splitPort(host)
	if bad {
		return assessment{faultMalformed, weightMalformed, notePort}
	}
	deep := path != "" || port
	if v, done := bareAddress(host); done {
		return v
	}
	if !strings.Contains(host, ".") || privateZone(host) {
		return assessment{fault: faultUndecided} // localhost or a private network
	}
	if c.known.contains(host) {
		if deep {
			return assessment{faultNotInContext, weightOtherPath, noteOtherPage}
		}
		return assessment{}
	}
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	return c.unknownHost(host, deep)
}

// cutLast returns the text before and after the last byte c; without one, all of it is after.
func cutLast(s string, c byte) (before, after string, found bool) {
	at := strings.LastIndexByte(s, c)
	return s[:max(at, 0)], s[at+1:], at >= 0
}

func withoutScheme(address string) string {
	if at := strings.Index(address, "://"); at >= 0 {
		address = address[at+len("://"):]
	}
	if len(address) > 4 && strings.EqualFold(address[:4], "www.") {
		address = address[4:]
	}
	return address
}

// splitPort splits the port off and reports whether there is one and whether it is invalid.
func splitPort(host string) (name string, port, bad bool) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return host, false, false
	}
	digits := host[at+1:]
	if digits == "" {
		return host[:at], false, false
	}
	return host[:at], true, !AllDigits(digits) || Decimal(digits) == 0 || Decimal(digits) > 65535
}

// bareAddress assesses a host that is written as an IP address.
func bareAddress(host string) (v assessment, done bool) {
	v6 := strings.HasPrefix(host, "[")
	if !v6 && strings.Trim(host, "0123456789.") != "" {
		return assessment{}, false
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case err != nil:
		return assessment{faultMalformed, weightMalformed, noteHostForm}, true
	case ip.IsLoopback() || ip.IsUnspecified():
		return assessment{fault: faultUndecided}, true
	default:
		return assessment{faultNotInContext, weightBareAddress, noteAddress}, true
	}
}

// unknownHost assesses an address whose host the context lacks.
func (c *mentionChecker) unknownHost(host string, deep bool) assessment {
	v := assessment{faultNotInContext, weightHostAlone, noteNotInContext}
	switch {
	case isFakeHost(host):
		return assessment{faultPlaceholder, weightFakeHost, notePlaceholder}
	case c.sources() && deep:
		v.weight = weightDeepLink
	case c.sources():
		v.weight = weightHost
	case deep:
		v.weight = weightDeepAlone
	}
	return v
}

// mail assesses a mail address.
func (c *mentionChecker) mail(address string) assessment {
	if c.known.contains(address) {
		return assessment{}
	}
	_, host, _ := strings.Cut(address, "@")
	if c.known.contains(host) {
		return assessment{faultNotInContext, weightMail, noteNotInContext}
	}
	if privateZone(host) {
		return assessment{fault: faultUndecided}
	}
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	if c.sources() {
		return assessment{faultNotInContext, weightMail, noteNotInContext}
	}
	return assessment{faultNotInContext, weightMailAlone, noteNotInContext}
}

// hostForm assesses a host name: syntax, letters, reserved names and top-level domain.
func hostForm(host string) assessment {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !soundLabels(host) {
		return assessment{faultMalformed, weightMalformed, noteHostForm}
	}
	if isReservedHost(host) {
		return assessment{faultPlaceholder, weightPlaceholder, notePlaceholder}
	}
	if IsForeign(host) {
		readable, err := idna.ToUnicode(host)
		switch {
		case err != nil:
			return assessment{faultMalformed, weightMalformed, noteHostForm}
		case lookalike(readable):
			return assessment{faultMalformed, weightLookalike, noteLookalike}
		}
		if host, err = idna.Lookup.ToASCII(readable); err != nil {
			return assessment{faultMalformed, weightMalformed, noteHostForm}
		}
	}
	if !knownTLD(host) {
		return assessment{faultMalformed, weightUnknownTLD, noteTLD}
	}
	return assessment{}
}

// knownTLD reports whether the top-level domain is delegated, by the Public Suffix List. Frequent ones are listed here,
// because the lookup allocates.
func knownTLD(host string) bool {
	if InList(" com org net edu gov io dev ai app co de uk fr eu info ", host[strings.LastIndexByte(host, '.')+1:]) {
		return true
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann || strings.Contains(suffix, ".")
}

// soundLabels reports whether the labels follow RFC 1123. It also accepts underscores, which are in use, and letters of other
// scripts.
func soundLabels(host string) bool {
	if len(host) > 253 {
		return false
	}
	for rest, more := host, true; more; {
		var label string
		label, rest, more = strings.Cut(rest, ".")
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
		for i := range len(label) {
			if !HostByte(label[i]) && label[i] != '_' {
				return false
			}
		}
	}
	return true
}

// isReservedHost reports whether a host is reserved for documentation (RFC 2606) or is a placeholder.
func isReservedHost(host string) bool {
	root := host
	for strings.Count(root, ".") > 1 {
		_, root, _ = strings.Cut(root, ".")
	}
	name, tld, _ := strings.Cut(root, ".")
	switch {
	case name == "example", tld == "example", tld == "test", tld == "invalid":
		return true
	case strings.HasPrefix(name, "your"), strings.HasPrefix(name, "my-"), strings.HasPrefix(name, "example-"):
		return true
	}
	return InList(" mydomain mysite mycompany myapp domain company site website yoursite ", name) && tld == "com"
}

// isFakeHost reports whether a part of the host says that it is invented, such as fake-endpoint.com.
func isFakeHost(host string) bool {
	for label := range strings.FieldsFuncSeq(host, func(r rune) bool { return r == '.' || r == '-' || r == '_' }) {
		if InList(" fake nonexistent dummy placeholder imaginary notreal fictional madeup foobar ", strings.ToLower(label)) {
			return true
		}
	}
	return false
}

// privateZone reports whether the host belongs to a zone that is local to each network.
func privateZone(host string) bool {
	tld := host[strings.LastIndexByte(host, '.')+1:]
	return InList(" local localhost internal lan home corp intranet private svc arpa onion ", strings.ToLower(tld))
}

// lookalike reports whether a label mixes Latin with Greek or Cyrillic letters, or consists only of such letters that look
// Latin while the top-level domain is Latin.
func lookalike(host string) bool {
	latinTLD := !IsForeign(host[strings.LastIndexByte(host, '.')+1:])
	for label := range strings.SplitSeq(host, ".") {
		latin, other, strange := false, false, false
		for _, r := range label {
			switch {
			case unicode.Is(unicode.Latin, r):
				latin = true
			case unicode.In(r, unicode.Cyrillic, unicode.Greek):
				other = true
				strange = strange || !strings.ContainsRune("аеорсухіјѕԁԛԝһӏοαρνυικ", r)
			}
		}
		if other && (latin || latinTLD && !strange) {
			return true
		}
	}
	return false
}
