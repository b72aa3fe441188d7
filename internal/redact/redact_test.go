package redact_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/redact"
)

// joinParts joins parts, so that repository scanners do not report a test value as a leaked key.
func joinParts(parts ...string) string { return strings.Join(parts, "") }

func mustRedact() map[string][2]string {
	return map[string][2]string{
		"mail":                 {"write to john.smith+x@example.co.uk.", "write to [email]."},
		"mail after ellipsis":  {"...john@example.com", "...[email]"},
		"mail to link":         {"mailto:o'neil@example.org?subject=x", "mailto:[email]?subject=x"},
		"mail, letters":        {"jörg@müller.de", "[email]"},
		"mail beside CJK":      {"联系a@b.com吧", "联系[email]吧"},
		"mail twice":           {"a@b.co,c@d.co", "[email],[email]"},
		"mail, long mailbox":   {strings.Repeat("a", 300) + "@example.com", "[email]"},
		"phone, E.164":         {"call +493012345678 now", "call [phone] now"},
		"phone, grouped":       {"+49 (30) 1234-5678.", "[phone]."},
		"phone, US":            {"(555) 123-4567 or 555.123.4567", "[phone] or [phone]"},
		"phone, US with 1":     {"1-800-555-0199", "[phone]"},
		"phone, UK":            {"020 7946 0958", "[phone]"},
		"phone, German":        {"(030) 1234-5678; 0171/1234567", "[phone]; [phone]"},
		"card":                 {"4111111111111111", "[card]"},
		"card, spaces":         {"card 4111 1111 1111 1111, exp", "card [card], exp"},
		"card, dashes":         {"5500-0000-0000-0004", "[card]"},
		"card, Amex":           {"3782 822463 10005", "[card]"},
		"card after a number":  {"in 2024 4111 1111 1111 1111", "in 2024 [card]"},
		"IBAN":                 {"DE89370400440532013000", "[iban]"},
		"IBAN, spaces":         {"GB82 WEST 1234 5698 7654 32.", "[iban]."},
		"IBAN, short":          {"NO93 8601 1117 947", "[iban]"},
		"IPv4":                 {"from 192.168.10.254:8080", "from [ip]:8080"},
		"IPv4, list":           {"10.0.0.1,10.0.0.2", "[ip],[ip]"},
		"IPv4, end":            {"It is 10.0.0.1. Then", "It is [ip]. Then"},
		"IPv6":                 {"[2001:db8::8a2e:370:7334]:443", "[[ip]]:443"},
		"IPv6, full":           {"2001:0db8:0000:0000:0000:ff00:0042:8329", "[ip]"},
		"IPv6, mapped":         {"::ffff:10.0.0.1 at fe80::1", "[ip] at [ip]"},
		"JWT":                  {joinParts("t=eyJhbGciOiJIUzI1NiJ9", ".eyJzdWIiOiIxIn0", ".dBjftJeZ4CVP"), "t=[jwt]"},
		"bearer":               {"Authorization: Bearer abcdefghij0123456789", "Authorization: Bearer [token]"},
		"bearer, alone":        {"-H Bearer abcdefghij0123456789", "-H Bearer [token]"},
		"basic":                {"authorization: Basic dXNlcjpwYXNzd29yZDEyMw==", "authorization: Basic [secret]"},
		"OpenAI key":           {joinParts("sk-", "proj-abcdefgh1234567890"), "[key]"},
		"GitHub token":         {joinParts("ghp_", "abcdefghijklmnopqrstuvwxyz0123456789"), "[key]"},
		"Slack token":          {joinParts("xoxb-", "123456789012-abcdefghij"), "[key]"},
		"AWS key":              {joinParts("AKIA", "IOSFODNN7EXAMPLE"), "[key]"},
		"Google key":           {joinParts("AIza", "SyA1234567890abcdefghijklmnopqrstuv"), "[key]"},
		"Slack webhook":        {joinParts("https://hooks.slack.com/", "services/T0/B0/xyz"), "https://[webhook]"},
		"webhook in mrkdwn":    {joinParts("<https://hooks.slack.com/", "services/T0/B0/xyz|here>"), "<https://[webhook]|here>"},
		"URL credentials":      {"postgres://app:s3cret!@db:5432/x", "postgres://[credentials]@db:5432/x"},
		"assignment":           {"DB_PASSWORD=correct-horse-7", "DB_PASSWORD=[secret]"},
		"assignment, JSON":     {`{"api_key": "abcd1234efgh"}`, `{"api_key": "[secret]"}`},
		"private key":          {"x -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- y", "x [private-key] y"},
		"private key, cut":     {"-----BEGIN PRIVATE KEY-----\nMIIE", "[private-key]"},
		"random":               {"v wJalrXUtnFEMI0K7MDENG8bPxRfiCYzEXAMPLE4 w", "v [secret] w"},
		"several in one":       {"a@b.co 10.0.0.1 4111111111111111", "[email] [ip] [card]"},
		"mail, domain hyphen":  {"john@example.com-foo", "[email]"},
		"mail with IP behind":  {"a@b.co.10.0.0.1", "[email].[ip]"},
		"key ends a sentence":  {joinParts("It is sk-", "abcdefgh1234567890."), "It is [key]."},
		"phone after a letter": {"Tel:+4930123456789", "Tel:[phone]"},
	}
}

