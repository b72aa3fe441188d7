package support

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func TestCompound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, words string
		want        bool
	}{
		{"Katzenhaltung", "die Haltung von Katzen", true},
		{"Bahnbrücke", "eine Brücke der Bahn", true},
		{"Verbindungsstück", "das Stück für die Verbindung", true},
		{"Kapseln", "geöffnete Kaffeekapseln", true},
		{"Kaffee", "Kaffeekapseln", true},
		{"Katzenhaltung", "die Haltung von Hunden", false},
		{"Katzenfutter", "Katzen und Hunde", false},
		{"Hand", "Handlung", false},
		{"Bahnhofsvorplatzgestaltung", "Bahn und Gestaltung", false},
		{"", "Katzen", false},
		{"Ei", "Eierbecher", false},
	} {
		whole, got := newCompound(text.StemOf(c.word)), false
		for w := range strings.FieldsSeq(c.words) {
			got = got || whole.add(text.StemOf(w))
		}
		require.Equal(t, c.want, got, "%s in %s", c.word, c.words)
	}
	require.Equal(t, strings.Repeat("x", 500), text.StemOf(strings.Repeat("x", 500)))
}
