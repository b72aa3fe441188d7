package technical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

func contextOf(texts ...string) *contextTexts {
	return &contextTexts{texts: texts, work: &detectors.Work{}}
}

func TestContainsInAnyLetterCase(t *testing.T) {
	for _, c := range []struct {
		text, words string
		want        bool
	}{
		{"see Example.COM/Path for more", "example.com/path", true},
		{"see example.com", "EXAMPLE.COM", true},
		{"на Пример.РФ есть", "пример.рф", true},
		{"an example.community", "example.com", false},
		{"STRASSE", "straße", false},
		{"文献 example.com 文献", "Example.com", true},
		{"\xff example.com \xff", "Example.Com", true},
		{"", "x", false},
		{"x", "", false},
	} {
		require.Equal(t, c.want, contextOf("other", c.text).contains(c.words), "%q in %q", c.words, c.text)
	}
}
