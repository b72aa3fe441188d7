package redact

import "strings"

// keyPrefix is a prefix of an issuer's keys; tail is the least number of further characters.
type keyPrefix struct {
	prefix string
	tail   int
}

//nolint:gochecknoglobals // read-only table
var keyPrefixes = [...]keyPrefix{
	{"sk-", 16},
	{"sk_live_", 10},
	{"sk_test_", 10},
	{"rk_live_", 10},
	{"pk_live_", 10},
	{"pk_test_", 10},
	{"whsec_", 16},
	{"ghp_", 20},
	{"gho_", 20},
	{"ghu_", 20},
	{"ghs_", 20},
	{"ghr_", 20},
	{"github_pat_", 20},
	{"glpat-", 16},
	{"xoxb-", 10},
	{"xoxa-", 10},
	{"xoxp-", 10},
	{"xoxr-", 10},
	{"xoxs-", 10},
	{"xoxe-", 10},
	{"xapp-", 10},
	{"AKIA", 16},
	{"ASIA", 16},
	{"AIza", 30},
	{"ya29.", 20},
	{"hf_", 20},
	{"npm_", 30},
	{"pypi-", 40},
	{"SG.", 30},
	{"dop_v1_", 40},
	{"shpat_", 20},
	{"AGE-SECRET-KEY-1", 40},
	{"gsk_", 20},
	{"r8_", 30},
	{"lin_api_", 20},
	{"dckr_pat_", 20},
}

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
		if end := sc.value(tail, k.tail, base64Run); end > 0 {
			return sc.found(p, end, keyLabel)
		}
	}
	return false
}
