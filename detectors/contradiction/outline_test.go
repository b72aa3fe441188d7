package contradiction

import (
	"testing"

	"confab/internal/text"
)

// TestOutlineReadsEnds reads words whose ends are those of the text, too.
func TestOutlineReadsEnds(t *testing.T) {
	for s, want := range map[string]struct{ owners, prefixes bool }{
		"u":           {},
		"plan u":      {},
		"s":           {},
		"it's":        {owners: true},
		"the club's":  {owners: true},
		"under":       {},
		"unusual":     {prefixes: true},
		"an unlocked": {prefixes: true},
		"usually":     {},
	} {
		var o outline
		tokens := text.AppendTokens(nil, s)
		o.readTokens(s, tokens, 0, int32(len(tokens)))
		if o.owners != want.owners || o.prefixes != want.prefixes {
			t.Errorf("%q: owners %v, prefixes %v, want %v", s, o.owners, o.prefixes, want)
		}
	}
}

func TestHasQuotation(t *testing.T) {
	for s, want := range map[string]bool{
		"":                       false,
		"Open at 10:30, café.":   false,
		`He said "no".`:          true,
		"He said “no”.":          true,
		"Il dit « non ».":        true,
		"| a | b |":              true,
		"Note: it is closed.":    true,
		"The hours are:":         true,
		"Hours:\nten to six":     true,
		"\xe2\x80 \xab\xbb cut.": false,
	} {
		if got := hasQuotation(s); got != want {
			t.Errorf("%q: %v", s, got)
		}
	}
}
