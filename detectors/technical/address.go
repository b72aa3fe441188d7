package technical

import (
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
)

// Words between spaces.
const (
	inventedWords = " nonexistent imaginary notreal fictional madeup "
	fakeHostWords = inventedWords + "fake dummy placeholder foobar "
	// sharedHosts carry pages of everyone: another page there is no guess about a site.
	sharedHosts = " github.com gitlab.com bitbucket.org codeberg.org youtube.com en.wikipedia.org medium.com stackoverflow.com pypi.org npmjs.com google.com docs.google.com "
)

var (
	localPart   = regexp.MustCompile(`(?i)[?&]utm_.*$`)
	oddVersion  = regexp.MustCompile(`(?:^|/)v[1-9]\d{2,}(?:/|$)`)
	addressName = regexp.MustCompile(`(?i)^(?:[a-z]+://)?(?:www\.)?`)
)

// address assesses a web address.
func (c *checker) address(words string) *rule {
	bare := words[len(addressName.FindString(words)):]
	page := localPart.ReplaceAllString(bare[:cutAny(bare, "#")], "")
	authority := bare[:cutAny(bare, "/?#")]
	path := strings.Trim(bare[len(authority):], "/?#")
	at := strings.LastIndexByte(authority, '@')
	host, port, bad := splitPort(authority[at+1:])
	switch r := bareAddress(host); {
	case c.known.contains(strings.TrimSuffix(bare, "/")), c.known.contains(strings.TrimSuffix(page, "/")):
		return sound
	case at >= 0 && strings.IndexByte(authority[:at], '.') >= 0:
		return hostLogin
	case bad:
		return hostPort
	case r != nil:
		return r
	case !strings.Contains(host, "."), privateZone(host):
		return undecided // localhost or a private network
	}
	return c.hostOf(host, path, path != "" || port)
}

// hostOf assesses an address by its host and path.
func (c *checker) hostOf(host, path string, deep bool) *rule {
	if !c.known.contains(host) {
		return c.unknownHost(host, path, deep)
	}
	switch {
	case !deep:
		return sound
	case c.sources() && c.known.inSources(host) && !inList(sharedHosts, strings.ToLower(host)):
		return pageOther
	default:
		return pageNear
	}
}

// unknownHost assesses an address whose host the context lacks.
func (c *checker) unknownHost(host, path string, deep bool) *rule {
	switch r := hostFault(host); {
	case r != sound:
		return r
	case hasWord(fakeHostWords, host), strings.HasPrefix(rootOf(strings.ToLower(host)), "example-"):
		return hostFake
	case hasWord(inventedWords, path) || oddVersion.MatchString(path):
		return pathFake
	case !c.sources():
		return unsourced
	case deep:
		return pageUnknown
	default:
		return hostUnknown
	}
}

// splitPort splits the port off and reports whether there is one and whether it is invalid.
func splitPort(host string) (name string, port, bad bool) {
	at := strings.LastIndexByte(host, ':')
	if at < 0 || strings.HasSuffix(host, "]") || at == len(host)-1 {
		return strings.TrimSuffix(host, ":"), false, false
	}
	n, err := strconv.ParseUint(host[at+1:], 10, 16)
	return host[:at], true, err != nil || n == 0
}

