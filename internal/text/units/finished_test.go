package units

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFinished(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"":                                      "",
		"It opened in 1930. It closed in 19":    "It opened in 1930.",
		"It opened in 1930.":                    "It opened in 1930.",
		"It opened in 1930. ":                   "It opened in 1930.",
		"It costs 3.50 euros. A child pays 1.":  "It costs 3.50 euros. A child pays 1.",
		"It costs 3.50 euros. A child pays 1.5": "It costs 3.50 euros.",
		"It costs 3.5":                          "It costs 3.5",
		"“It opened.” [1][2] It clo":            "“It opened.”",
		"It opened.[1] It clo":                  "It opened.[1]",
		"**It opened.** It clo":                 "**It opened.**",
		"- first item\n- second it":             "- first item",
		"它于1930年开放。它于19":                        "它于1930年开放。",
		"see example.com/a.b and":               "see example.com/a.b and",
	} {
		require.Equal(t, want, Finished(s), s)
	}
	for _, part := range []string{"[", ".[", ".)", ").", ".[1", "[1]a."} { // each in linear time
		long := strings.Repeat(part, 1<<20)
		require.NotPanics(t, func() { Finished(long) }, part)
	}
}
