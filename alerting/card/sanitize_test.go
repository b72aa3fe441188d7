package card

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest/samples"
)

func TestClean(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "The bridge opened in 1937.", "The bridge opened in 1937."},
		{"other scripts", "Größe 東京 Привет 👍", "Größe 東京 Привет 👍"},
		{"white space collapses", " a\r\n\tb\u00a0\u2028c  ", "a b c"},
		{"a line cannot be forged", "ok\n\nincident 123", "ok incident 123"},
		{"nul and bell", "a\x00b\x07c", "abc"},
		{"C1", "a\u0085b\u0090c", "a bc"},
		{"color", "\x1b[31mred\x1b[0m", "red"},
		{"cursor", "a\x1b[2J\x1b[1;1Hb", "ab"},
		{"C1 color", "\u009b31mred", "red"},
		{"a title becomes visible", "\x1b]0;owned\x07x", "0;ownedx"},
		{"a hidden link becomes visible", "\x1b]8;;http://e.vil\x1b\\click\x1b]8;;\x1b\\", "8;;http[:]//e.vilclick8;;"},
		{"two-character sequence", "a\x1bcb", "ab"},
		{"escape at the end", "a\x1b", "a"},
		{"unfinished sequence", "a\x1b[31", "a"},
		{"escape before a letter of another script", "a\x1bé", "aé"},
		{"escape before escape", "a\x1b\x1b[31mb", "ab"},
		{"zero width", "a\u200bb\u200cc\u200dd\ufeffe\u2060f", "abcdef"},
		{"soft hyphen, fillers", "a\u00adb\u115fc\u3164d\uffa0e", "abcde"},
		{"bidi override", "user\u202etxt.exe", "usertxt.exe"},
		{"bidi isolates and marks", "\u2066a\u2069\u200eb\u200f\u061cc", "abc"},
		{"tags", "a\U000e0041\U000e0042b", "ab"},
		{"variation selectors", "a\ufe0fb\U000e0100c", "abc"},
		{"private use", "a\ue000b\U000f0000c", "abc"},
		{"not assigned yet", "a\u05edb", "a\u05edb"},
		{"not UTF-8", "a\xff\xfeb", "a\ufffd\ufffdb"},
		{"a tower", "a" + strings.Repeat("\u0301", 50) + "b", "a" + strings.Repeat("\u0301", 4) + "b"},
		{"a mark on nothing", "\u0301a", "a"},
		{"link", "see https://evil.example/x", "see https[:]//evil.example/x"},
		{"link of any scheme", "slack://x ftp://y JAVASCRIPT://z", "slack[:]//x ftp[:]//y JAVASCRIPT[:]//z"},
		{"link put together by stripping", "ht\u200btps:\u200b//evil", "https[:]//evil"},
		{"link put together by a sequence", "https:\x1b[0m//evil", "https[:]//evil"},
		{"www", "www.evil.example and WwW.evil and www.www.x", "www[.]evil.example and WwW[.]evil and www[.]www[.]x"},
		{"mentions stay readable", "<!channel> <@U1> @here", "<!channel> <@U1> @here"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, Clean(tt.in, 200)) })
	}
}

func TestCleanIsBounded(t *testing.T) {
	require.Equal(t, strings.Repeat("x", 9)+"…", Clean(strings.Repeat("x", 1<<20), 10))
	require.Empty(t, Clean(strings.Repeat("\u200b", 1<<20), 10))
	require.LessOrEqual(t, UTF16Length(Clean(strings.Repeat("://", 1000), 50)), 50)
}

func TestCleanRedacted(t *testing.T) {
	const mail = "write to jane.doe@example.com today"
	require.NotContains(t, cleanRedacted(mail, 100), "jane.doe")
	require.NotContains(t, cleanRedacted("write to jane\u200b.doe@example.com", 100), "doe@", "invisible characters do not hide a pattern")
	require.Equal(t, mail, Clean(mail, 100), "names and ids are not redacted")
}

func FuzzClean(f *testing.F) {
	for _, p := range samples.HostileTexts() {
		f.Add(p, 50)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = min(max(limit, 1), 500)
		got := Clean(s, limit)
		samples.RequireInert(t, got)
		require.NotContains(t, got, "\n")
		require.LessOrEqual(t, UTF16Length(got), limit)
		require.Equal(t, got, Clean(got, limit), "idempotent")
		samples.RequireInert(t, cleanRedacted(s, limit))
		require.LessOrEqual(t, UTF16Length(cleanRedacted(s, limit)), limit)
	})
}

// UTF16Length returns the length of s in UTF-16 code units.
func UTF16Length(s string) int {
	n := 0
	for _, r := range s {
		n += runeLength(r)
	}
	return n
}
