package samples

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// RequireInert fails the test when s contains links, invisible or control characters.
func RequireInert(t testing.TB, s string) {
	t.Helper()
	require.Empty(t, Defect(s), "%.200q", s)
}

// Defect returns why s is not inert, "" when it is.
func Defect(s string) string {
	if !utf8.ValidString(s) {
		return "not UTF-8"
	}
	if strings.Contains(s, "://") || strings.Contains(strings.ToLower(s), "www.") {
		return "a link"
	}
	for _, r := range s {
		if r != '\n' && (r < ' ' || r > '~') && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Bidi_Control, unicode.Variation_Selector, unicode.Zl, unicode.Zp) {
			return fmt.Sprintf("the invisible character %U", r)
		}
	}
	return ""
}

// UTF16Length returns the length of s as Slack counts it.
func UTF16Length(s string) int { return len(utf16.Encode([]rune(s))) }