func TestRedact(t *testing.T) {
	for name, c := range mustRedact() {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c[1], redact.Redact(c[0]))
			require.Equal(t, "é"+c[1], "é"+redact.Redact(c[0]))
			require.Equal(t, c[1], redact.Redact(c[1]), "redacting twice changed more")
		})
	}
}

func TestRedactKeepsOtherText(t *testing.T) {
	for _, s := range []string{
		"", "plain words", "2026-11-21", "21.11.2026", "2026-11-21T14:45:42.123Z", "12:30:45", "14:45:42 up 14 min",
		"$1,234,567.89", "1 234 567.89 EUR", "EUR 4111.11", "+12.5 %", "+1.23456789", "-40.5", "3.14159265358979",
		"1732199999999", "1732199999999999999", "order 1234567890123456", "4111111111111112", "version 1.2.3.4", "v1.2.3.4",
		"Section 4.1.2.3", "1.2.3", "1.2.3.4.5", "120.0.6099.109", "300.1.2.3", "978-3-16-148410-0", "0-306-40615-2", "ISBN 9783161484100",
		"550e8400-e29b-41d4-a716-446655440000", "12345678-1234-1234-1234-123456789012",
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "3c0a8c2", "DEADBEEFDEADBEEFDEADBEEFDEADBEEF",
		"std::vector<int>", "add::bad", "a::b", "::", "icon@2x.png", "@types/node", "lodash@4.17.21", "user@host", "a @ b.com",
		"bearer of good news and of very long tidings", "Bearer authentication-and-authorization", "password: required",
		"the token: authentication", "max_tokens: 4096", "eyJ is how it begins", "eyJhbGciOi.",
		"sk-learn", "sk-something-quite-long-indeed", "AKIA", "xoxb-", "ghp_", "hooks.slack.com/", "https://example.com:8080/a@b",
		"getUserAccountBalanceForCustomer2024", "/api/v1/Users/GetById2/ProfileSettingsPage3", "https://arxiv.org/abs/2305.14251v2",
		"10.1038/s41586-021-03819-2", "DE89370400440532013001", "GB00WEST12345698765432", "XX82WEST12345698765432",
		"-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----", "555-1234", "0123456789", "000 123 456 789", "001/2026/11",
		"[email]", "[1, 2] and [^3]", "confab-incident 0f0f0f0f0f", "llm.incidents-3@1042", "mid 日本語 text", "Über 3 Äpfel",
	} {
		require.Equal(t, s, redact.Redact(s))
	}
}

func TestExcerpt(t *testing.T) {
	tests := map[string]struct {
		text  string
		limit int
		want  string
	}{
		"short":                   {"abc", 3, "abc"},
		"cut":                     {"abcd", 3, "abc..."},
		"characters, not bytes":   {"äöüß", 3, "äöü..."},
		"redacted before the cut": {"write to john@example.com", 17, "write to [email]"},
		"a label stays whole":     {"write to john@example.com today", 12, "write to ..."},
		"a plain bracket is cut":  {"see [1] and so on", 9, "see [1] a..."},
		"nothing":                 {"", 10, ""},
		"no room":                 {"abc", 0, "..."},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) { require.Equal(t, tt.want, redact.Excerpt(tt.text, tt.limit)) })
	}
}

