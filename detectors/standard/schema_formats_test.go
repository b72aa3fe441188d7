package standard_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

func TestSchemaFormats(t *testing.T) {
	tests := map[string]struct{ good, bad []string }{
		"date":          {[]string{"2026-11-21", "2024-02-29"}, []string{"2026-11-31", "2026-2-1", "21.11.2026", "2023-02-29", "today"}},
		"date-time":     {[]string{"2026-11-21T14:45:42Z", "2026-11-21t14:45:42.5+01:00"}, []string{"2026-11-21", "2026-11-21T25:00:00Z", "2026-11-21T14:45:42"}},
		"time":          {[]string{"14:45:42Z", "23:59:60Z"}, []string{"14:45", "25:00:00Z"}},
		"duration":      {[]string{"P1D", "P1Y2M3DT4H5M6S", "P2W", "PT0S"}, []string{"P", "PT", "1D", "P1DT", "P1S", "P-1D", "PD", "P1D2M", "P1Y2D", "PT1H2S"}},
		"email":         {[]string{"a@example.com", `"a b"@example.com`, "a+b@[127.0.0.1]", "o'neil@example.com"}, []string{"a", "a b@example.com", ".a@example.com", "a..b@example.com", "a@-x.com", "a@[300.1.1.1]", "a@b.", "a@xn--a", "@", "@a", "a@"}},
		"hostname":      {[]string{"example.com", "a", "xn--bcher-kva.example", "1.2"}, []string{"", "-a", "a-", "a_b", "a..b", "a.", "xn--a", strings.Repeat("a", 64), strings.Repeat("a.", 127) + "a"}},
		"ipv4":          {[]string{"127.0.0.1"}, []string{"01.2.3.4", "1.2.3", "256.1.1.1", "::1", "1.2.3.+4"}},
		"ipv6":          {[]string{"::1", "fe80::1", "::ffff:1.2.3.4"}, []string{"1.2.3.4", ":::", "fe80::1%eth0"}},
		"uri":           {[]string{"http://a@b:80/p?q#f", "urn:isbn:1", "http://[::1]:8080/", "http://[::1]?a@b@c", "mailto:a@b.co"}, []string{"/a", "http://a b", "http://a/%zz", "://a", "http://a:b/", "http://ö", "http://a/{b}", "http://a/b c", "http://a@b@c/", "http:/[::1]", "http://[::1]/[", "urn:a?[", "urn:["}},
		"uri-reference": {[]string{"", "/a", "#f", "?q", "//host"}, []string{"1:b", "/a\\b", "/ö"}},
		"iri":           {[]string{"http://ƒøø.ßår/?∂=πœ"}, []string{"/abc", "http://a b", "http://a/{b}"}},
		"uri-template":  {[]string{"http://a/{x}", "{+a,b:3,c*}{?q}", "/{a.b%20c}%20ö", ""}, []string{"{", "}", "{a:0}", "{a*:1}", "%2", "a b", "{+}"}},
		"uuid":          {[]string{"2eb8aa08-aa98-11ea-b4aa-73b441d16380"}, []string{"2eb8aa08aa9811eab4aa73b441d16380"}},
		"json-pointer":  {[]string{"", "/a~1b"}, []string{"a", "/~2"}},
		"regex":         {[]string{`^a\d$`, `(?=a)b`, `(a)\1`}, []string{"(", "(?P<n>a)"}},
		"idn-hostname":  {[]string{"실례.테스트", "l·l。a", "〇"}, []string{"a_b", "Ä", "a·l", "", "〮실", "a.", strings.Repeat("ü", 64), strings.Repeat("a.", 600) + "a"}},
		"idn-email":     {[]string{"a@example.com", "실례@실례.테스트", `"a b"@example.com`}, []string{"2962", "@a", "a b@a", "a@a_b", "a..b@a", "@"}},
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

// The note quotes a value once: what Go's parsers say quotes it again, and could pass by a redaction.
func TestSchemaFormatNotes(t *testing.T) {
	d := schemaDetector(t, nil)
	for schema, note := range map[string]string{
		`{"format": "uri"}`:      "/: 'http://a/%zz' is not valid uri: not of this format",
		`{"format": "date"}`:     "/: 'http://a/%zz' is not valid date: not of this format",
		`{"format": "duration"}`: "/: 'http://a/%zz' is not valid duration: must start with P",
	} {
		doc := new(detectors.Document)
		doc.Reset(interactionWithSchema(schema, `"http://a/%zz"`))
		f, err := d.Detect(t.Context(), doc)
		require.NoError(t, err)
		require.Equal(t, note, f.Evidence[0].Note)
	}
}

// Patterns are those of ECMA-262 that RE2 can express; the rest is an error.
func TestSchemaPatterns(t *testing.T) {
	tests := []struct {
		pattern     string
		match, miss []string
	}{
		{`^[\s,]$`, []string{",", " "}, []string{"s"}},
		{`^\/\-\.$`, []string{"/-."}, []string{"/-x"}},
		{`^\d+$`, []string{"12"}, []string{"১২"}},
		{`^\p{Lu}\P{Lu}$`, []string{"Ab"}, []string{"ab"}},
		{`^a$`, []string{"a"}, []string{"a\n"}},
		{`^\s\u0041$`, []string{"\u00a0A"}, []string{"A"}},
		{`^[^]$`, []string{"a"}, []string{""}},
	}
	d := schemaDetector(t, nil)
	schemaOf := func(pattern string) string { return `{"pattern": "` + strings.ReplaceAll(pattern, `\`, `\\`) + `"}` }
	for _, tt := range tests {
		t.Run(tt.pattern, func(t *testing.T) {
			for want, texts := range [][]string{tt.match, tt.miss} {
				for _, text := range texts {
					quoted := `"` + strings.ReplaceAll(text, "\n", `\n`) + `"`
					require.Equal(t, strconv.Itoa(want), verdictOf(d, interactionWithSchema(schemaOf(tt.pattern), quoted)), "%q", text)
				}
			}
		})
	}
	for _, pattern := range []string{`\A`, `\z`, `\Qa`, `\x{41}`, `(?=a)`, `(a)\1`} {
		require.Contains(t, verdictOf(d, interactionWithSchema(schemaOf(pattern), `"a"`)), "a pattern is not supported: use ECMA-262", pattern)
	}
}
