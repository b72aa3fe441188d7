package technical

import (
	"net/netip"
	"strings"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"confab/detectors/technical/mentions"
)

// Notes on addresses, all fixed.
const (
	noteHostForm    = "no host can have this name"
	notePort        = "no port can have this number"
	noteTLD         = "there is no such top-level domain"
	noteLookalike   = "the host is written to look like another one"
	noteUserinfo    = "what looks like the host is a login; the host comes behind the @"
	notePlaceholder = "a stand-in for an address"
	noteAddress     = "a bare IP address that is in neither the prompt nor the sources"
	noteOtherPage   = "the prompt or the sources know the host, not this page"
)

// url judges a web address.
func (j *mentionChecker) url(address string) assessment {
	bare := withoutScheme(address)
	if j.known.contains(strings.TrimSuffix(bare, "/")) {
		return assessment{}
	}
	authority := bare[:mentions.CutAny(bare, "/?#")]
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
		return assessment{fault: faultUnknown} // localhost, or a name of one's own network
	}
	if j.known.contains(host) { // then it is as sound as it can be
		return otherPage(deep)
	}
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	return j.unknownHost(deep)
}

// cutLast is what is before and behind the last of the bytes; without one, all is behind it.
func cutLast(s string, c byte) (before, after string, found bool) {
	at := strings.LastIndexByte(s, c)
	return s[:max(at, 0)], s[at+1:], at >= 0
}

// otherPage judges an address whose host the context holds.
func otherPage(deep bool) assessment {
	if deep {
		return assessment{faultNotInContext, weightOtherPath, noteOtherPage}
	}
	return assessment{}
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

// splitPort cuts the port off, and says whether there is one and whether it is none that exists.
func splitPort(host string) (name string, port, bad bool) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") {
		return host, false, false
	}
	digits := host[at+1:]
	if digits == "" {
		return host[:at], false, false
	}
	return host[:at], true, !mentions.AllDigits(digits) || mentions.Decimal(digits) == 0 || mentions.Decimal(digits) > 65535
}

// bareAddress judges a host that is written as an IP address.
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
		return assessment{fault: faultUnknown}, true
	default:
		return assessment{faultNotInContext, weightBareAddress, noteAddress}, true
	}
}

// unknownHost judges an address whose host the context does not hold.
func (j *mentionChecker) unknownHost(deep bool) assessment {
	v := assessment{faultNotInContext, weightHostAlone, noteNotInContext}
	switch {
	case j.sources() && deep:
		v.weight = weightDeepLink
	case j.sources():
		v.weight = weightHost
	case deep:
		v.weight = weightDeepAlone
	}
	return v
}

// mail judges a mail address.
func (j *mentionChecker) mail(address string) assessment {
	if j.known.contains(address) {
		return assessment{}
	}
	_, host, _ := strings.Cut(address, "@")
	if j.known.contains(host) {
		return assessment{faultNotInContext, weightMail, noteNotInContext}
	}
	if privateZone(host) {
		return assessment{fault: faultUnknown}
	}
	if v := hostForm(host); v.fault != faultNone {
		return v
	}
	if j.sources() {
		return assessment{faultNotInContext, weightMail, noteNotInContext}
	}
	return assessment{faultNotInContext, weightMailAlone, noteNotInContext}
}

// hostForm judges the name of a host: its syntax, its letters, what it is reserved for, its top-level domain.
func hostForm(host string) assessment {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if !soundLabels(host) {
		return assessment{faultMalformed, weightMalformed, noteHostForm}
	}
	if isReservedHost(host) {
		return assessment{faultPlaceholder, weightPlaceholder, notePlaceholder}
	}
	if mentions.IsForeign(host) {
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

// knownTLD asks the Public Suffix List whether the top-level domain is delegated. The usual ones need no asking, which
// allocates.
func knownTLD(host string) bool {
	if mentions.InList(" com org net edu gov io dev ai app co de uk fr eu info ", host[strings.LastIndexByte(host, '.')+1:]) {
		return true
	}
	suffix, icann := publicsuffix.PublicSuffix(host)
	return icann || strings.Contains(suffix, ".")
}

// soundLabels reports whether the labels keep the rules of RFC 1123; underscores, which are in use, and letters of other
// scripts are let through.
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
			if !mentions.HostByte(label[i]) && label[i] != '_' {
				return false
			}
		}
	}
	return true
}

// isReservedHost reports whether a host is reserved for documentation (RFC 2606), or plainly stands for the reader's own.
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
	return mentions.InList(" mydomain mysite mycompany myapp domain company site website yoursite ", name) && tld == "com"
}

// privateZone reports whether names of the zone mean something else in every network.
func privateZone(host string) bool {
	tld := host[strings.LastIndexByte(host, '.')+1:]
	return mentions.InList(" local localhost internal lan home corp intranet private svc arpa onion ", strings.ToLower(tld))
}

// lookalike reports whether a label mixes Latin with Greek or Cyrillic letters, or is made of such letters of those that
// look Latin, under a top-level domain that is Latin.
func lookalike(host string) bool {
	latinTLD := !mentions.IsForeign(host[strings.LastIndexByte(host, '.')+1:])
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
