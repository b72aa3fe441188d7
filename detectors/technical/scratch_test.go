package technical

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
)

func contextOf(texts ...string) contextTexts {
	return contextTexts{texts, &foldedTexts{}, &detectors.Work{}}
}

func TestContainsInAnyLetterCase(t *testing.T) {
	for _, c := range []struct {
		text, words string
		want        bool
	}{
		{"see Example.COM/Path for more", "example.com/path", true},
		{"see example.com", "EXAMPLE.COM", true},
		{"на Пример.РФ есть", "пример.рф", true},
		{"ΟΔΟΣ ", "οδος", true}, // the last letter has two lower-case forms
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

// A search in folded texts finds what strings.EqualFold finds at every place.
func TestContainsAgainstEqualFold(t *testing.T) {
	letters := []string{"a", "A", "k", "K", "s", "S", "é", "É", "σ", "ς", "Σ", "ж", "Ж", ".", " ", "/", "中", "ǆ", "ǅ", "Ǆ"}
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 1))
		random := func(n int) string {
			var b strings.Builder
			for range n {
				b.WriteString(letters[r.IntN(len(letters))])
			}
			return b.String()
		}
		text, words := random(20), random(1+r.IntN(3))
		want := false
		for at := 0; at+len(words) <= len(text); at++ {
			want = want || strings.EqualFold(text[at:at+len(words)], words) && StandsAlone(text, at, at+len(words))
		}
		texts := contextOf(text)
		require.Equal(t, want, texts.contains(words), "%q in %q", words, text)
		texts.containsFolded("another name")
		require.Equal(t, want, texts.contains(words), "%q in %q after the texts were folded", words, text)
	}
}
