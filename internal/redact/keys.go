package redact

import (
	"regexp"
	"strings"
)

const (
	maxMixed     = 48  // letters that are read to tell a key from a name
	minRandom    = 24  // letters and digits of a random string
	minChanges   = .42 // changes among lower, upper and digit per pair of neighbours; random base 62 has .62, camelCase .33
	minDifferent = 12  // distinct characters of a random string
)

// keyPrefixes are the prefixes of issuers' keys by the least number of further characters. What follows them has a digit, or capitals in
// between as a random string has. Of [hexKeys] it is that many hexadecimal digits.
//
//nolint:gochecknoglobals // read-only tables
var (
	keyPrefixes = map[int]string{
		10: "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxc- xoxd- xapp- rzp_live_ rzp_test_ CFPAT-",
		16: "sk- whsec_ glpat- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- glptt- GR1348941 AKIA ASIA sq0atp- sq0csp- lsv2_pt_ lsv2_sk_ phc_ phx_ FLWSECK- " +
			"FLWSECK_TEST- NRAK- NRJS- NRII- EZAK EZTK",
		20: "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ ya29. hf_ api_org_ gsk_ lin_api_ lin_oauth_ dckr_pat_ dckr_oat_ GOCSPX- glsa_ glc_ pplx- tvly- sntrys_ " +
			"sntryu_ hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. figd_ sbp_ nfp_ ntn_ secret_ xai- PMAK- fo1_ pul- pnu_ shppa_ shpat_ shpca_ shpss_ pat-na1- " +
			"pat-eu1- mlsn. xkeysib- xsmtpsib- re_ cfut_ vcp_ tfp_ rnd_ nvapi- csk- fw_ jina_ vcr_ ops_ ATATT3 ATCTT3 ATBB patch_ duffel_live_ dor_v1_ EAAC",
		30:      "AIza npm_ r8_ SG. oy2 APA91b sl.",
		38:      "bc1q bc1p ltc1q addr1q",
		40:      "pypi- dop_v1_ doo_v1_ AGE-SECRET-KEY-1 rubygems_",
		hexKeys: "dapi key- SK",
	}
	keysByStart = func() (t [128][]keyPrefix) {
		for tail, prefixes := range keyPrefixes {
			for prefix := range strings.FieldsSeq(prefixes) {
				t[prefix[0]] = append(t[prefix[0]], keyPrefix{prefix, tail})
			}
		}
		return t
	}()
)

const hexKeys = 32

// keyPrefix is a prefix of an issuer's keys.
type keyPrefix struct {
	prefix string
	tail   int
}

// knownKey matches keys with an issuer's prefix.
func (sc *scanner) knownKey(p int) bool {
	longest := 0
	for _, k := range keysByStart[sc.text[p]] {
		if sc.byteAt(p+1) == k.prefix[1] && strings.HasPrefix(sc.text[p:], k.prefix) {
			longest = max(longest, sc.keyEnd(p+len(k.prefix), k.tail))
		}
	}
	return sc.add(p, longest, keyLabel)
}

// keyEnd is the end of the key whose tail begins at p; 0 for none. Trailing full stops are not part of it.
func (sc *scanner) keyEnd(p, least int) int {
	if least == hexKeys {
		end := p
		for end <= p+least && isHexDigit(sc.byteAt(end)) {
			end++
		}
		if end != p+least || isWordByte(sc.byteAt(end)) {
			return 0
		}
		return end
	}
	run := sc.window(min(p, len(sc.text)))
	end := p
	for end < p+len(run) && byteSets[sc.text[end]]&base64Set != 0 {
		end++
	}
	run = strings.TrimRight(sc.text[p:end], ".")
	if !strings.ContainsFunc(run, isDigitRune) && (len(run) < minRandom || !isMixed(run[:min(len(run), maxMixed)], 3)) || len(run) < least {
		return 0
	}
	return p + len(strings.TrimRight(sc.text[p:sc.runEnd(end, base64Set)], "."))
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

// isMixed reports whether lower and upper case change between that many tenths of the neighbours: five in a random string of
// letters, less than three in names such as accessTokenValue.
func isMixed(s string, tenths int) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if isUpper(s[i]) != isUpper(s[i-1]) {
			changes++
		}
	}
	return 10*changes >= tenths*(len(s)-1)
}

