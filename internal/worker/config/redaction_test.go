package config

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCheckRedaction(t *testing.T) {
	many := make([]RedactionPattern, maxPatterns+1)
	for i := range many {
		many[i] = RedactionPattern{Name: fmt.Sprintf("p%d", i), Pattern: "ZZ[0-9]{4}"}
	}
	for name, c := range map[string]struct {
		patterns []RedactionPattern
		want     []string
	}{
		"none":               {nil, nil},
		"two":                {[]RedactionPattern{{"customer", `\bKD-[0-9]{6}\b`}, {"x-1", `X[0-9]{3}`}}, nil},
		"no name":            {[]RedactionPattern{{"", `KD`}}, []string{"redaction.patterns[0].name"}},
		"name with brackets": {[]RedactionPattern{{"[x]", `KD`}}, []string{"redaction.patterns[0].name"}},
		"no pattern":         {[]RedactionPattern{{"x", ""}}, []string{"redaction.patterns[0].pattern"}},
		"no expression":      {[]RedactionPattern{{"x", "("}}, []string{"redaction.patterns[0].pattern"}},
		"matches a label":    {[]RedactionPattern{{"x", `\w+`}}, []string{"redaction.patterns[0].pattern"}},
		"another's label":    {[]RedactionPattern{{"x", "fo+"}, {"foo", "KD"}}, []string{"redaction.patterns[0].pattern"}},
		"too long":           {[]RedactionPattern{{"x", strings.Repeat("k", maxPatternBytes+1)}}, []string{"redaction.patterns[0].pattern"}},
		"too many":           {many, []string{"redaction.patterns"}},
	} {
		t.Run(name, func(t *testing.T) {
			k := &checker{}
			k.redaction(c.patterns)
			require.Equal(t, c.want, k.paths())
		})
	}
}

func TestRedactor(t *testing.T) {
	s := Redaction{Patterns: []RedactionPattern{{"customer", `\bKD-[0-9]{6}\b`}}}
	require.Equal(t, "[customer] wrote from [email]", s.Redactor().Redact("KD-123456 wrote from a@example.com"))
	require.Equal(t, "KD-123456", new(Redaction).Redactor().Redact("KD-123456"))
}
