package redact_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

// matcherCase is a text and its redaction; an empty want means that the text is kept.
type matcherCase struct{ text, want string }

func requireRedacted(t *testing.T, tests []matcherCase) {
	t.Helper()
	for _, tt := range tests {
		want := tt.want
		if want == "" {
			want = tt.text
		}
		require.Equal(t, want, redact.Redact(tt.text), "%q", tt.text)
		require.Equal(t, want, redact.Redact(want), "redacting %q twice", tt.text)
	}
}

const (
	exampleRandom = "aB3dE5fG7hJ9kL1mN3pQ5rS7"
	exampleIBAN   = "DE89370400440532013000"
	exampleCard   = "4111111111111111"
)

func exampleJWT() string { return joinParts("eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0", ".a_b-c") }

func exampleKey() string { return joinParts("sk-", "abcdefghijklmno1") }

func privateKey(kind string) string {
	return joinParts("-----BEGIN ", kind, "-----\nMIIE\n-----END ", kind, "-----")
}

func TestPrivateKeys(t *testing.T) {
	for _, kind := range []string{
		"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "PGP PRIVATE KEY BLOCK",
	} {
		require.Equal(t, "key=[private-key].", redact.Redact("key="+privateKey(kind)+"."), kind)
	}
	key, certificate := privateKey("PRIVATE KEY"), privateKey("CERTIFICATE")
	requireRedacted(t, []matcherCase{
		{key + key, "[private-key][private-key]"},
		{certificate, ""},
		{certificate + "\n" + key, certificate + "\n[private-key]"},
		{strings.ReplaceAll(key, "\n", `\n`) + `"`, `[private-key]"`},
		{strings.ReplaceAll(key, "\n", "\r\n"), "[private-key]"},
		{"-----begin private key-----", ""},
		{"BEGIN PRIVATE KEY", ""},
	})
}

func TestKnownKeys(t *testing.T) {
	for prefix, tail := range map[string]int{
		"sk-": 16, "sk_live_": 10, "sk_test_": 10, "rk_live_": 10, "pk_live_": 10, "pk_test_": 10, "whsec_": 16,
		"ghp_": 20, "gho_": 20, "ghu_": 20, "ghs_": 20, "ghr_": 20, "github_pat_": 20, "glpat-": 16,
		"xoxb-": 10, "xoxa-": 10, "xoxp-": 10, "xoxr-": 10, "xoxs-": 10, "xoxe-": 10, "xapp-": 10,
		"AKIA": 16, "ASIA": 16, "AIza": 30, "ya29.": 20, "hf_": 20, "npm_": 30, "pypi-": 40, "SG.": 30, "dop_v1_": 40,
		"shpat_": 20, "AGE-SECRET-KEY-1": 40, "gsk_": 20, "r8_": 30, "lin_api_": 20, "dckr_pat_": 20,
	} {
		letters := strings.Repeat("a", tail-1)
		requireRedacted(t, []matcherCase{
			{prefix + letters + "1", "[key]"},
			{"'" + prefix + "1" + letters + "a'.", "'[key]'."},
			{prefix + "1" + letters[1:], ""},   // too short
			{"x" + prefix + letters + "1", ""}, // in the middle of a word
		})
		if prefix != "AGE-SECRET-KEY-1" { // its prefix ends with a digit, which does not count either
			requireRedacted(t, []matcherCase{{prefix + letters + "a", ""}}) // no digit
		}
	}
	requireRedacted(t, []matcherCase{
		{exampleKey() + "," + exampleKey(), "[key],[key]"},
		{strings.ToUpper(exampleKey()), ""},
		{exampleKey() + strings.Repeat("a", 1000), "[key]"},
	})
}

