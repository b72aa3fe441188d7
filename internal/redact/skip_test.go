package redact

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The scan stops wherever a form matches: at the start of words, and at signs.
func TestScanSkipsNoMatch(t *testing.T) {
	parts := strings.Split("hooks.slack.com/a|Discord.com/api/webhooks/|a@b.co|é@x.de|o'neil|@|+49 30 1234567|(030) 12345678|020 7946 0958|1 800 555 0199|4111 1111 1111 1111|"+
		"DE89 3704 0044 0532 0130 00|10.0.0.1|version |::1|fe80::1|1:2:3:4:5:6:7:8|12:30:45|eyJhbGciOiJI|.eyJzdWIi|abcdefghij0123456789|a1|sk-|AKIA|SG.|ghp_| = |://|u:p|-----BEGIN |"+
		"PRIVATE KEY|aB3xK9mQ2pL7zR4tY8wE5uI1|well-known|e.g.|B2B|2026-11-21|1,234.56|the|(at)| (dot) |%40|131052-308T|12345678Z|RSSMRA85T10A562S|06 39 98 01 23|0049 |_|日本| |.|,|-|/|+|(|:|\n|0|7|x", "|")
	r := rand.New(rand.NewPCG(19, 5))
	matches := 0
	for range 20_000 {
		var b strings.Builder
		for range 1 + r.IntN(14) {
			b.WriteString(parts[r.IntN(len(parts))])
		}
		fast, slow := scanner{text: b.String()}, scanner{text: b.String()}
		fast.scan()
		for p := 0; p < len(slow.text); {
			end := slow.runEnd(p, wordSet)
			switch {
			case p < end && slow.word(p, end), p == end && slow.sign(p):
				end = max(end, slow.end)
			}
			p = max(end, p+1)
		}
		require.Equal(t, slow.found, fast.found, "%q", b.String())
		matches += len(fast.found)
	}
	require.Greater(t, matches, 5_000)
}
