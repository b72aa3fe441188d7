package otlp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// Whatever a record holds: every entry has one outcome, texts are UTF-8, and what is accepted can be written as JSON.
func FuzzDecode(f *testing.F) {
	files, err := filepath.Glob(filepath.Join(recordings, "*"))
	require.NoError(f, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(raw, strings.HasSuffix(file, ".json"))
	}
	f.Fuzz(func(t *testing.T, raw []byte, isJSON bool) {
		d := newDecoder(t, Options{JSON: isJSON, Join: true})
		var c collected
		counts, err := d.Decode(raw, &c)
		if err != nil {
			require.Empty(t, c.found)
			require.Empty(t, c.rejected)
			return
		}
		require.Len(t, c.found, counts[Answer]+counts[NoText]+counts[TextNotFound])
		require.Len(t, c.rejected, counts[Rejects])
		for _, in := range c.found {
			requireSound(t, in)
		}
	})
}

func requireSound(t *testing.T, in *schemas.Interaction) {
	t.Helper()
	for _, text := range []string{in.ID, in.Service, in.Provider, in.Model, in.ConversationID, in.Answer, in.FinishReason, in.ResponseSchema} {
		require.True(t, utf8.ValidString(text))
	}
	_, err := json.AppendInteraction(nil, in)
	require.NoError(t, err)
}
