package redact

import "strings"

// maxMixed limits the letters that are read to tell a key from a name.
const maxMixed = 48

// walletLabel replaces what identifies a wallet.
const walletLabel = "[wallet]"

// keyPrefix is a prefix of an issuer's keys.
type keyPrefix struct {
	prefix string
	tail   int   // the least number of further characters; exactly so many in hexadecimal
	form   uint8 // of the tail
}

// Forms of tails.
const (
	mixedTail = iota // has a digit, or capitals in between as a random string has
	hexTail
)

//nolint:gochecknoglobals // read-only table
var keyPrefixes = func() (all []keyPrefix) {
	for _, set := range [...]struct {
		tail     int
		form     uint8
		prefixes string
	}{
		{10, mixedTail, "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_ xoxb- xoxa- xoxp- xoxr- xoxs- xoxe- xoxc- xoxd- xapp- rzp_live_ rzp_test_ CFPAT-"},
		{16, mixedTail, "sk- whsec_ glpat- gldt- glrt- glcbt- glft- glsoat- glimt- glagent- glptt- GR1348941 AKIA ASIA sq0atp- sq0csp- lsv2_pt_ lsv2_sk_ phc_ phx_ FLWSECK- " +
			"FLWSECK_TEST- NRAK- NRJS- NRII- EZAK EZTK"},
		{20, mixedTail, "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ ya29. hf_ api_org_ gsk_ lin_api_ lin_oauth_ dckr_pat_ dckr_oat_ GOCSPX- glsa_ glc_ pplx- tvly- sntrys_ " +
			"sntryu_ hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. figd_ sbp_ nfp_ ntn_ secret_ xai- PMAK- fo1_ pul- pnu_ shppa_ shpat_ shpca_ shpss_ pat-na1- " +
			"pat-eu1- mlsn. xkeysib- xsmtpsib- re_ cfut_ vcp_ tfp_ rnd_ nvapi- csk- fw_ jina_ vcr_ ops_ ATATT3 ATCTT3 ATBB patch_ duffel_live_ dor_v1_ EAAC 1//0"},
		{30, mixedTail, "AIza npm_ r8_ SG. oy2 APA91b sl."},
		{38, mixedTail, "bc1q bc1p ltc1q addr1q"},
		{40, mixedTail, "pypi- dop_v1_ doo_v1_ AGE-SECRET-KEY-1 rubygems_"},
		{32, hexTail, "dapi key- SK"},
	} {
		for prefix := range strings.FieldsSeq(set.prefixes) {
			all = append(all, keyPrefix{prefix, set.tail, set.form})
		}
	}
	return all
}()

// keysByStart are the prefixes by their first byte.
//
//nolint:gochecknoglobals // read-only table
var keysByStart = func() (t [128][]keyPrefix) {
	for _, k := range keyPrefixes {
		t[k.prefix[0]] = append(t[k.prefix[0]], k)
	}
	return t
}()

// knownKey matches keys with an issuer's prefix.
func (sc *scanner) knownKey(p int) bool {
	for _, k := range keysByStart[sc.text[p]] {
		tail := p + len(k.prefix)
		if sc.byteAt(p+1) != k.prefix[1] || !strings.HasPrefix(sc.text[p:], k.prefix) {
			continue
		}
		if end := sc.keyEnd(tail, k); end > 0 {
			return sc.found(p, end, keyLabel)
		}
	}
	return false
}

// keyEnd is the end of the key whose tail begins at p; 0 for none.
func (sc *scanner) keyEnd(p int, k keyPrefix) int {
	if k.form == mixedTail {
		if end := sc.value(p, k.tail, base64Run); end > 0 {
			return end
		}
		r := sc.runAt(p, base64Run)
		if r.trimmed-p < max(k.tail, minRandom) || !isMixed(sc.text[p:min(r.trimmed, p+maxMixed)], 3) {
			return 0
		}
		return r.trimmed
	}
	end := p
	for end <= p+k.tail && isHexDigit(sc.byteAt(end)) {
		end++
	}
	if end != p+k.tail || isWordByte(sc.byteAt(end)) {
		return 0
	}
	return end
}

// Addresses of wallets on chains whose addresses are hexadecimal, and their keys.
const (
	hexPrefix  = "0x"
	addressHex = 40
	keyHex     = 64
)

// wallet matches addresses and keys of wallets in hexadecimal digits.
func (sc *scanner) wallet(w word) bool {
	n := w.end - w.start - len(hexPrefix)
	if n != addressHex && n != keyHex || !strings.EqualFold(sc.text[w.start:w.start+len(hexPrefix)], hexPrefix) {
		return false
	}
	for i := w.start + len(hexPrefix); i < w.end; i++ {
		if !isHexDigit(sc.text[i]) {
			return false
		}
	}
	return sc.found(w.start, w.end, walletLabel)
}