func TestTokens(t *testing.T) {
	jwt := exampleJWT()
	unsigned := jwt[:strings.LastIndexByte(jwt, '.')]
	requireRedacted(t, []matcherCase{
		{jwt, "[jwt]"},
		{unsigned, "[jwt]"},
		{unsigned + ".", "[jwt]"},
		{`{"id":"` + jwt + `"}`, `{"id":"[jwt]"}`},
		{"x" + jwt, ""},
		{joinParts("eyJhbGciOiJIUzI1NiJ9", ".abc.def"), ""}, // the second part is not an object

		{"BEARER abcdefghijklmno1.", "BEARER [token]."},
		{"bearer abc+/~=1abcdefghij==", "bearer [token]"},
		{`"Bearer abcdefghijklmno1"`, `"Bearer [token]"`},
		{"Bearer abcdefghijklmn1", ""}, // 15 characters
		{"Bearer abcdefghijklmnop", ""},
		{"forbearer abcdefghijklmno1", ""},

		{exampleRandom, "[secret]"},
		{exampleRandom + "==.", "[secret]."},
		{exampleRandom[:8] + "-" + exampleRandom[8:], "[secret]"},
		{"urn:" + exampleRandom + "," + exampleRandom, "urn:[secret],[secret]"},
		{exampleRandom[:23], ""},
		{strings.ToUpper(exampleRandom), ""},
		{strings.ToLower(exampleRandom), ""},
		{"aBcDeFgHiJkLmNoPqRsTuVwX", ""}, // no digits
		{"aB3dE5fG7hJ9aB3dE5fG7hJ9", "[secret]"},
		{"aB3dE5fG7hJaB3dE5fG7hJaB", ""}, // 11 different characters
		{"thisIsALongCamelCaseIdentifierNumber12", ""},
	})
}

func TestWebhooks(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"https://discord.com/api/webhooks/123/abc?wait=1", "https://[webhook]"},
		{"https://discordapp.com/api/webhooks/123/abc", "https://[webhook]"},
		{"https://outlook.office.com/webhook/a@b/c", "https://[webhook]"},
		{joinParts("(https://hooks.slack.com/", "services/T)"), "(https://[webhook])"},
		{joinParts("hooks.slack.com/", "a hooks.slack.com/", "b"), "[webhook] [webhook]"},
		{joinParts("HTTPS://HOOKS.SLACK.COM/", "services/T0/B0/xyz"), "HTTPS://[webhook]"},
		{"https://Discord.com/api/webhooks/123/abc", "https://[webhook]"},
		{"https://slack.com/services/T0", ""},
		{"https://discord.com/api/channels/1", ""},
	})
}

func TestURLCredentials(t *testing.T) {
	requireRedacted(t, []matcherCase{
		{"https://user:pass@host/x", "https://[credentials]@host/x"},
		{"https://user:@host", "https://[credentials]@host"},
		{"redis://:secret1@h:1", "redis://[credentials]@h:1"},
		{"mongodb+srv://u:p%40ss@h.net/db", "mongodb+srv://[credentials]@h.net/db"},
		{"ftp://u:p@10.0.0.1/", "ftp://[credentials]@[ip]/"},
		{"https://é:ü@h.de", "https://[credentials]@h.de"},
		{"https://u:p@h https://v:q@h", "https://[credentials]@h https://[credentials]@h"},
		{"https://user:p@ss@host.de/x", "https://[credentials]@host.de/x"},
		{"https://user:p@ss:w@host:80", "https://[credentials]@host:80"},
		{"https://user:p/ss@host.de/x", "https://[credentials]@host.de/x"},
		{"https://user:p?s#s@host.de", "https://[credentials]@host.de"},
		{"https://user:p@ss/w@host.de/x", "https://[credentials]@host.de/x"},
		{"https://user:pass@host.de/x@y", "https://[credentials]@host.de/x@y"},
		{"https://user:pass@host.de/x?to=a@b", "https://[credentials]@host.de/x?to=a@b"},
		{"https://user@host/", ""},
		{"https://host:8080/a:b@c", ""},
		{"https://host:8080?at=a@b", ""},
		{"https://us er:p@h", ""},
		{"https://" + strings.Repeat("a", 300) + ":p@h", ""}, // longer than the scan
	})
}