// pieces are parts of patterns, of which random texts are composed.
func pieces() []string {
	list := []string{
		"1::", "::", ":", "@", "a@", "é@b.co", "b.co", ".", "/", "://", "u:p@", "p@ss:", "10.", "0.0.1", "+1 ", "555", "-123", " 4567", "(", ")", " ",
		"password=", "password: \"", "\"", "token", "Bearer ", "a1b2c3d4", "eyJ", "sk-", "4111 ", "1111", "\n", "日", "é", "\xff", "[", "]", "AccountKey=", ";",
		"hooks.slack.com/", "DE89", "-----BEGIN ", "PRIVATE KEY", "the PIN is ", "Passwort: ", "secret = '", "SSN ", "DOB: ", "call me at ", "\u00a0", "＠", "：",
		"\u200b", "%40", " (at) ", "(dot)", "“", "131052-308T", "0049 ", "hf_", "is ", "密码", "=>",
	}
	for label, value := range labels() {
		list = append(list, label, value)
	}
	slices.Sort(list)
	return list
}

// TestRedactTwiceChangesNothing redacts random concatenations of parts of patterns, once and many times repeated.
func TestRedactTwiceChangesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	random := rand.New(rand.NewPCG(1, 2))
	list := pieces()
	for range 20_000 {
		var b strings.Builder
		for range 1 + random.IntN(8) {
			b.WriteString(list[random.IntN(len(list))])
		}
		s := strings.Repeat(b.String(), 1+random.IntN(2)*random.IntN(40))
		once := redact.Redact(s)
		require.Equal(t, once, redact.Redact(once), "redacting %q twice", s)
		require.Equal(t, once, redact.NewRedactor(nil).Ranges(s, nil), "%q", s)
	}
}

func TestRedactDoesNotAllocateOnCleanText(t *testing.T) {
	text := strings.Repeat("The quick brown fox of 2026-11-21 paid $1,234.56 (see [1]). ", 20)
	require.Zero(t, testing.AllocsPerRun(100, func() { _ = redact.Redact(text) }))
}

func FuzzRedact(f *testing.F) {
	for _, c := range mustRedact() {
		f.Add(c[0])
		f.Add(strings.ReplaceAll(c[0], " ", ""))
	}
	f.Add(strings.Repeat("1::", 200))
	f.Add("the PIN is：４７１１, 密码是\u200babc1, anna (at) b (dot) de, SSN 078-05-1120")
	f.Add(joinParts("aB3xK9mQ2pL7zR4tY8wE5uI1/longlowercasewords/", "sk-abcdefgh1234567890"))
	f.Fuzz(func(t *testing.T, s string) {
		once := redact.Redact(s)
		require.Equal(t, once, redact.Redact(once), "redacting %q twice", s)
		if utf8.ValidString(s) {
			require.True(t, utf8.ValidString(once), "%q became invalid", s)
		}
		require.LessOrEqual(t, utf8.RuneCountInString(redact.Excerpt(s, 20)), 23)
	})
}

func BenchmarkRedact(b *testing.B) {
	clean := strings.Repeat("The quick brown fox of 2026-11-21 paid $1,234.56 (see [1]). ", 20)
	long := func(s string) string { return strings.Repeat(s, 200_000/len(s)) }
	for name, text := range map[string]string{
		"clean": clean, "dirty": clean + " a@b.co 10.0.0.1", "ats": long("a@"), "dots": long("a.a@1."), "mailbox": long("a."), "jwt": long("eyJ."),
		"bearer": long("bearer "), "token": long("token="), "keys": long("sk-"), "digits": long("4111 "), "pem": long("-----BEGIN PRIVATE KEY "),
		"schemes": long("://a:"), "parens": long("(1"), "hex": long("ab::"), "random": long("aB3xK9/"), "plus": long("+1 "),
		"token digits": long("token=" + strings.Repeat("1", 300)), "names": long("a-token="), "paths": long("://a:b@" + strings.Repeat("x/", 123)),
		"announced": long("the password of it is "), "sentences": long("password for the: "), "quotes": long(`"@`), "spelled": long("a(at)b (dot) "),
		"wide": long("４ "), "seed": long("seed: one two "), "calls": long("call me at 1 "), "births": long("dob 1 may 1 "), "scripts": long("密码是是"),
		"groups": long("1 1 1 "), "passes": long("a.e1::"), "prose": long("The hall, built by Bob in 1887, isn't well-known; its 300 seats cost 4.50 euros. "),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				redact.Redact(text)
			}
		})
	}
}
