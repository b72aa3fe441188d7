package redacting

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheck(t *testing.T) {
	many := make([]Pattern, maxPatterns+1)
	for i := range many {
		many[i] = Pattern{Name: fmt.Sprintf("p%d", i), Pattern: "ZZ[0-9]{4}"}
	}
	for name, c := range map[string]struct {
		patterns []Pattern
		want     []string
	}{
		"none":               {nil, nil},
		"two":                {[]Pattern{{"customer", `\bKD-[0-9]{6}\b`}, {"x-1", `X[0-9]{3}`}}, nil},
		"no name":            {[]Pattern{{"", `KD`}}, []string{".patterns[0].name"}},
		"name with brackets": {[]Pattern{{"[x]", `KD`}}, []string{".patterns[0].name"}},
		"no pattern":         {[]Pattern{{"x", ""}}, []string{".patterns[0].pattern"}},
		"no expression":      {[]Pattern{{"x", "("}}, []string{".patterns[0].pattern"}},
		"matches a label":    {[]Pattern{{"x", `\w+`}}, []string{".patterns[0].pattern"}},
		"another's label":    {[]Pattern{{"x", "fo+"}, {"foo", "KD"}}, []string{".patterns[0].pattern"}},
		"too long":           {[]Pattern{{"x", strings.Repeat("k", maxPatternBytes+1)}}, []string{".patterns[0].pattern"}},
		"too many":           {many, []string{".patterns"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := Settings{Patterns: c.patterns}
			var got []string
			s.Check(func(at, format string, args ...any) {
				require.NotContains(t, fmt.Sprintf(format, args...), "%!")
				got = append(got, at)
			})
			require.Equal(t, c.want, got)
		})
	}
}

func TestRedactor(t *testing.T) {
	s := Settings{Patterns: []Pattern{{"customer", `\bKD-[0-9]{6}\b`}}}
	require.Equal(t, "[customer] wrote from [email]", s.Redactor().Redact("KD-123456 wrote from a@example.com"))
	require.Equal(t, "KD-123456", new(Settings).Redactor().Redact("KD-123456"))
}