func TestAssignments(t *testing.T) {
	for _, name := range []string{
		"password", "PASSWORD", "db_passwd", "pwd", "client_secret", "auth_token", "apikey", "api_key", "X-Api-Key",
		"aws_secret_access_key", "secret_key", "private_key", "accessKey", "secretKey",
	} {
		requireRedacted(t, []matcherCase{
			{name + "=abc12345", name + "=[secret]"},
			{name + " : 'abc12345'.", name + " : '[secret]'."},
			{`{"` + name + `":"abc12345"}`, `{"` + name + `":"[secret]"}`},
			{name + "=abc1", name + "=[secret]"},
			{name + "=abcdefgh", name + "=[secret]"},
			{name + "=12345678", name + "=[secret]"},
			{"the " + name + " is abc12345.", "the " + name + " is [secret]."},
			{name + "s=abc12345", ""},
			{name + "=123", ""},
			{name + "=required", ""},
			{name + "=\nabc12345", ""},
		})
	}
	requireRedacted(t, []matcherCase{
		{"Authorization: Token abc12345", "Authorization: Token [secret]"},
		{"authorization: digest abc12345", "authorization: digest [secret]"},
		{"password=p@ssw0rd1 pwd=pässw0rd1", "password=[secret] pwd=[secret]"},
		{"password=abc12345;secret=abc12345,x", "password=[secret];secret=[secret],x"},
		{"password=" + strings.Repeat("a1", 5000), "password=[secret]"},
		{"DefaultEndpointsProtocol=https;AccountKey=abc+12/345==;EndpointSuffix=x", "DefaultEndpointsProtocol=https;AccountKey=[secret];EndpointSuffix=x"},
		{"SharedAccessKey=abc12345=;x", "SharedAccessKey=[secret];x"},
		{`password: "my secret 1 pass"`, `password: "[secret]"`},
		{`{"a":"Authorization: Basic c3Zlbjpi81","Authorization: Basic c3Zlbjpi81":1}`, `{"a":"Authorization: Basic [secret]","Authorization: Basic [secret]":1}`},
		{`password: 'my secret 1 pass', user`, `password: '[secret]', user`},
		{`{\"password\": \"abc 12345\"}`, `{\"password\": \"[secret]\"}`},
		{`password: "a field of the form"`, ""},
		{"password: \"my secret 1\npass\"", ""},
	})
}

// labels returns a text for each label.
func labels() map[string]string {
	return map[string]string{
		"[email]": "o.smith@example.org", "[phone]": "+15551234567", "[card]": exampleCard, "[iban]": exampleIBAN, "[ip]": "10.0.0.1",
		"[jwt]": exampleJWT(), "[key]": exampleKey(), "[secret]": exampleRandom, "[private-key]": privateKey("PRIVATE KEY"),
		"[webhook]": joinParts("hooks.slack.com/", "services/T0"), "[id]": "131052-308T", "[wallet]": "0xf58f0b14fc6ed5ec9f0be13378161f116ae87377",
	}
}

func TestMatchBoundaries(t *testing.T) {
	around := [][2]string{
		{"", ""},
		{"(", ")"},
		{"[", "]"},
		{"{", "}"},
		{"<", ">"},
		{`"`, `"`},
		{"\n", "\n"},
		{"\t", "\t"},
		{",", ","},
		{" ", ";"},
		{"👍 ", " 👍"},
		{"日本", "\n語"},
		{"«", " »"},
		{"\u00a0", " "},
		{"\xff", " \xff"},
		{"see: ", ", then"},
	}
	for label, value := range labels() {
		for _, a := range around {
			text := a[0] + value + a[1]
			require.Equal(t, a[0]+label+a[1], redact.Redact(text), "%q", text)
		}
	}
}

func TestAdjacentMatches(t *testing.T) {
	for firstLabel, first := range labels() {
		for secondLabel, second := range labels() {
			for _, sep := range []string{", ", "; ", "\n", ") ("} {
				require.Equal(t, firstLabel+sep+secondLabel, redact.Redact(first+sep+second), "%q", first+sep+second)
			}
		}
	}
}

func TestLabelsAreKept(t *testing.T) {
	for label := range labels() {
		for _, text := range []string{label, label + label, "password=" + label, "://" + label + "@h", "Bearer " + label, label + "@b"} {
			require.Equal(t, text, redact.Redact(text))
		}
	}
}

func TestRedactRepeatedPatterns(t *testing.T) {
	const maxGrowth = 4 // "://:@" becomes "://[credentials]@"
	for _, unit := range []string{
		"a@b.co", "a@b.co ", "a@", "é@b.co,", "1:: ", "10.0.0.1", "10.0.0.1,", "://:@", "://a:b@", "+1 ", "+15551234567", "0171/1234567", "(1",
		exampleCard, "4111 1111 1111 1111 ", exampleIBAN, exampleIBAN + "-", "token=a1b2c3d4;", "password=", "Bearer ", "eyJ.", exampleRandom,
		exampleRandom + "-", joinParts("sk-", "1a"), joinParts("-----BEGIN ", "PRIVATE KEY-----"), "日a@b.co本", "\xffa@b.co\xff",
	} {
		for _, n := range []int{2, 3, 7, 200} {
			text := strings.Repeat(unit, n)
			once := redact.Redact(text)
			require.Equal(t, once, redact.Redact(once), "redacting %d of %q twice", n, unit)
			require.LessOrEqual(t, len(once), maxGrowth*len(text), "%d of %q", n, unit)
			require.Equal(t, utf8.ValidString(text), utf8.ValidString(once), "%d of %q", n, unit)
		}
	}
}
