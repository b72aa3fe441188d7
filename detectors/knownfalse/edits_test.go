package knownfalse

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"confab/detectors"
	"confab/internal/datatest"
	"confab/schemas"
	schemasjson "confab/schemas/json"

	"github.com/stretchr/testify/require"
)

// Sentences with bad spans are recognised again after edits that change no meaning, and not after those that change it.
func TestEditedRepeats(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	t.Parallel()
	edits := []struct {
		name string
		edit func(string) string
		same bool
	}{
		{"spaces", func(s string) string { return strings.ReplaceAll(s, " ", " \u00A0 ") }, true},
		{"no full stop", func(s string) string { return strings.TrimRight(s, ".") }, true},
		{"exclamation mark", func(s string) string { return strings.TrimRight(s, ".") + "!" }, true},
		{"small first letter", func(s string) string {
			first, size := utf8.DecodeRuneInString(s)
			if second, _ := utf8.DecodeRuneInString(s[size:]); !unicode.IsLower(second) {
				return s // an acronym
			}
			return string(unicode.ToLower(first)) + s[size:]
		}, true},
		{"citation marker", func(s string) string { return strings.TrimRight(s, ".") + " [1][2]." }, true},
		{"no commas between words", func(s string) string { return strings.ReplaceAll(s, ", ", "  ") }, true},
		{"bold", func(s string) string { return "**" + s + "**" }, true},
		{"negated", func(s string) string {
			return strings.NewReplacer(" is ", " is not ", " was ", " was not ", " are ", " are not ").Replace(s)
		}, false},
		{"another figure", func(s string) string {
			return strings.Map(func(r rune) rune {
				if r >= '0' && r <= '8' {
					return r + 1
				}
				return r
			}, s)
		}, false},
		{"another name", func(s string) string { return strings.Replace(s, " the ", " the Acme ", 1) }, false},
	}
	type count struct{ all, equal int }
	counts := make([]count, len(edits))
	var n Normalizer
	eachBadSentence(t, func(sentence string) {
		key, ok := n.Key(sentence)
		if !ok {
			return
		}
		for i, e := range edits {
			edited := e.edit(sentence)
			if edited == sentence {
				continue
			}
			counts[i].all++
			if again, ok := n.Key(edited); ok && again == key {
				counts[i].equal++
			}
		}
	})
	for i, e := range edits {
		t.Logf("%s: %d of %d equal", e.name, counts[i].equal, counts[i].all)
		share := float64(counts[i].equal) / float64(counts[i].all)
		if e.same {
			require.Greater(t, share, 0.95, e.name)
		} else {
			require.Zero(t, counts[i].equal, e.name)
		}
	}
}

func eachBadSentence(t *testing.T, do func(sentence string)) {
	t.Helper()
	var doc detectors.Document
	for _, set := range datatest.Sets(t) {
		for _, line := range slices.Concat(datatest.Rows(t, set), datatest.MoreRows(t, set)) {
			var row schemas.Labelled
			require.NoError(t, schemasjson.DecodeLabelled(line, &row))
			doc.Reset(&row.Interaction)
			for _, s := range doc.Sentences() {
				for _, bad := range row.Spans {
					if row.Label != 0 && int(s.Start) < bad.End && bad.Start < int(s.End) {
						do(strings.TrimSpace(s.In(doc.Text())))
						break
					}
				}
			}
		}
	}
}
