package standard_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSchemaFormats(t *testing.T) {
	tests := map[string]struct{ good, bad []string }{
		"date":      {[]string{"2026-11-21", "2024-02-29"}, []string{"2026-11-31", "2026-2-1", "21.11.2026", "2023-02-29", "today"}},
		"date-time": {[]string{"2026-11-21T14:45:42Z", "2026-11-21t14:45:42.5+01:00"}, []string{"2026-11-21", "2026-11-21T25:00:00Z", "2026-11-21T14:45:42"}},
		"time":      {[]string{"14:45:42Z", "23:59:60Z"}, []string{"14:45", "25:00:00Z"}},
		"duration": {
			[]string{"P1D", "P1Y2M3DT4H5M6S", "P2W", "PT0S", "P1M", "PT5M6S"},
			[]string{"P", "PT", "P1Y2D", "PT1H2S", "P1W2D", "1D", "P1DT", "P1S", "P-1D", "PD", "P1D2M", "P2WT1H"},
		},
		"email": {
			[]string{"a@example.com", `"a b"@example.com`, "a+b@[127.0.0.1]", "a@[IPv6:::1]", "o'neil@example.com"},
			[]string{"a", "@example.com", "a b@example.com", ".a@example.com", "a..b@example.com", "a@-x.com", "a@[300.1.1.1]", "ä@example.com", `"a"b"@example.com`},
		},
		"idn-email": {[]string{"실례@실례.테스트", "ä@example.com", "a@b.co"}, []string{"2962", "user＠example.com", "a@.테스트"}},
		"hostname":  {[]string{"example.com", "a", "xn--bcher-kva.example", "XN--BCHER-KVA.example", "1.2"}, []string{"", "xn--x", "xn--a-0ea.example", "example.", "-a", "a-", "a_b", "a..b", "ab--c", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a"}},
		"idn-hostname": {
			[]string{"실례.테스트", "bücher.example", "Example.com", "xn--bcher-kva.example", "faß.de", "a。b", "l·l", "ب٠ب"},
			[]string{"", "Bücher.example", "a_b", "ü.", "l·a", "xn--x", "xn--bcher-kvb", "☃.example", "ـٺ", "0a.א", "-ü", "ab--ü", strings.Repeat("ü", 60), strings.Repeat("ü.", 40) + "ü", strings.Repeat("ü.", 2000)},
		},
		"ipv4":          {[]string{"127.0.0.1"}, []string{"+1.2.3.4", "01.2.3.4", "1.2.3", "256.1.1.1", "::1"}},
		"ipv6":          {[]string{"::1", "fe80::1", "::ffff:1.2.3.4"}, []string{"1.2.3.4", ":::", "fe80::1%eth0"}},
		"uri":           {[]string{"http://a@b:80/p?q#f", "urn:isbn:1", "http://[::1]:8080/", "mailto:a@b.co", "http://[v1.fe]/"}, []string{"/a", "http://a b", "http://a/ä", "http:/[::1]", "http://a/%zz", "http://a@b@c/", "://a", "http://a:b/", `http://a/"`}},
		"uri-reference": {[]string{"", "/a", "#f", "?q", "a/b:c", "//host"}, []string{"/ä", "/[::1]", "a#b#c", "1:b", "/a\\b"}},
		"iri":           {[]string{"http://ƒøø.ßår/?∂=πœ"}, []string{"/abc", "http://a b"}},
		"iri-reference": {[]string{"/ä"}, []string{"/a b"}},
		"uri-template":  {[]string{"http://a/{x}", "{+a,b:3,c*}{?q}", "it's", "{v:1000}", "{a.b}"}, []string{"{", "{}", "{a", "a}", "{a,}", "{a..b}", "{,a}", "{a=b}", "a b", "{a:0}", "{a:1*}", "{=a}"}},
		"uuid":          {[]string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, []string{"2eb8aa08aa9811eab4aa73b441d16380"}},
		"json-pointer":  {[]string{"", "/a~1b"}, []string{"a", "/~2"}},
		"regex":         {[]string{`^a\d$`, `(?=a)b`, `(?<n>a)\k<n>`, `(?<=a+)b`, `(?i:a)`, `(a)\1`, `[^]`}, []string{"(", "[a", "(?P<n>a)", "(?i)a", "(?ims)a", `\a`, `a\Z`, `\Qa\E`, `\u12`, strings.Repeat("a", 5000)}},
		"unknown":       {[]string{"anything"}, nil},
	}
	d := schemaDetector(t, nil)
	for format, tt := range tests {
		t.Run(format, func(t *testing.T) {
			schema := fmt.Sprintf(`{"format": %q}`, format)
			for want, texts := range [][]string{tt.good, tt.bad} {
				for _, text := range texts {
					quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
					require.Equal(t, strconv.Itoa(want), verdictOf(d, interactionWithSchema(schema, quoted)), text)
				}
			}
			require.Equal(t, "0", verdictOf(d, interactionWithSchema(schema, "12")), "only strings have formats")
		})
	}
}

func TestSchemaPatternsAreECMA(t *testing.T) {
	tests := []struct {
		pattern     string
		match, miss []string
	}{
		{`^\s$`, []string{" ", "\u00a0", "\ufeff", "\u2029"}, []string{"a", ""}},
		{`^\S$`, []string{"a", "é"}, []string{" ", "\u00a0"}},
		{`^[\s,]$`, []string{",", "\u3000"}, []string{"s"}},
		{`^\u0041\u{1F600}\ud83d\ude00$`, []string{"A😀😀"}, []string{"u0041"}},
		{`^\cA$`, []string{"\u0001"}, []string{"A"}},
		{`^\/\-\.$`, []string{"/-."}, []string{"/-x"}},
		{`^[]$`, nil, []string{"a", ""}},
		{`^[^]$`, []string{"a", "\n"}, []string{""}},
		{`^[[:alpha:]]$`, []string{"a]", "[]", ":]"}, []string{"b"}},
		{`^\d+$`, []string{"12"}, []string{"১২"}},
		{`^\p{Lu}\P{Lu}$`, []string{"Ab"}, []string{"ab"}},
		{`^a$`, []string{"a"}, []string{"a\n"}},
		{`(?i)^a$`, []string{"A"}, []string{"b"}}, // not ECMA's, but plain enough to be taken as meant
	}
	d := schemaDetector(t, nil)
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			schema := `{"pattern": "` + strings.ReplaceAll(tt.pattern, `\`, `\\`) + `"}`
			for want, texts := range [][]string{tt.match, tt.miss} {
				for _, text := range texts {
					quoted := `"` + strings.NewReplacer("\n", `\n`, "\u0001", `\u0001`).Replace(text) + `"`
					require.Equal(t, strconv.Itoa(want), verdictOf(d, interactionWithSchema(schema, quoted)), "%q", text)
				}
			}
		})
	}
}