// bareAddress assesses a host that is written as an IP address; nil for others.
func bareAddress(host string) *rule {
	if !strings.HasPrefix(host, "[") && strings.Trim(host, "0123456789.") != "" {
		return nil
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	switch {
	case err != nil:
		return hostForm
	case ip.IsLoopback() || ip.IsUnspecified():
		return undecided
	default:
		return hostAddress
	}
}

func (c *checker) mailbox(address string) *rule {
	_, host, _ := strings.Cut(address, "@")
	switch {
	case c.known.contains(address):
		return sound
	case c.known.contains(host):
		return mailUnknown
	case privateZone(host):
		return undecided
	}
	if r := hostFault(host); r != sound {
		return r
	}
	if c.sources() {
		return mailUnknown
	}
	return unsourced
}

// label is one of a host name (RFC 1123). Underscores, which are in use, and letters of other scripts are accepted.
var label = regexp.MustCompile(`^[^\x00-,./:-@\[-^` + "`" + `{-\x7f-](?:[^\x00-,./:-@\[-^` + "`" + `{-\x7f]*[^\x00-,./:-@\[-^` + "`" + `{-\x7f-])?$`)

// hostFault assesses a host name: syntax, letters, reserved names and top-level domain.
func hostFault(host string) *rule {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	for part := range strings.SplitSeq(host, ".") {
		if len(host) > 253 || len(part) > 63 || !label.MatchString(part) {
			return hostForm
		}
	}
	if isReserved(host) {
		return hostReserve
	}
	ascii := host
	if isForeign(host) {
		readable, err := idna.ToUnicode(host)
		if err == nil && lookalike(readable) {
			return hostLike
		}
		if ascii, err = idna.Lookup.ToASCII(readable); err != nil {
			return hostForm
		}
	}
	// A top-level domain is delegated if the Public Suffix List has it.
	if suffix, icann := publicsuffix.PublicSuffix(ascii); !icann && !strings.Contains(suffix, ".") {
		return hostTLD
	}
	return sound
}

// rootOf returns the last two labels of a host.
func rootOf(host string) string {
	if at := strings.LastIndexByte(host, '.'); at > 0 {
		return host[strings.LastIndexByte(host[:at], '.')+1:]
	}
	return host
}

// isForeign reports whether the host has non-ASCII letters, verbatim or as punycode.
func isForeign(host string) bool {
	return strings.Contains(host, "xn--") || strings.ContainsFunc(host, func(r rune) bool { return r > unicode.MaxASCII })
}

// isReserved reports whether a host is reserved for documentation (RFC 2606) or is a placeholder.
func isReserved(host string) bool {
	name, tld, _ := strings.Cut(rootOf(host), ".")
	switch {
	case name == "example", tld == "example", tld == "test", tld == "invalid", strings.HasPrefix(name, "your"), strings.HasPrefix(name, "my-"):
		return true
	}
	return tld == "com" && inList(" mydomain mysite mycompany myapp domain company site website yoursite ", name)
}

// hasWord reports whether the list has a part of the name, such as fake of fake-endpoint.com.
func hasWord(list, name string) bool {
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return strings.ContainsRune(".-_/", r) }) {
		if inList(list, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// privateZone reports whether the host belongs to a zone that is local to each network.
func privateZone(host string) bool {
	return inList(" local localhost internal lan home corp intranet private svc arpa onion ", strings.ToLower(host[strings.LastIndexByte(host, '.')+1:]))
}

// lookalike reports whether a label mixes Latin with Greek or Cyrillic letters, or consists only of such letters that look
// Latin while the top-level domain is Latin.
func lookalike(host string) bool {
	latinTLD := !isForeign(host[strings.LastIndexByte(host, '.')+1:])
	return slices.ContainsFunc(strings.Split(host, "."), func(part string) bool {
		return mixedLetters.MatchString(part) || latinTLD && likeLatin.MatchString(part)
	})
}

var (
	mixedLetters = regexp.MustCompile(`\p{Latin}.*[\p{Cyrillic}\p{Greek}]|[\p{Cyrillic}\p{Greek}].*\p{Latin}`)
	likeLatin    = regexp.MustCompile(`^[^\p{Cyrillic}\p{Greek}]*[аеорсухіјѕԁԛԝһӏοαρνυικ](?:[^\p{Cyrillic}\p{Greek}]|[аеорсухіјѕԁԛԝһӏοαρνυικ])*$`)
)

var (
	soundDOI = regexp.MustCompile(`^10\.\d{4,9}(?:\.\d+)*/[\pL\pN_(.;:-]`)
	fakeDOI  = regexp.MustCompile(`(?i)^10\.(?:1234|5555|12345|9999)/|/(?:example|xyz123$|.*xxxx|.*123456789)`)
	anyDOI   = regexp.MustCompile(`10\.\d{4,9}/`)
	anyArXiv = regexp.MustCompile(`arxiv`)
	newArXiv = regexp.MustCompile(`^(\d{4})\.(\d+)(?:v\d+)?$`)
	oldArXiv = regexp.MustCompile(`^[^/]+/(\d{4})\d{3}(?:v\d+)?$`)
	version  = regexp.MustCompile(`v\d+$`)
	// What follows a part of an identifier. A DOI goes on behind brackets and dots; an arXiv id may have a version.
	longerDOI   = regexp.MustCompile(`^(?:[\pL\pN_]|-\w|[.:;](?:[a-z]+\.)*\d|\(\d\d?\))`)
	bracketDOI  = regexp.MustCompile(`^(?:\S)`)
	longerArXiv = regexp.MustCompile(`^(?:[a-uw-z\d_]|v\D|\.\d|-\w)`)
)

// identifier assesses a DOI or an arXiv id.
func (c *checker) identifier(m *mention, id string) verdict {
	longer, listed := longerDOI, anyDOI
	switch {
	case m.kind == arXiv:
		id, longer, listed = version.ReplaceAllString(id, ""), longerArXiv, anyArXiv
	case strings.Count(id, "(") > strings.Count(id, ")"):
		longer = bracketDOI
	}
	if c.known.find(id, longer) >= 0 {
		return verdict{sound, ""}
	}
	fault := sound
	switch {
	case m.kind == arXiv:
		fault = arXivFault(id, c.doc.Interaction().OccurredAt)
	case !soundDOI.MatchString(id):
		fault = doiForm
	case fakeDOI.MatchString(id):
		fault = doiFake
	}
	switch {
	case fault != sound:
		return verdict{fault, ""}
	case !c.sources():
		return verdict{idUnsourced, ""}
	case c.known.matches(listed):
		return verdict{idOther, ""}
	default:
		return verdict{idUnknown, ""}
	}
}

// arXivFault assesses an id of either form: 2301.01234, since April 2007, or hep-th/9901001 before.
func arXivFault(id string, at time.Time) *rule {
	if m := oldArXiv.FindStringSubmatch(id); m != nil {
		return oldArXivFault(m[1])
	}
	m := newArXiv.FindStringSubmatch(id)
	if m == nil {
		return arXivForm
	}
	yymm, _ := strconv.Atoi(m[1])
	digits := 5
	if yymm < 1501 {
		digits = 4
	}
	switch n, err := strconv.Atoi(m[2]); {
	case !isMonth(yymm%100) || yymm < 704:
		return arXivMonth
	case len(m[2]) != digits || n == 0 || err != nil:
		return arXivForm
	case isAfter(yymm, at):
		return arXivAhead
	case n > mostPapers:
		return arXivRange
	}
	return sound
}

func oldArXivFault(month string) *rule {
	if yymm, _ := strconv.Atoi(month); !isMonth(yymm%100) || yymm < 9107 && yymm > 703 {
		return arXivMonth
	}
	return sound
}

func isMonth(n int) bool { return 1 <= n && n <= 12 }

// isAfter reports whether the month is after the answer, with one day of tolerance for time zones.
func isAfter(yymm int, at time.Time) bool {
	if at.IsZero() {
		return false
	}
	at = at.UTC().AddDate(0, 0, 1)
	return 2000+yymm/100 > at.Year() || 2000+yymm/100 == at.Year() && yymm%100 > int(at.Month())
}

// mostPapers is a bound on the papers of a month: an estimate of our own, about 1.5 times the busiest month until now.
const mostPapers = 60_000