// Forms of secrets with a known beginning. A JSON Web Token has three parts, of which the last may be missing and the first two are
// objects, or five if it is encrypted.
var (
	jwtForm     = regexp.MustCompile(`^eyJ[\w-]{7,}(?:\.eyJ[\w-]*(?:\.[\w-]*)?|\.[\w-]*(?:\.[\w-]+){3})`)
	webhookForm = regexp.MustCompile("(?i)^(?:hooks\\.slack\\.com/|discord(?:app)?\\.com/api/webhooks/|outlook\\.office\\.com/webhook/)[^\x00- \x7f\"'`,;()\\[\\]{}<>|]+")
	pemBegin    = regexp.MustCompile(`^-----BEGIN .{0,29}PRIVATE KEY`)
)

func (sc *scanner) jwt(p int) bool {
	if !strings.HasPrefix(sc.text[p:], "eyJ") || sc.before(p, 1) == '-' {
		return false
	}
	return sc.add(p, p+len(jwtForm.FindString(sc.text[p:])), jwtLabel)
}

// webhook matches, from the host on, URLs whose path is a credential.
func (sc *scanner) webhook(p, end int) bool {
	if sc.byteAt(end) != '.' || strings.IndexByte("hHdDoO", sc.text[p]) < 0 || !webhookForm.MatchString(sc.window(p)) {
		return false
	}
	return sc.add(p, p+len(webhookForm.FindString(sc.text[p:])), webhookLabel)
}

// privateKey matches a PEM block of a private key, to the end of the text if its end is missing.
func (sc *scanner) privateKey(p int) bool {
	if !pemBegin.MatchString(sc.window(p)) {
		return false
	}
	end := len(sc.text)
	if at := strings.Index(sc.text[p:], "-----END "); at >= 0 {
		tail := sc.window(p + at + len("-----END "))
		if n := strings.Index(tail, "-----"); n >= 0 {
			end = p + at + len("-----END ") + n + len("-----")
		}
	}
	return sc.add(p, end, privateKeyLabel)
}

// wallet matches addresses and keys of wallets: 0x and 40 or 64 hexadecimal digits.
func (sc *scanner) wallet(p, end int) bool {
	if n := end - p; n != 42 && n != 66 || sc.text[p+1]|0x20 != 'x' {
		return false
	}
	for i := p + 2; i < end; i++ {
		if !isHexDigit(sc.text[i]) {
			return false
		}
	}
	return sc.add(p, end, walletLabel)
}

// random matches random strings: at least 24 letters and digits of both cases that change kind more often than words do.
// Digests and UUIDs, which have one case, are kept.
func (sc *scanner) random(p, end int) bool {
	if end-p < minRandom && byteSets[sc.byteAt(end)]&randomSet == 0 || byteSets[sc.before(p, 1)]&randomSet != 0 {
		return false
	}
	end = sc.runEnd(end, randomSet)
	if end-p < minRandom || !isRandom(sc.text[p:end]) {
		return false
	}
	return sc.add(p, end, secretLabel)
}

func isRandom(s string) bool {
	var seen [128]bool
	var kinds [3]int // lower, upper, digit
	different, changes, last := 0, 0, -1
	for i := range len(s) {
		kind := 0
		switch b := s[i]; {
		case isUpper(b):
			kind = 1
		case isDigit(b):
			kind = 2
		case !isLetter(b):
			last = -1
			continue
		}
		kinds[kind]++
		if last != kind && last >= 0 {
			changes++
		}
		if last = kind; !seen[s[i]] {
			seen[s[i]] = true
			different++
		}
	}
	count := kinds[0] + kinds[1] + kinds[2]
	return count >= minRandom && kinds[0] > 0 && kinds[1] > 0 && kinds[2] >= 2 && different >= minDifferent && float64(changes) >= minChanges*float64(count-1)
}
